// Where decoders deliver finished rows: conversion into the result's format, scaling, and what has changed.
//
//   decoder ──row──▶ RowConverter ──────────────▶ Bitmap                    (one pass, the row still in cache)
//   decoder ──row──▶ RowConverter ──▶ RowScaler ──▶ (RowConverter) ──▶ Bitmap   (thumbnails)

/// Takes rows from a decoder, top to bottom, and builds the resulting bitmap.
///
/// A value: a copy is a checkpoint. The bitmap is in the file's orientation until ``result()`` turns it.
package struct RowSink: Sendable {
    /// What is to be delivered.
    package let plan: OutputPlan
    /// The size of the incoming picture: that of the file, unless the decoder itself reduces it.
    package let rowSize: PixelSize
    /// The pixels so far.
    package private(set) var bitmap: Bitmap
    /// Rows of the bitmap, from the top, that are written.
    package private(set) var filledRowCount = 0
    /// Incoming rows taken so far.
    package private(set) var rowCount = 0

    private let converter: RowConverter
    private let isDirect: Bool
    private var stage: ScalingStage?
    private var staging: ScratchBuffer?
    private let layoutBytesPerRow: Int
    private var changedRows: Range<Int>?
    private var partialPictures = PartialPictures()
    private let meter: MemoryMeter?

    /// Allocates the bitmap and whatever scaling needs; no row is cleared.
    ///
    /// - Parameters:
    ///   - plan: what is to be delivered.
    ///   - reduction: what the decoder itself reduces by: a pixel of the incoming rows stands for a square of so many
    ///     pixels of the file to a side.
    ///   - layout: what incoming rows hold.
    ///   - donor: a bitmap whose memory is reused when it fits and nobody else holds it; always taken.
    ///   - work: asked while tables are computed.
    package init(
        plan: OutputPlan, reduction: Int = 1, layout: SampleLayout, donor: inout Bitmap?, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        let rowSize = plan.sourceSize.reduced(by: reduction)
        self.plan = plan
        self.rowSize = rowSize
        self.meter = meter
        layoutBytesPerRow = layout.bytesPerRow(width: rowSize.width)
        let isScaled = rowSize != plan.targetSize
        let working: PixelFormat = layout.hasAlpha ? .bgraPremultiplied : .bgrx
        converter = RowConverter(from: layout, to: isScaled ? working : plan.format)
        isDirect = layout == .pixels(isScaled ? working : plan.format)
        bitmap = try Self.takeBitmap(&donor, size: plan.targetSize, format: plan.format, meter: meter)
        if isScaled {
            stage = try ScalingStage(
                sourceSize: plan.sourceSize, reduction: reduction, targetSize: plan.targetSize, working: working,
                output: plan.format, meter: meter, work: work)
        }
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    package mutating func makeUnique() throws(ImageError) {
        try bitmap.makeUnique()
        try stage?.makeUnique()
        try staging?.makeUnique()
    }

    /// A bitmap of `size` and `format`, in the donor's memory where possible.
    package static func takeBitmap(
        _ donor: inout Bitmap?, size: PixelSize, format: PixelFormat, meter: MemoryMeter?
    ) throws(ImageError) -> Bitmap {
        var candidate = donor.take()
        if let matches = candidate.map({ $0.size == size && $0.format == format }), matches,
            candidate?.isUniquelyReferenced() == true, let bitmap = candidate.take()
        {
            return bitmap
        }
        candidate = nil
        return try Bitmap(uninitialized: size, format: format, meter: meter)
    }

    /// Bytes that scaling from `sourceSize`, of which `reduction` is done, to `targetSize` holds besides the result.
    /// Saturates.
    package static func scalingByteCount(sourceSize: PixelSize, reduction: Int = 1, targetSize: PixelSize) -> Int {
        ScalingStage.byteCount(sourceSize: sourceSize, reduction: reduction, targetSize: targetSize)
    }

    /// Takes incoming row `y`, laid out as the sink was told.
    ///
    /// - Precondition: when scaling, rows come in order, each once; otherwise any row may come at any time.
    package mutating func write(_ row: RawSpan, y: Int) {
        rowCount = max(rowCount, y + 1)
        guard stage != nil else {
            bitmap.withMutableRow(y) { converter.convert(row, into: &$0, width: rowSize.width) }
            noteRows(y..<y + 1)
            return
        }
        scale(row, isWorking: isDirect)
    }

    /// Lets `fill` produce incoming rows itself, in the layout the sink was told: straight into the bitmap when
    /// nothing has to be converted, else into a buffer that is then written like any row.
    ///
    /// - Parameters:
    ///   - rows: The rows to be produced, in order.
    ///   - fill: Called for some of them at a time. Gets which, memory that begins with the first, and the distance
    ///     from one to the next: `layout.bytesPerRow(width:)` bytes or more, all of which may be written.
    package mutating func withDirectRows(
        _ rows: Range<Int>,
        _ fill: (_ rows: Range<Int>, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard !rows.isEmpty else { return }
        if stage == nil && isDirect {
            let bytesPerRow = bitmap.bytesPerRow
            try bitmap.withMutableRows(rows) { bytes throws(ImageError) in try fill(rows, &bytes, bytesPerRow) }
            rowCount = max(rowCount, rows.upperBound)
            noteRows(rows)
            return
        }
        var buffer: ScratchBuffer
        if let staged = staging.take() {
            buffer = staged
        } else {
            buffer = try ScratchBuffer(byteCount: layoutBytesPerRow, meter: meter)
        }
        let bytesPerRow = layoutBytesPerRow
        for y in rows {
            try buffer.withMutableBytes { bytes throws(ImageError) in try fill(y..<y + 1, &bytes, bytesPerRow) }
            buffer.withBytes { write($0, y: y) }
        }
        staging = buffer
    }

    /// Gives access to the unscaled bitmap, for decoders that do not work row by row.
    ///
    /// - Parameter rows: the rows `body` changes.
    package mutating func withBitmap<R, E: Error>(
        changing rows: Range<Int>, _ body: (inout Bitmap) throws(E) -> R
    ) throws(E) -> R {
        if !rows.isEmpty { changedRows.formUnion(rows) }
        return try body(&bitmap)
    }

    /// What changed since the last call, in pixels of the oriented result.
    package mutating func takeChanged() -> PixelRect? {
        takeChangedRows().map { plan.resultRect(ofRows: $0) }
    }

    /// The rows that changed since the last call, before orientation.
    package mutating func takeChangedRows() -> Range<Int>? { changedRows.take() }

    /// Ends an unfinished picture for good: rows that were not written show nothing.
    ///
    /// - Parameter work: asked every some rows.
    package mutating func clearUnfilledRows(work: WorkGuard) throws(ImageError) {
        try bitmap.clearRows(filledRowCount..<bitmap.height, work: work)
    }

    /// The picture in its final orientation, once no more rows come.
    package func result(work: WorkGuard) throws(ImageError) -> Bitmap {
        try bitmap.oriented(plan.orientation, meter: meter, work: work)
    }

    /// The picture so far, while more rows come; see ``PartialPictures``.
    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try partialPictures.next(
            bitmap, filledRowCount: filledRowCount, orientation: plan.orientation, meter: meter, work: work)
    }

    /// Gives back what only pictures of an unfinished decode need.
    package mutating func endPartialPictures() { partialPictures.removeAll() }

    private mutating func noteRows(_ rows: Range<Int>) {
        if rows.lowerBound <= filledRowCount { filledRowCount = max(filledRowCount, rows.upperBound) }
        changedRows.formUnion(rows)
        partialPictures.note(rows)
    }

    private mutating func scale(_ row: RawSpan, isWorking: Bool) {
        // Taken out for the call: the closure below writes to the rest of `self`.
        guard var scaling = stage.take() else { return }
        if isWorking {
            scaling.push(row) { y, pixels, finish in store(pixels, y, finish) }
        } else {
            scaling.convertAndPush(row, converter) { y, pixels, finish in store(pixels, y, finish) }
        }
        stage = scaling
    }

    private mutating func store(_ pixels: RawSpan, _ y: Int, _ finish: RowConverter) {
        bitmap.withMutableRow(y) { finish.convert(pixels, into: &$0, width: plan.targetSize.width) }
        noteRows(y..<y + 1)
    }
}
