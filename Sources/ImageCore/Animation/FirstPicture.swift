// The first frame as the picture of the file: straight into the result, or into the scaler, without a canvas.
//
//   row of the frame ──▶ RowSink                             if the frame covers the canvas
//   row of the frame ──▶ RGBA between margins ──▶ RowSink    if it does not

/// Delivers the rows of the first frame of a file, which may be its only one.
package struct FirstPicture: Sendable {
    package private(set) var sink: RowSink
    /// Rows of the frame that came.
    package private(set) var rowCount = 0
    /// Whether no more rows come.
    private var isEnded = false
    private let rect: PixelRect
    private let visible: PixelRect
    private let canvas: PixelSize
    /// The order of the rows of an interlaced frame.
    package let passes: RowInterlacing?
    /// What puts rows of the frame between margins, if it does not cover the canvas.
    private var margins: Margins?

    /// Rows of a frame that does not cover the canvas.
    private struct Margins: Sendable {
        /// A row of the canvas, transparent beside the frame, and after it one of the frame.
        var row: ScratchBuffer
        let converter: RowConverter
    }

    /// What the rows of a first picture are delivered as.
    ///
    /// - Parameters:
    ///   - layout: what the rows of the frame hold.
    ///   - rect: where it lies.
    ///   - canvas: width and height.
    package static func layout(_ layout: SampleLayout, _ rect: PixelRect, canvas: PixelSize) -> SampleLayout {
        covers(rect, canvas) ? layout : .pixels(.rgba)
    }

    /// Whether the rows of the frame can be delivered as they come: columns left of the canvas would have to be cut off.
    private static func covers(_ rect: PixelRect, _ canvas: PixelSize) -> Bool {
        rect.clipped(to: canvas) == PixelRect(canvas) && rect.x == 0
    }

    /// Makes the result. Not an initialiser: those copy large values when they hand them over, reference by reference.
    ///
    /// - Parameters:
    ///   - rows: how the rows of the frame come.
    ///   - rect: where it lies.
    ///   - plan: what is to be delivered.
    ///   - echo: the pixel format of a canvas that is made of the same rows; `nil` for none.
    ///   - reusable: a bitmap whose memory is reused if it fits and nobody else holds it; always taken.
    ///   - work: asked while tables are computed, and for every row above the frame.
    package static func make(
        _ rows: SubFrameRows, _ rect: PixelRect, plan: OutputPlan, echo: PixelFormat?, reusable: inout Bitmap?,
        meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> FirstPicture {
        let canvas = plan.sourceSize
        let visible = rect.clipped(to: canvas)
        let sink = try RowSink(
            plan: plan, layout: layout(rows.layout, rect, canvas: canvas),
            order: rows.passes == nil ? .topToBottom : .passes, echo: echo, reusable: &reusable, meter: meter,
            work: work)
        guard !covers(rect, canvas) else {
            return FirstPicture(sink: consume sink, rect: rect, visible: visible, canvas: canvas, passes: rows.passes)
        }
        let margins = Margins(
            row: try ScratchBuffer(byteCount: byteCount(canvas: canvas, rect: rect), filledWith: 0, meter: meter),
            converter: RowConverter(from: rows.layout, to: .rgba))
        // Handed over: rows are written at once, and what is held here too would be copied for them.
        var picture = FirstPicture(
            sink: consume sink, rect: rect, visible: visible, canvas: canvas, passes: rows.passes,
            margins: consume margins)
        if rows.passes == nil { try picture.writeBlankRows(0..<visible.y, work) }
        return picture
    }

    /// The most memory that it takes besides the sink. Saturates.
    package static func byteCount(canvas: PixelSize, rect: PixelRect) -> Int {
        canvas.width.addingSaturated(rect.width).multipliedSaturated(by: 4)
    }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        guard !isEnded else { return }
        try sink.makeUnique()
        try margins?.row.makeUnique()
    }

    /// Takes rows that lie one after another, the first as number `index` in the order of the file.
    package mutating func write(_ rows: RawSpan, bytesPerRow: Int, from index: Int) {
        let count = rows.byteCount / bytesPerRow
        rowCount = index + count
        let places = Places(passes: passes, top: rect.y, visible: visible.rows)
        guard margins != nil, var margins = margins.take() else {
            return sink.write(rows, bytesPerRow: bytesPerRow) { places[index + $0] }
        }
        for number in 0..<count where places[index + number] != nil {
            fill(&margins, rows.extracting(number * bytesPerRow..<(number + 1) * bytesPerRow))
            margins.row.withBytes(0..<canvas.width * 4) {
                sink.write($0, bytesPerRow: $0.byteCount) { _ in places[index + number] }
            }
        }
        self.margins = margins
    }

    /// Lets the row that comes as number `index` be made in the picture, if its rows go there as they are.
    ///
    /// - Parameter fill: called with the row's bytes.
    /// - Returns: whether it was called.
    mutating func placeRow(_ index: Int, _ fill: (inout MutableRawSpan) -> Void) -> Bool {
        guard passes == nil, margins == nil, visible.rows.contains(rect.y + index),
            sink.placeRow(rect.y + index, fill)
        else { return false }
        rowCount = index + 1
        return true
    }

    /// Where the rows of the frame go.
    private struct Places {
        let passes: RowInterlacing?
        /// The row of the canvas that is the frame's first.
        let top: Int
        /// Rows of the canvas that the frame covers.
        let visible: Range<Int>

        /// The row of the canvas for the row that comes as number `index`, and those that show it for now; `nil` if it is not to be seen.
        subscript(_ index: Int) -> RowSink.Place? {
            let place = passes?.row(index) ?? (y: index, shownRows: index..<index + 1)
            guard visible.contains(top + place.y) else { return nil }
            let shown = top + place.shownRows.lowerBound..<top + place.shownRows.upperBound
            return RowSink.Place(y: top + place.y, shownRows: shown.clamped(to: visible))
        }
    }

    /// Writes the visible pixels of a row of the frame to where they are on the canvas.
    private func fill(_ margins: inout Margins, _ pixels: RawSpan) {
        let start = canvas.width * 4
        let skipped = visible.x - rect.x
        let columns = skipped + visible.width
        margins.row.withMutableBytes(start..<start + columns * 4) { [converter = margins.converter] in
            converter.convert(pixels, into: &$0, width: columns)
        }
        margins.row.withMutableBytes { $0.move(from: start + skipped * 4, to: visible.x * 4, count: visible.width * 4) }
    }

    /// Rows of the canvas that the frame leaves free.
    private mutating func writeBlankRows(_ rows: Range<Int>, _ work: WorkGuard) throws(ImageError) {
        guard !rows.isEmpty, let row = margins?.row else { return }
        var work = work
        for y in rows {
            try work.spend(canvas.width * 4)
            // Zero but for the columns of the frame, which no row was written to yet, or none will any more.
            row.withBytes(0..<canvas.width * 4) { sink.write($0, y: y) }
        }
    }

    /// Whether there is something of the frame to be seen.
    package var hasRows: Bool { rowCount > 0 && sink.hasPixels }

    /// What changed in the picture since the last call.
    package mutating func drainChanges() -> PixelRect? { hasRows || isEnded ? sink.drainChanges() : nil }

    /// Frees the memory that only pictures of an unfinished decode need.
    package mutating func endPictures() { sink.endPartialPictures() }

    /// Changes how the picture has to be turned, after its rows came.
    package mutating func replan(_ plan: OutputPlan) { sink.replan(plan) }

    /// Ends the frame.
    ///
    /// - Parameter isWhole: whether every row came; otherwise rows that are missing show nothing, or of an interlaced frame
    ///   their neighbours.
    package mutating func end(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        guard !isEnded else { return }
        isEnded = true
        if passes != nil {
            // Without margins, and with all rows, there are none.
            if !isWhole || margins != nil { try sink.fillGaps(gaps, work: work) }
        } else if isWhole {
            let byteCount = canvas.width * 4
            margins?.row.fill(0..<byteCount, with: 0)
            try writeBlankRows(visible.rows.upperBound..<canvas.height, work)
        } else {
            try sink.clearUnfilledRows(work: work)
        }
    }

    /// The canvas that shows this frame, made of the same rows; `nil` if they are not here any more.
    package mutating func handOverCanvas(
        _ format: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap? {
        // Gaps of an interlaced frame show neighbours in the picture, and nothing on the canvas.
        let mayShowBitmap = passes == nil || rowCount == rect.height
        return try sink.handOverCanvas(format, mayShowBitmap: mayShowBitmap, meter: meter, work: work)
    }

    /// The picture so far.
    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink.partialPicture(work: work, filling: gaps)
    }

    /// Rows of the frame, from its top, that came.
    package var topRowCount: Int { passes?.decodedRowCount(rowCount) ?? rowCount }

    /// Rows of the canvas, from the top, that are decoded.
    ///
    /// - Parameter isWhole: whether every row of the frame came.
    package func decodedRows(isWhole: Bool) -> [Range<Int>] {
        if isWhole { return [0..<canvas.height] }
        let end = min(max(rect.y + topRowCount, 0), canvas.height)
        return end > 0 && rowCount > 0 ? [0..<end] : []
    }

    private var gaps: InterlacedGaps {
        InterlacedGaps(passes: passes, rowCount: rowCount, top: rect.y, visible: visible.rows)
    }
}

/// Says what shows in rows that an interlaced frame has not brought yet.
private struct InterlacedGaps: GapFilling {
    let passes: RowInterlacing?
    /// Rows that came.
    let rowCount: Int
    /// The row of the canvas that is the frame's first.
    let top: Int
    /// Rows of the canvas that the frame covers.
    let visible: Range<Int>

    /// A row that came, or the one above that stands for it; nothing above and below the frame.
    func rowShown(at y: Int) -> ShownRow {
        guard visible.contains(y), let source = passes?.source(ofRow: y - top, rowCount: rowCount),
            visible.contains(source + top)
        else { return .blank }
        return .pixels(ofRow: source + top, columnStep: 1)
    }
}
