// The rows of one sub-frame onto the canvas: conversion, clipping and blending.
//
//   row of the file ──convert──▶ the canvas's format ──clip──▶ put in place of the canvas's pixels, or laid over them
//   rows in passes  ──collect──▶ the whole sub-frame ──────▶ the same, when it is complete

/// Draws one sub-frame.
package struct FramePainter: FrameRows, Sendable {
    /// The canvas.
    package private(set) var bitmap: Bitmap
    /// Rows of the canvas that were drawn on since the last ``drainChanges()``.
    private var changedRows: Range<Int>?
    /// Rows of the sub-frame, from the top, that were drawn.
    package private(set) var rowCount = 0
    private let rect: PixelRect
    private let visible: PixelRect
    private let passes: RowInterlacing?
    private let replaces: Bool
    private let isStraight: Bool
    /// Whether rows may have colours under transparent pixels, which frames do not have.
    private let hidesColors: Bool
    private let converter: RowConverter
    /// A converted row of the sub-frame, as far as it is on the canvas.
    private var row: ScratchBuffer
    /// Collects the rows of a frame whose pixels come in passes.
    private var collected: RowSink?

    /// - Parameters:
    ///   - rect: where the sub-frame lies.
    ///   - visible: the part of that on the canvas.
    ///   - replaces: whether its pixels take the place of what is there; otherwise they are laid over it.
    ///   - spareRow: memory for a row, if there is some from the frame before.
    package init(
        on canvas: consuming Bitmap, rect: PixelRect, visible: PixelRect, replaces: Bool, _ rows: SubFrameRows,
        spareRow: consuming ScratchBuffer? = nil, meter: MemoryMeter?
    ) throws(ImageError) {
        bitmap = canvas
        isStraight = bitmap.format == .rgba
        hidesColors = isStraight && rows.layout.hasAlpha
        self.rect = rect
        self.visible = visible
        self.replaces = replaces
        passes = rows.passes
        let isCollected = rows.order == .passes
        converter = RowConverter(
            from: isCollected ? .pixels(bitmap.format) : rows.layout, to: bitmap.format)
        // As wide as the canvas, so that it serves every frame on it.
        let rowByteCount = max(bitmap.width, visible.x - rect.x + visible.width) * 4
        var ownRow: ScratchBuffer? = spareRow.take()
        if let spare = ownRow, spare.byteCount < rowByteCount { ownRow = nil }
        if ownRow?.isUnique() != true { ownRow = nil }
        if let ownRow { row = ownRow } else { row = try ScratchBuffer(byteCount: rowByteCount, meter: meter) }
        guard isCollected else { return }
        var reusable: Bitmap?
        collected = try RowSink(
            plan: OutputPlan(unscaled: rect.size, format: bitmap.format), layout: rows.layout, order: .passes,
            reusable: &reusable, meter: meter,
            work: .unlimited)
    }

    /// The most memory that drawing a sub-frame takes besides the canvas and a row of it. Saturates.
    package static func byteCount(_ size: PixelSize, order: RowOrder) -> Int {
        guard order == .passes else { return 0 }
        return (Bitmap.byteCount(size: size, format: .bgraPremultiplied) ?? .max)
            .addingSaturated(size.width.multipliedSaturated(by: 4))
    }

    /// Width and height of the sub-frame.
    package var frameSize: PixelSize { rect.size }

    /// Makes the buffers this value's own, so that drawing does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        try bitmap.makeUnique()
        try row.makeUnique()
        try collected?.makeUnique()
    }

    /// Takes the row that comes as number `index`.
    package mutating func write(_ row: RawSpan, index: Int) {
        write(row, y: passes?.row(index).y ?? index)
        rowCount = passes?.decodedRowCount(index + 1) ?? index + 1
    }

    /// Takes row `y` of the sub-frame; rows may come in any order, each once.
    private mutating func write(_ pixels: RawSpan, y: Int) {
        let target = rect.y + y
        guard target >= visible.y, target < visible.y + visible.height else { return }
        let columns = visible.x..<visible.x + visible.width
        changedRows.formUnion(target..<target + 1)
        if replaces, visible.x == rect.x {
            bitmap.withMutablePixels(columns, ofRow: target) { [converter, hidesColors] in
                converter.convert(pixels, into: &$0, width: columns.count)
                if hidesColors { BlendKernels.hideColors(&$0, count: columns.count) }
            }
            return
        }
        // Columns left of the canvas are converted too; those right of it are not.
        let skipped = visible.x - rect.x
        row.withMutableBytes { [converter, hidesColors] in
            converter.convert(pixels, into: &$0, width: skipped + columns.count)
            if hidesColors { BlendKernels.hideColors(&$0, count: skipped + columns.count) }
        }
        row.withBytes(skipped * 4..<(skipped + columns.count) * 4) { source in
            bitmap.withMutablePixels(columns, ofRow: target) { [replaces, isStraight] canvas in
                if replaces {
                    canvas.copy(source)
                } else if isStraight {
                    BlendKernels.layOverStraight(source, on: &canvas, count: columns.count)
                } else {
                    BlendKernels.layOver(source, on: &canvas, count: columns.count)
                }
            }
        }
    }

    /// Takes the pixels that a pass brings for one row.
    ///
    /// - Precondition: rows come in passes, and the pixels lie in the sub-frame.
    package mutating func write(_ pixels: RawSpan, at place: PassRow) { collected?.write(pixels, at: place) }

    /// Draws what was collected; called when no more rows come.
    ///
    /// - Parameter isWhole: whether every row came; of passes that end early nothing is drawn.
    package mutating func finish(isWhole: Bool, work: inout WorkGuard) throws(ImageError) {
        guard let whole = collected?.bitmap else { return }
        collected = nil
        guard isWhole else { return }
        for y in 0..<whole.height {
            try work.spend(4 * whole.width)
            whole.withRowBytes(y) { write($0, y: y) }
        }
        rowCount = whole.height
    }

    /// The rows of the canvas that were drawn on since the last call.
    package mutating func drainChanges() -> Range<Int>? { changedRows.take() }

    /// The canvas, taken away from the painter.
    package consuming func handOverBitmap() -> Bitmap { bitmap }

    /// The canvas, and the memory of a row for the painter of the next frame.
    consuming func handOverMemory() -> (bitmap: Bitmap, row: ScratchBuffer) { (bitmap, row) }
}
