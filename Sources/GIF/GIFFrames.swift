// The frames of a file as the compositor wants them: each to be decoded by itself.

package import ImageCore

/// Whole frames of a file; a snapshot.
package struct GIFFrames: SubFrameSource {
    /// What decoding a frame takes.
    struct Record: Sendable {
        let minimumCodeSize: Int
        let isInterlaced: Bool
        let colors: ColorTable
        let transparentIndex: UInt8?
        /// Sub-blocks, without the terminator.
        let bytes: FrameBytes
    }

    package private(set) var plan: CompositionPlan
    private var records = PagedArray<Record>()
    private var store: FrameByteStore
    private let meter: MemoryMeter

    /// What a record holds besides itself: a color table of its own, and the heads of two blocks.
    private static let recordByteCount = 4 * 256 + 160

    init(canvasSize: PixelSize, data: ImageData?, meter: MemoryMeter) {
        plan = CompositionPlan(canvasSize: canvasSize)
        store = FrameByteStore(data: data, meter: meter)
        self.meter = meter
    }

    /// The same frames of a file in memory.
    func reading(_ data: ImageData?) -> GIFFrames {
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
    /// - Returns: the frame as it was added.
    mutating func append(
        _ planned: CompositionPlan.Frame, _ record: Record
    ) throws(ImageError) -> CompositionPlan.Frame {
        try records.append(record, elementByteCount: Self.recordByteCount, meter: meter)
        return try plan.append(planned, meter: meter)
    }

    package func rows(of index: Int) -> SubFrameRows {
        let record = records[index]
        return Self.rows(record.colors, record.transparentIndex)
    }

    /// How rows come: also interlaced ones come whole, and can be drawn in any order.
    static func rows(_ colors: ColorTable, _ transparentIndex: UInt8?) -> SubFrameRows {
        SubFrameRows(
            layout: .indexed(bits: 8, palette: colors.palette(transparentIndex: transparentIndex)), order: .topToBottom)
    }

    package func decode(
        _ index: Int, into painter: inout FramePainter, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        let record = records[index]
        let size = plan[index].info.rect.size
        let interlacing = record.isInterlaced ? RowInterlacing(height: size.height) : nil
        var decoder = try FrameDecoder(minimumCodeSize: record.minimumCodeSize, size: size, meter: meter)
        try store.withBytes(of: record.bytes) { (bytes, offset) throws(ImageError) in
            var reader = BlockReader.inSubBlocks
            var position = 0
            while !decoder.isWhole,
                case .subBlocks(let run) = try reader.next(in: bytes, from: &position, offset: offset, work: &work)
            {
                try decoder.decode(bytes.extracting(run), offset: offset + run.lowerBound, work: &work) { row, index in
                    painter.write(row, y: interlacing?.row(index).y ?? index)
                }
            }
            try decoder.end(offset: offset + bytes.count)
        }
    }
}
