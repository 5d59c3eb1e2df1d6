// What is seen of a picture's rows before the first is coded.

import ImageCodecsCore
import ImageEncoding

/// Looks at all rows, for what has to be known before: a preview for the EXIF data, and how much the chroma would lose.
struct RowSurvey: Sendable {
    private var preview: PreviewCollector?
    private var chroma: SubsamplingSurvey?

    /// Whether anything has to be known.
    static func isNeeded(_ size: PixelSize, _ decisions: EncodingDecisions, _ options: EncodingOptions) -> Bool {
        wantsPreview(size, options) || decisions.subsampling == nil
    }

    /// A picture that is no larger than its preview needs none.
    private static func wantsPreview(_ size: PixelSize, _ options: EncodingOptions) -> Bool {
        options.embedsThumbnail && PreviewCollector.isSmaller(thanPictureOf: size)
    }

    /// Bytes that a survey holds, and what comes of it. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions, _ options: EncodingOptions) -> Int {
        var count = 0
        if wantsPreview(size, options) {
            // Coding the preview takes less than a mebibyte.
            count = PreviewCollector.byteCount(size: size, format: decisions.rowFormat).addingSaturated(1 << 20)
        }
        if decisions.subsampling == nil {
            count = count.addingSaturated(SubsamplingSurvey.byteCount(size: size))
        }
        return count
    }

    init(
        _ size: PixelSize, _ decisions: EncodingDecisions, _ options: EncodingOptions, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        if Self.wantsPreview(size, options) {
            preview = try PreviewCollector(size: size, format: decisions.rowFormat, meter: meter, work: work)
        }
        if decisions.subsampling == nil {
            chroma = try SubsamplingSurvey(size: size, layout: decisions.colorLayout, meter: meter)
        }
    }

    mutating func add(_ row: RawSpan) throws(ImageError) {
        try preview?.add(row)
        chroma?.survey(row)
    }

    /// The preview as a file, if one is wanted.
    func preview(_ request: EncodingRequest) throws(ImageError) -> [UInt8]? {
        try preview.map { (preview) throws(ImageError) in try preview.file(request) }
    }

    /// The subsampling that the picture asks for, if that was to be decided.
    mutating func subsampling(_ decisions: EncodingDecisions) -> JPEGSubsampling? {
        chroma?.choice(scale: decisions.scale(quality: decisions.quality))
    }
}
