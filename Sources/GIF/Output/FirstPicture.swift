// The first frame as the picture of the file: straight into the result, or into the scaler, without a canvas.
//
//   row of indices ──▶ RowSink                          where the frame covers the canvas
//   row of indices ──▶ RGBA between margins ──▶ RowSink    where it does not

import ImageCore

/// Delivers the rows of the first frame.
struct FirstPicture: Sendable {
    /// What the rows of a first frame are delivered as.
    struct Layout {
        let sample: SampleLayout
        let order: RowOrder
        /// Whether the frame leaves nothing of the canvas free.
        let coversCanvas: Bool

        init(_ descriptor: ImageDescriptor, _ palette: Palette, canvas: PixelSize) {
            let rect = descriptor.rect
            coversCanvas = rect.clipped(to: canvas) == PixelRect(canvas)
            // Columns left of the canvas would have to be cut off.
            sample = coversCanvas && rect.x == 0 ? .indexed(bits: 8, palette: palette) : .pixels(.rgba)
            order = descriptor.isInterlaced ? .passes : .topToBottom
        }

        /// Whether a pixel of the picture may be transparent.
        var hasAlpha: Bool { sample.hasAlpha }
    }

    private(set) var sink: RowSink
    /// Rows of the frame that came.
    private(set) var rowCount = 0
    /// Whether no more rows come.
    private var isEnded = false
    private let rect: PixelRect
    private let visible: PixelRect
    private let canvas: PixelSize
    private let interlacing: RowInterlacing?
    /// A row of the canvas, where the frame does not cover it, and what makes it.
    private var row: ScratchBuffer?
    private let converter: RowConverter
    private let rowLayout: SampleLayout

    init(
        _ descriptor: ImageDescriptor, _ palette: Palette, _ layout: Layout, plan: OutputPlan, donor: inout Bitmap?,
        meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        canvas = plan.sourceSize
        rect = descriptor.rect
        visible = rect.clipped(to: canvas)
        interlacing = descriptor.isInterlaced ? RowInterlacing(height: rect.height) : nil
        rowLayout = layout.sample
        converter = RowConverter(from: .indexed(bits: 8, palette: palette), to: .rgba)
        sink = try RowSink(
            plan: plan, layout: layout.sample, order: layout.order, donor: &donor, meter: meter, work: work)
        guard case .pixels = layout.sample else { return }
        row = try ScratchBuffer(
            byteCount: Self.rowByteCount(canvas: canvas, rect: rect), filledWith: 0, meter: meter)
    }

    /// Room for a row of the canvas, and behind it for one of the frame.
    private static func rowByteCount(canvas: PixelSize, rect: PixelRect) -> Int {
        canvas.width.addingSaturated(rect.width).multipliedSaturated(by: 4)
    }

    /// The most memory that it takes besides the sink.
    static func byteCount(canvas: PixelSize, rect: PixelRect) -> Int { rowByteCount(canvas: canvas, rect: rect) }

    mutating func makeUnique() throws(ImageError) {
        try sink.makeUnique()
        try row?.makeUnique()
    }

    /// Writes what the frame leaves free above it.
    mutating func begin(work: WorkGuard) throws(ImageError) {
        if interlacing == nil { try writeBlankRows(0..<visible.y, work) }
    }

    /// Takes a row of indices, number `index` in the order of the file.
    mutating func write(_ indices: RawSpan, index: Int) {
        rowCount = index + 1
        let place = interlacing?.row(index) ?? (y: index, shownRows: index..<index + 1)
        let y = rect.y + place.y
        guard visible.rows.contains(y) else { return }
        guard var row = row.take() else { return deliver(indices, y: y, shown: place.shownRows) }
        fill(&row, indices)
        row.withBytes(0..<canvas.width * 4) { deliver($0, y: y, shown: place.shownRows) }
        self.row = row
    }

    /// Writes the visible pixels of a row of the frame where they are on the canvas.
    private func fill(_ row: inout ScratchBuffer, _ indices: RawSpan) {
        let start = canvas.width * 4
        let skipped = visible.x - rect.x
        let columns = skipped + visible.width
        row.withMutableBytes(start..<start + columns * 4) { [converter] in
            converter.convert(indices, into: &$0, width: columns)
        }
        row.withMutableBytes { $0.move(from: start + skipped * 4, to: visible.x * 4, count: visible.width * 4) }
    }

