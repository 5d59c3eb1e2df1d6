// What is seen of a picture's rows before the first is coded.

import ImageCodecsCore

/// Looks at all rows, for what has to be known before: a preview for the EXIF data, and how much the chroma would lose.
struct RowSurvey: Sendable {
    private var preview: PreviewCollector?

    /// Whether anything has to be known.
    static func isNeeded(_ decisions: EncodingDecisions, _ options: EncodingOptions) -> Bool {
        options.embedsThumbnail
    }

    /// Bytes that a survey holds, and what comes of it. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions, _ options: EncodingOptions) -> Int {
        guard options.embedsThumbnail else { return 0 }
        // Coding the preview takes less than a mebibyte.
        return PreviewCollector.byteCount(size: size, format: decisions.rowFormat).addingSaturated(1 << 20)
    }

    init(
        _ size: PixelSize, _ decisions: EncodingDecisions, _ options: EncodingOptions, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        if options.embedsThumbnail {
            preview = try PreviewCollector(size: size, format: decisions.rowFormat, meter: meter, work: work)
        }
    }

    mutating func add(_ row: RawSpan) throws(ImageError) {
        try preview?.add(row)
    }

    /// The preview as a file, if one is wanted.
    func preview(_ request: EncodingRequest) throws(ImageError) -> [UInt8]? {
        try preview.map { (preview) throws(ImageError) in try preview.file(request) }
    }

    /// The subsampling that the picture asks for, if that was to be decided.
    func subsampling(_ decisions: EncodingDecisions) -> JPEGSubsampling? { nil }
}
