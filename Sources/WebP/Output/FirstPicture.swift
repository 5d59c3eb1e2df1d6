// The picture of the file, a still or the first frame: straight into the result, or into the scaler, without a canvas.
//
//   row ──▶ RowSink                                where the frame covers the canvas
//   row ──▶ between transparent margins ──▶ RowSink   where it does not

import ImageCore

/// Delivers the rows of the first picture.
struct FirstPicture: Sendable {
    private(set) var sink: RowSink
    /// Rows of the frame that came.
    private(set) var rowCount = 0
    private let rect: PixelRect
    private let canvas: PixelSize
    /// A row of the canvas, where the frame does not cover it: transparent beside the frame.
    private var row: ScratchBuffer?

    /// What the rows of a first picture are delivered as.
    ///
    /// - Parameters:
    ///   - rows: what those of the frame hold.
    ///   - rect: where it lies.
    ///   - canvas: width and height.
    static func layout(_ rows: SampleLayout, _ rect: PixelRect, canvas: PixelSize) -> SampleLayout {
        rect == PixelRect(canvas) ? rows : .bgra
    }

    /// Makes the result.
    ///
    /// - Parameters:
    ///   - rows: what those of the frame hold; `bgra` where it does not cover the canvas.
    ///   - rect: where it lies, within the canvas.
    ///   - plan: what is to be delivered.
    ///   - donor: a bitmap whose memory is reused when it fits and nobody else holds it; always taken.
    ///   - meter: counts the memory.
    ///   - work: asked while tables are computed.
    init(
        _ rows: SampleLayout, _ rect: PixelRect, plan: OutputPlan, donor: inout Bitmap?, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        canvas = plan.sourceSize
        self.rect = rect
        sink = try RowSink(
            plan: plan, layout: Self.layout(rows, rect, canvas: canvas), donor: &donor, meter: meter, work: work)
        guard rect != PixelRect(canvas) else { return }
        row = try ScratchBuffer(byteCount: Self.rowByteCount(canvas), filledWith: 0, meter: meter)
    }

    private static func rowByteCount(_ canvas: PixelSize) -> Int { canvas.width.multipliedSaturated(by: 4) }

    /// The most memory that it takes besides the sink.
    ///
    /// - Parameters:
    ///   - canvas: width and height.
    ///   - rect: where the frame lies.
    static func byteCount(canvas: PixelSize, rect: PixelRect) -> Int {
        rect == PixelRect(canvas) ? 0 : rowByteCount(canvas)
    }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    mutating func makeUnique() throws(ImageError) {
        try sink.makeUnique()
        try row?.makeUnique()
    }

    /// Writes what the frame leaves free above it.
    ///
    /// - Parameter work: asked for every row.
    mutating func begin(work: WorkGuard) throws(ImageError) { try writeBlankRows(0..<rect.y, work) }

    /// Takes a row of the frame; rows come from the top.
    ///
    /// - Parameters:
    ///   - pixels: the row.
    ///   - y: its number.
    mutating func write(_ pixels: RawSpan, y: Int) {
        rowCount = y + 1
        guard var row = row.take() else { return sink.write(pixels, y: rect.y + y) }
        let width = rect.width * 4
        row.withMutableBytes { $0.copy(pixels.extracting(0..<width), at: rect.x * 4) }
        row.withBytes { sink.write($0, y: rect.y + y) }
        self.row = row
    }

    /// Rows of the canvas that the frame leaves free.
    private mutating func writeBlankRows(_ rows: Range<Int>, _ work: WorkGuard) throws(ImageError) {
        guard !rows.isEmpty, var row = row.take() else { return }
        defer { self.row = row }
        var work = work
        row.fill(0..<row.byteCount, with: 0)
        for y in rows {
            try work.spend(row.byteCount)
            row.withBytes { sink.write($0, y: y) }
        }
    }

    /// Ends a frame of which every row came.
    ///
    /// - Parameter work: asked for every row that the frame leaves free.
    mutating func finish(work: WorkGuard) throws(ImageError) {
        try writeBlankRows(rect.y + rect.height..<canvas.height, work)
    }

    /// Whether there is something of the frame to be seen.
    var hasRows: Bool { rowCount > 0 && sink.hasPixels }

    /// Ends a frame of which rows are missing.
    ///
    /// - Parameter work: asked every some rows.
    mutating func endEarly(work: WorkGuard) throws(ImageError) { try sink.clearUnfilledRows(work: work) }

    /// Learns how the picture has to be turned, when its rows have come.
    ///
    /// - Parameter plan: what is to be delivered.
    mutating func replan(_ plan: OutputPlan) { sink.replan(plan) }

    /// The picture so far.
    ///
    /// - Parameter work: asked while pixels are copied.
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink.partialPicture(work: work)
    }

    /// What changed in the picture since the last call.
    mutating func takeChanged() -> PixelRect? { hasRows ? sink.takeChanged() : nil }

    /// Gives back what only pictures of an unfinished decode need.
    mutating func endPictures() { sink.endPartialPictures() }

    /// Rows of the canvas that do not change any more.
    ///
    /// - Parameter isWhole: whether every row of the frame came.
    func realRows(isWhole: Bool) -> [Range<Int>] {
        if isWhole { return [0..<canvas.height] }
        return rowCount > 0 ? [0..<rect.y + rowCount] : []
    }
}