    private mutating func deliver(_ pixels: RawSpan, y: Int, shown: Range<Int>) {
        guard interlacing != nil else { return sink.write(pixels, y: y) }
        let rows = (rect.y + shown.lowerBound..<rect.y + shown.upperBound).clamped(to: visible.rows)
        sink.write(pixels, at: PassRow(y: y, x: 0, columnStep: 1, width: canvas.width, shownRows: rows))
    }

    /// Rows of the canvas that the frame leaves free.
    private mutating func writeBlankRows(_ rows: Range<Int>, _ work: WorkGuard) throws(ImageError) {
        guard let row else { return }
        var work = work
        for y in rows {
            try work.spend(canvas.width * 4)
            row.withBytes(0..<canvas.width * 4) { bytes in
                // Zero but for the columns of the frame, which no row has been written to yet, or none will any more.
                sink.write(bytes, y: y)
            }
        }
    }

    /// Whether there is something of the frame to be seen.
    var hasRows: Bool { rowCount > 0 && sink.hasPixels }

    /// What changed in the picture since the last call.
    mutating func takeChanged() -> PixelRect? { hasRows || isEnded ? sink.takeChanged() : nil }

    /// Gives back what only pictures of an unfinished decode need.
    mutating func endPictures() { sink.endPartialPictures() }

    /// Ends a frame of which every row came.
    mutating func finish(work: WorkGuard) throws(ImageError) {
        isEnded = true
        guard interlacing == nil else {
            let gaps = gaps
            return try sink.fillGaps { (bitmap) throws(ImageError) in try gaps.clearMargins(of: &bitmap, work) }
        }
        row?.fill(0..<canvas.width * 4, with: 0)
        try writeBlankRows(visible.rows.upperBound..<canvas.height, work)
    }

    /// Ends a frame of which rows are missing.
    mutating func endEarly(work: WorkGuard) throws(ImageError) {
        isEnded = true
        guard interlacing == nil else {
            let gaps = gaps
            return try sink.fillGaps { (bitmap) throws(ImageError) in try gaps.fill(in: &bitmap, work) }
        }
        try sink.clearUnfilledRows(work: work)
    }

    /// The picture so far.
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        let gaps = gaps
        return try sink.partialPicture(work: work) { (bitmap) throws(ImageError) in try gaps.fill(in: &bitmap, work) }
    }

    /// Whether nothing changes any more in what is on the canvas from the top down to where the frame ends.
    func realRows(isWhole: Bool) -> [Range<Int>] {
        if isWhole { return [0..<canvas.height] }
        let count = interlacing?.realRowCount(rowCount) ?? rowCount
        let end = min(max(rect.y + count, 0), canvas.height)
        return end > 0 && rowCount > 0 ? [0..<end] : []
    }

    private var gaps: InterlacedGaps {
        InterlacedGaps(
            interlacing: interlacing ?? RowInterlacing(height: 0), rowCount: rowCount, top: rect.y,
            visible: visible.rows)
    }
}

/// What an interlaced frame has not brought yet.
private struct InterlacedGaps {
    let interlacing: RowInterlacing
    /// Rows that came.
    let rowCount: Int
    /// The row of the canvas that is the frame's first.
    let top: Int
    /// Rows of the canvas that the frame covers.
    let visible: Range<Int>

    /// Clears the rows above and below the frame.
    func clearMargins(of bitmap: inout Bitmap, _ work: WorkGuard) throws(ImageError) {
        try bitmap.clearRows(0..<visible.lowerBound, work: work)
        try bitmap.clearRows(visible.upperBound..<bitmap.height, work: work)
    }

    /// Shows, where rows are missing, the row above that stands for them.
    func fill(in bitmap: inout Bitmap, _ work: WorkGuard) throws(ImageError) {
        try clearMargins(of: &bitmap, work)
        var work = work
        for y in visible {
            try work.spend(bitmap.bytesPerRow)
            let source = interlacing.source(ofRow: y - top, rowCount: rowCount).map { $0 + top }
            if source == y { continue }
            if let source, visible.contains(source) {
                bitmap.copyRow(source, to: y)
            } else {
                try bitmap.clearRows(y..<y + 1, work: work)
            }
        }
    }
}
