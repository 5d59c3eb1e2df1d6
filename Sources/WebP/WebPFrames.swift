// The frames of a file as the compositor wants them: each to be decoded by itself.

package import ImageCore

/// Whole frames of a file; a snapshot.
package struct WebPFrames: SubFrameSource {
    /// What decoding a frame takes.
    struct Record: Sendable {
        /// What its rows hold.
        let layout: SampleLayout
        /// The chunks in it, up to the end of the picture's payload.
        let bytes: FrameBytes
    }

    package private(set) var plan: CompositionPlan
    private var records = PagedArray<Record>()
    private var store: FrameByteStore
    private let meter: MemoryMeter

    /// What a record holds besides itself: the heads of two blocks.
    private static let recordByteCount = 96

    init(canvasSize: PixelSize, meter: MemoryMeter) {
        plan = CompositionPlan(canvasSize: canvasSize)
        store = FrameByteStore(data: nil, meter: meter)
        self.meter = meter
    }

    /// The same frames of a file in memory.
    ///
    /// - Parameter data: the file.
    func reading(_ data: ImageData?) -> WebPFrames {
        var frames = self
        frames.store = store.reading(data)
        return frames
    }

    /// The most memory that what is known of so many frames takes. Saturates.
    static func byteCount(_ count: Int) -> Int {
        CompositionPlan.byteCount(count).addingSaturated(
            PagedArray<Record>.byteCount(count, elementByteCount: recordByteCount))
    }

    /// Takes the bytes of a frame that ended.
    mutating func take(_ keeper: inout FrameByteKeeper, work: WorkGuard) throws(ImageError) -> FrameBytes {
        try keeper.end(in: &store, work: work)
    }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - planned: the frame as it was planned.
    ///   - record: what decoding it takes.
    /// - Returns: the frame as it was added.
    mutating func append(
        _ planned: CompositionPlan.Frame, _ record: Record
    ) throws(ImageError) -> CompositionPlan.Frame {
        try records.append(record, elementByteCount: Self.recordByteCount, meter: meter)
        return try plan.append(planned, meter: meter)
    }

    package func rows(of index: Int) -> SubFrameRows {
        SubFrameRows(layout: records[index].layout, order: .topToBottom)
    }

    package func decode(
        _ index: Int, into painter: inout FramePainter, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        let size = plan[index].info.rect.size
        try store.withBytes(of: records[index].bytes) { (bytes, offset) throws(ImageError) in
            var chunks = FrameChunks(size: size, end: offset + bytes.count, meter: meter)
            try chunks.decode(bytes, offset: offset, work: &work) { row, y in painter.write(row, y: y) }
        }
    }
}

/// Decodes the chunks of a frame that are all there.
private struct FrameChunks {
    private let size: PixelSize
    private var decoder: FrameDecoder
    private var reader: RIFFReader
    private var position = 0

    init(size: PixelSize, end: Int, meter: MemoryMeter?) {
        self.size = size
        decoder = FrameDecoder(threads: 1, meter: meter)
        reader = RIFFReader(inFrameUpTo: end)
    }

    /// Decodes the picture; when the frame was read its chunks were in order.
    mutating func decode(
        _ bytes: Span<UInt8>, offset: Int, work: inout WorkGuard, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) {
        while let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            switch step {
            case .begins(let chunk):
                if chunk.type == .alpha { try decoder.beginAlpha(size: size) }
                if chunk.type == .alpha || PictureHeader.kind(of: chunk.type) != nil { reader.take(chunk, .stream) }
            case .stream(let chunk, let body, _):
                let payload = bytes.extracting(body)
                let place = offset + body.lowerBound
                if let kind = PictureHeader.kind(of: chunk.type) {
                    return try decode(kind, chunk, payload, offset: place, work: &work, take: take)
                }
                _ = try decoder.decodeAlpha(payload, offset: place, isFinal: true, work: &work)
                position = body.upperBound
                reader.skipRest(of: chunk)
            case .file, .first, .frame, .frameEnds, .ends: break
            }
        }
        throw .corrupt(.webP, .webpImageMissing, offset: offset, reason: "a frame without a picture")
    }

    private mutating func decode(
        _ kind: PictureHeader.Kind, _ chunk: RIFFChunk, _ payload: Span<UInt8>, offset: Int, work: inout WorkGuard,
        take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) {
        try decoder.begin(PictureHeader(kind, payload, chunk))
        _ = try decoder.decode(
            payload, offset: offset, isFinal: true, byteCount: chunk.byteCount, work: &work, take: take)
        guard decoder.isWhole else { throw FrameDecoder.missingRows(chunk, decoder.rowCount) }
    }
}

extension FrameDecoder {
    /// What is wrong where the data of a picture end early.
    ///
    /// - Parameters:
    ///   - chunk: with the data.
    ///   - rowCount: rows that came.
    static func missingRows(_ chunk: RIFFChunk, _ rowCount: Int) -> ImageError {
        .corrupt(
            .webP, .webpImageDataShort, offset: chunk.bodyEnd,
            reason: "the image data end in row \(rowCount)")
    }
}
