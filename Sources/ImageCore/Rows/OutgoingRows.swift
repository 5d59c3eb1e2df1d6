// Rows of a result that goes to a receiver in place of a bitmap: some are collected, so that decoder and encoder take turns
// seldom enough to keep their own code and tables at hand.

/// Collects rows of a result and hands them to the plan's receiver.
struct OutgoingRows: Sendable {
    private let receiver: RowReceiver
    private let format: PixelFormat
    private let size: PixelSize
    private var rows: ScratchBuffer
    private var count = 0

    /// Bytes of rows that are collected, if there is room for more than one.
    private static let batchByteCount = 1 << 17

    /// - Precondition: the plan has a receiver.
    init?(_ plan: OutputPlan, meter: MemoryMeter?) throws(ImageError) {
        guard let receiver = plan.receiver else { return nil }
        self.receiver = receiver
        format = plan.format
        size = plan.targetSize
        rows = try ScratchBuffer(byteCount: Self.byteCount(plan), meter: meter)
    }

    /// Bytes of the rows that are collected. Saturates.
    static func byteCount(_ plan: OutputPlan) -> Int {
        let row = rowByteCount(plan.targetSize, plan.format)
        return row.multipliedSaturated(by: max(1, min(plan.targetSize.height, batchByteCount / max(1, row))))
    }

    private static func rowByteCount(_ size: PixelSize, _ format: PixelFormat) -> Int {
        size.width.multipliedSaturated(by: format.bytesPerPixel)
    }

    private var rowByteCount: Int { Self.rowByteCount(size, format) }

    mutating func makeUnique() throws(ImageError) { try rows.makeUnique() }

    /// Takes row `y`, from the top, and converts it.
    mutating func add(_ pixels: RawSpan, y: Int, _ converter: RowConverter) {
        let (start, byteCount, width) = (count * rowByteCount, rowByteCount, size.width)
        rows.withMutableBytes(start..<start + byteCount) { converter.convert(pixels, into: &$0, width: width) }
        count += 1
        if y == size.height - 1 || (count + 1) * byteCount > rows.byteCount { deliver(nextRow: y + 1) }
    }

    private mutating func deliver(nextRow: Int) {
        guard count > 0 else { return }
        rows.withBytes(0..<count * rowByteCount) { receiver.receive($0, rows: nextRow - count..<nextRow) }
        count = 0
    }

    /// Hands on what was collected, and blank rows for those that are missing.
    mutating func end(missing: Range<Int>, work: WorkGuard) throws(ImageError) {
        deliver(nextRow: missing.lowerBound)
        guard !missing.isEmpty else { return }
        let blank = try Bitmap(cleared: PixelSize(width: size.width, height: 1), format: format, meter: nil, work: work)
        for y in missing {
            try work.check()
            blank.withRowBytes(0) { receiver.receive($0, rows: y..<y + 1) }
        }
    }
}
