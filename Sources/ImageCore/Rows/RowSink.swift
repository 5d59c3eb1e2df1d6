// Where decoders deliver finished rows: conversion into the result's format, scaling, and what has changed.
//
//   decoder ──row──▶ RowConverter ──────────────▶ Bitmap                    (one pass, the row still in cache)
//   decoder ──row──▶ RowConverter ──▶ RowScaler ──▶ (RowConverter) ──▶ Bitmap   (thumbnails)
//   decoder ──row──▶ RowConverter ──▶ (RowScaler) ──▶ RowReceiver                (an encoder takes the rows)
//   decoder ──pass row──▶ RowConverter ──▶ Bitmap                                (interlaced)
//   decoder ──pass row──▶ CollectedSamples ──all rows──▶ RowScaler ──▶ Bitmap    (thumbnails of interlaced pictures)

/// Takes rows from a decoder, top to bottom or in passes, and builds the resulting bitmap.
///
/// Rows from the top are converted and scaled as they come. What comes in passes goes to the bitmap too, unless it is to
/// be scaled: then it is collected as the file has it, and scaled and converted by ``result(work:)``. If the plan is
/// replaced after the rows came, the result is made from the bitmap.
///
/// A value: a copy is a checkpoint. The bitmap is in the file's orientation until ``result(work:)`` turns it.
package struct RowSink: Sendable {
    /// What is to be delivered.
    package private(set) var plan: OutputPlan
    /// The size of the incoming picture: that of the file, unless the decoder itself reduces it.
    package let rowSize: PixelSize
    /// The pixels so far; empty if they are collected to be scaled.
    package private(set) var bitmap: Bitmap
    /// Rows of the bitmap, from the top, that are written.
    package private(set) var filledRowCount = 0
    /// Incoming rows from the top to the lowest that was taken.
    package private(set) var rowCount = 0

    private let order: RowOrder
    private let converter: RowConverter
    private let isDirect: Bool
    private var destination = Destination.bitmap
    /// A row that is produced in place, if it has to be converted.
    private var staging: ScratchBuffer?
    private let layoutBytesPerRow: Int
    private var changedRows: Range<Int>?
    private var replanning = Replanning.none
    private var partialPictures = PartialPictures()
    /// A second sink of the same rows, for the canvas of an animation; at most one.
    private var echo: [RowSink] = []
    private let meter: MemoryMeter?

    /// Where rows go. What is large is behind a reference, so that a sink for the usual case is small.
    private enum Destination: Sendable {
        /// To the bitmap, row by row.
        case bitmap
        /// Through the scaler to the bitmap.
        case scaled(Indirect<ScalingStage>)
        /// To the plan's receiver, through the scaler if there is one.
        case receiver(Indirect<OutgoingRows>, Indirect<ScalingStage>?)
        /// Pixels of passes: to the bitmap, by way of a buffer for those of one row, side by side.
        case passes(ScratchBuffer)
        /// Pixels of passes that are to be scaled: they are collected. What shows in place of those that are missing is set once no
        /// more come.
        case samples(Indirect<CollectedSamples>, gaps: AnyGapFilling?)

        mutating func makeUnique() throws(ImageError) {
            switch self {
            case .bitmap: break
            case .scaled(var stage):
                self = .bitmap
                defer { self = .scaled(stage) }
                try stage.value.makeUnique()
            case .receiver(var rows, var stage):
                self = .bitmap
                defer { self = .receiver(rows, stage) }
                try rows.value.makeUnique()
                try stage?.value.makeUnique()
            case .passes(var row):
                self = .bitmap
                defer { self = .passes(row) }
                try row.makeUnique()
            case .samples(var samples, let gaps):
                self = .bitmap
                defer { self = .samples(samples, gaps: gaps) }
                try samples.value.makeUnique()
            }
        }
    }

    /// Whether the rows were delivered for another plan than that of the result.
    private enum Replanning: Sendable {
        case none
        /// The plan was replaced since the last ``drainChanges()``.
        case unreported
        case reported
    }
}

extension RowSink {
    /// Allocates the bitmap and whatever scaling needs; no row is cleared.
    ///
    /// - Parameters:
    ///   - plan: what is to be delivered.
    ///   - reduction: what the decoder itself reduces by: a pixel of the incoming rows stands for a square of this many
    ///     pixels of the file to a side.
    ///   - layout: what incoming rows hold.
    ///   - order: how they come.
    ///   - echo: the format of a second bitmap, neither scaled nor turned, that is made of the same rows; see ``handOverCanvas(_:mayShowBitmap:meter:work:)``.
    ///   - reusable: a bitmap whose memory is reused when it fits and nobody else holds it; always taken.
    ///   - work: asked while tables are computed.
    package init(
        plan: OutputPlan, reduction: Int = 1, layout: SampleLayout, order: RowOrder = .topToBottom,
        echo: PixelFormat? = nil, reusable: inout Bitmap?, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        var echoes: [RowSink] = []
        if let echo {
            var nothing: Bitmap?
            var second = try RowSink(
                plan: OutputPlan(unscaled: plan.sourceSize, format: echo), layout: layout, order: order,
                reusable: &nothing, meter: meter, work: work)
            // Passes that end early leave gaps anywhere.
            if order == .passes { try second.bitmap.clearRows(0..<second.bitmap.height, work: work) }
            echoes = [second]
        }
        let rowSize = plan.sourceSize.reduced(by: reduction)
        let rowFormat = plan.rowFormat(layout, rowSize: rowSize)
        var reusable = reusable.take() ?? .empty
        var bitmap = Bitmap.empty
        var destination = Destination.bitmap
        switch order {
        case .topToBottom:
            let outgoing = try OutgoingRows(plan, meter: meter).map { Indirect($0) }
            if outgoing == nil {
                bitmap = try Bitmap(reusing: &reusable, size: plan.targetSize, format: plan.format, meter: meter)
            }
            var stage: Indirect<ScalingStage>?
            if rowSize != plan.targetSize {
                stage = Indirect(
                    try ScalingStage(
                        sourceSize: plan.sourceSize, reduction: reduction, targetSize: plan.targetSize,
                        working: rowFormat, output: plan.format, scaling: plan.scaling, meter: meter, work: work))
            }
            if let outgoing {
                destination = .receiver(outgoing, stage)
            } else if let stage {
                destination = .scaled(stage)
            }
        case .passes where rowSize != plan.targetSize:
            reusable = .empty
            let samples = try CollectedSamples(size: rowSize, layout: layout, working: rowFormat, meter: meter)
            destination = .samples(Indirect(samples), gaps: nil)
        case .passes:
            bitmap = try Bitmap(reusing: &reusable, size: rowSize, format: rowFormat, meter: meter)
            destination = .passes(
                try ScratchBuffer(
                    byteCount: Self.passRowByteCount(width: rowSize.width, format: rowFormat), meter: meter))
        }
        // All at once: a value that is made member by member is copied when it is whole.
        self = RowSink(
            plan: plan, rowSize: rowSize, bitmap: bitmap, order: order,
            converter: RowConverter(from: layout, to: rowFormat), isDirect: layout == .pixels(rowFormat),
            destination: destination, layoutBytesPerRow: layout.bytesPerRow(width: rowSize.width), echo: echoes,
            meter: meter)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    package mutating func makeUnique() throws(ImageError) {
        try bitmap.makeUnique()
        try destination.makeUnique()
        try staging?.makeUnique()
        if !echo.isEmpty { try echo[0].makeUnique() }
    }

    /// The rows as the canvas of an animation: neither scaled nor turned, without colors under transparent pixels, and
    /// transparent if they did not come.
    ///
    /// - Parameters:
    ///   - format: of the canvas.
    ///   - mayShowBitmap: whether the result holds what came and nothing else.
    /// - Returns: `nil` if there is no second bitmap of the format, and the result is of another kind.
    package mutating func handOverCanvas(
        _ format: PixelFormat, mayShowBitmap: Bool, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap? {
        var canvas: Bitmap
        if var second = echo.popLast() {
            // A picture that turned out to be turned may be scaled, and its canvas have another format.
            guard second.bitmap.format == format else { return nil }
            if order == .topToBottom { try second.clearUnfilledRows(work: work) }
            canvas = second.bitmap
        } else if plan.hasPixels(of: format), mayShowBitmap, replanning == .none {
            canvas = bitmap
        } else {
            return nil
        }
        if canvas.format != format {
            canvas = try canvas.converted(to: format, meter: meter, work: work)
            // Rows of an opaque picture that did not come are black.
            if order == .topToBottom { try canvas.clearRows(filledRowCount..<canvas.height, work: work) }
        }
        if format.alpha == .straight { try canvas.hideColors(work: work) }
        return canvas
    }

    /// Bytes that scaling from `sourceSize`, of which `reduction` is done, to `targetSize` holds besides the result.
    /// Saturates.
    package static func scalingByteCount(
        sourceSize: PixelSize, reduction: Int = 1, targetSize: PixelSize, scaling: DecodingOptions.Scaling
    ) -> Int {
        ScalingStage.byteCount(sourceSize: sourceSize, reduction: reduction, targetSize: targetSize, scaling: scaling)
    }

    /// Bytes of a buffer for one row of a pass. Saturates.
    static func passRowByteCount(width: Int, format: PixelFormat) -> Int {
        width.multipliedSaturated(by: format.bytesPerPixel)
    }

    /// Takes incoming row `y`, laid out as the sink was set up for.
    ///
    /// - Precondition: when scaling, rows come in order, each once; otherwise any row may come at any time.
    package mutating func write(_ row: RawSpan, y: Int) {
        if case .samples = destination {
            let place = PassRow(y: y, x: 0, columnStep: 1, width: rowSize.width, shownRows: y..<y + 1)
            return write(row, at: place)
        }
        rowCount = max(rowCount, y + 1)
        if !echo.isEmpty { echo[0].write(row, y: y) }
        switch destination {
        case .bitmap, .passes, .samples: store(row, y, converter)
        case .scaled(var stage):
            // Out of its place for the call: the closure below writes to the rest of `self`.
            destination = .bitmap
            scale(row, &stage.value) { sink, y, pixels, finish in sink.store(pixels, y, finish) }
            destination = .scaled(stage)
        case .receiver(var rows, var stage):
            destination = .bitmap
            if var scaling = stage.take() {
                scale(row, &scaling.value) { sink, y, pixels, finish in
                    rows.value.add(pixels, y: y, finish)
                    sink.recordRows(y..<y + 1)
                }
                stage = scaling
            } else {
                rows.value.add(row, y: y, converter)
                recordRows(y..<y + 1)
            }
            destination = .receiver(rows, stage)
        }
    }

    /// Where a whole row goes.
    package struct Place {
        /// The row of the picture.
        package let y: Int
        /// Rows of the picture that show it for now, `y` among them; without passes there is no other.
        package let shownRows: Range<Int>

        package init(y: Int, shownRows: Range<Int>) { (self.y, self.shownRows) = (y, shownRows) }
    }

    /// Takes whole rows that lie one after another, laid out as the sink was set up for.
    ///
    /// - Parameters:
    ///   - bytesPerRow: from one row to the next; of the last one less may be there.
    ///   - place: where each goes; `nil` if it is left out.
    /// - Precondition: as for one row.
    package mutating func write(_ rows: RawSpan, bytesPerRow: Int, _ place: (_ number: Int) -> Place?) {
        let isPlain = writesBitmap && echo.isEmpty
        for (number, start) in stride(from: 0, to: rows.byteCount, by: bytesPerRow).enumerated() {
            guard let place = place(number) else { continue }
            let row = rows.extracting(start..<min(start + bytesPerRow, rows.byteCount))
            if !isPlain {
                write(row, to: place)
                continue
            }
            bitmap.withMutableRowBytes(place.y) { converter.convert(row, into: &$0, width: rowSize.width) }
            rowCount = max(rowCount, place.y + 1)
            if order == .passes {
                changedRows.formUnion(place.shownRows)
            } else {
                recordRows(place.shownRows)
            }
        }
    }

    private mutating func write(_ row: RawSpan, to place: Place) {
        guard order == .passes else { return write(row, y: place.y) }
        write(row, at: PassRow(y: place.y, x: 0, columnStep: 1, width: rowSize.width, shownRows: place.shownRows))
    }

    /// Takes the pixels that a pass brings for one row, side by side, laid out as the sink was set up for.
    ///
    /// - Precondition: the sink was made for passes, and the pixels lie in the picture.
    package mutating func write(_ pixels: RawSpan, at place: PassRow) {
        precondition(order == .passes, "a row of a pass for a picture without")
        if !echo.isEmpty { echo[0].write(pixels, at: place) }
        rowCount = max(rowCount, place.y + 1)
        changedRows.formUnion(place.shownRows)
        if case .samples(var samples, let gaps) = destination {
            destination = .bitmap
            samples.value.write(pixels, at: place)
            destination = .samples(samples, gaps: gaps)
            return
        }
        let converter = converter
        guard place.columnStep > 1 || place.x > 0, case .passes(var buffer) = destination else {
            bitmap.withMutableRowBytes(place.y) { converter.convert(pixels, into: &$0, width: place.width) }
            return
        }
        destination = .bitmap
        buffer.withMutableBytes { converter.convert(pixels, into: &$0, width: place.width) }
        buffer.withBytes { converted in
            bitmap.withMutableRowBytes(place.y) {
                ScatterKernels.scatter(
                    converted, into: &$0, start: place.x, step: place.columnStep, count: place.width,
                    bytesPerPixel: converter.format.bytesPerPixel)
            }
        }
        destination = .passes(buffer)
    }

    /// Lets `fill` produce incoming rows itself, in the layout the sink was set up for: straight into the bitmap when
    /// nothing has to be converted and what is between rows is the bitmap's, else into a buffer that is then written like
    /// any row.
    ///
    /// - Parameters:
    ///   - rows: The rows to be produced, in order.
    ///   - fill: Called for some of them at a time. Gets which, memory that begins with the first, and the distance
    ///     from one to the next: `layout.bytesPerRow(width:)` bytes or more, all of which may be written.
    package mutating func withDirectRows(
        _ rows: Range<Int>,
        _ fill: (_ rows: Range<Int>, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) throws(ImageError) -> Void
    ) throws(ImageError) {
        precondition(echo.isEmpty, "rows that are produced in place have no echo")
        guard !rows.isEmpty else { return }
        if isDirect && writesBitmap && bitmap.ownsPadding {
            let bytesPerRow = bitmap.bytesPerRow
            try bitmap.withMutableRows(rows) { bytes throws(ImageError) in try fill(rows, &bytes, bytesPerRow) }
            rowCount = max(rowCount, rows.upperBound)
            recordRows(rows)
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

    /// Lets `fill` make row `y` in the bitmap if it goes there as it is: nothing is converted, scaled, or wanted twice.
    ///
    /// - Parameter fill: called with the row's bytes.
    /// - Returns: whether it was called.
    package mutating func placeRow(_ y: Int, _ fill: (inout MutableRawSpan) -> Void) -> Bool {
        guard isDirect, writesBitmap, order == .topToBottom, echo.isEmpty else { return false }
        bitmap.withMutableRowBytes(y) { fill(&$0) }
        rowCount = max(rowCount, y + 1)
        recordRows(y..<y + 1)
        return true
    }

    /// Replaces the plan after the rows have come, because the file states its orientation after the pixels.
    ///
    /// Rows were delivered for the plan so far; from that bitmap the result is scaled, converted and turned.
    package mutating func replan(_ plan: OutputPlan) {
        guard plan != self.plan else { return }
        self.plan = plan
        replanning = .unreported
        partialPictures.removeAll()
    }

    /// Whether a row of the result was written; of a thumbnail that is some rows of the file later.
    package var hasPixels: Bool { order == .passes ? rowCount > 0 : filledRowCount > 0 }

    /// What changed since the last call, in pixels of the oriented result: all of it where that is scaled at the end.
    package mutating func drainChanges() -> PixelRect? {
        let rows = changedRows.take()
        defer { if replanning == .unreported { replanning = .reported } }
        if replanning == .unreported || (rows != nil && collectedSize != plan.targetSize) {
            return PixelRect(plan.resultSize)
        }
        return rows.map { plan.resultRect(ofRows: $0) }
    }

    /// The size of what is kept so far.
    private var collectedSize: PixelSize {
        if case .samples(let samples, _) = destination { samples.value.size } else { bitmap.size }
    }

    /// Ends an unfinished picture for good: rows that were not written show nothing.
    ///
    /// - Parameter work: asked every some rows.
    package mutating func clearUnfilledRows(work: WorkGuard) throws(ImageError) {
        if case .receiver(var rows, let stage) = destination {
            destination = .bitmap
            defer { destination = .receiver(rows, stage) }
            return try rows.value.end(missing: filledRowCount..<plan.targetSize.height, work: work)
        }
        try bitmap.clearRows(filledRowCount..<bitmap.height, work: work)
    }

    /// Ends a picture that came in passes for good: `gaps` says what shows where pixels are missing.
    ///
    /// - Parameter work: asked every some rows.
    package mutating func fillGaps(_ gaps: any GapFilling, work: WorkGuard) throws(ImageError) {
        if case .samples(let samples, _) = destination {
            destination = .samples(samples, gaps: AnyGapFilling(gaps))
        } else {
            try bitmap.fillGaps(gaps, work: work)
        }
    }

    /// The picture as it was planned, once no more rows come.
    package func result(work: WorkGuard) throws(ImageError) -> Bitmap {
        if case .samples(let samples, let gaps) = destination {
            return try deliver(samples.value, filling: gaps, work)
        }
        return try deliver(bitmap, work)
    }

    /// Scales, converts and turns samples that were collected.
    private func deliver(
        _ samples: CollectedSamples, filling gaps: (any GapFilling)?, _ work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        try samples.picture(plan, filling: gaps, meter: meter, work: work)
            .oriented(plan.orientation, meter: meter, work: work)
    }

    /// Scales, converts and turns what the bitmap holds, as far as that was not done row by row.
    private func deliver(_ collected: Bitmap, _ work: WorkGuard) throws(ImageError) -> Bitmap {
        guard plan.receiver == nil else { return .empty }
        var picture = collected
        if picture.size != plan.targetSize {
            picture = try picture.scaled(to: plan.targetSize, meter: meter, work: work)
        }
        if picture.format != plan.format { picture = try picture.converted(to: plan.format, meter: meter, work: work) }
        return try picture.oriented(plan.orientation, meter: meter, work: work)
    }

    /// Whether a picture of an unfinished decode has to be made as a whole: pixels that are missing show their
    /// neighbours, or the result is scaled or turned again at the end.
    package var hasCostlyPartialPictures: Bool { order == .passes || replanning != .none }

    /// The picture so far, while more rows come; see ``PartialPictures`` for those that are not made as a whole.
    ///
    /// - Parameter gaps: for what comes in passes: what shows where pixels are missing so far.
    package mutating func partialPicture(
        work: WorkGuard, filling gaps: (any GapFilling)? = nil
    ) throws(ImageError) -> Bitmap {
        if case .samples(let samples, let ownGaps) = destination {
            return try deliver(samples.value, filling: gaps ?? ownGaps, work)
        }
        guard hasCostlyPartialPictures else {
            return try partialPictures.next(
                bitmap, filledRowCount: filledRowCount, orientation: plan.orientation, meter: meter, work: work)
        }
        var picture = try Bitmap(uninitialized: bitmap.size, format: bitmap.format, meter: meter)
        if order == .passes {
            try picture.copyRows(0..<picture.height, of: bitmap, .up, work: work)
            if let gaps { try picture.fillGaps(gaps, work: work) }
        } else {
            try picture.copyRows(0..<filledRowCount, of: bitmap, .up, work: work)
            try picture.clearRows(filledRowCount..<picture.height, work: work)
        }
        return try deliver(picture, work)
    }

    /// Gives back what only pictures of an unfinished decode need.
    package mutating func endPartialPictures() { partialPictures.removeAll() }

    private mutating func recordRows(_ rows: Range<Int>) {
        if rows.lowerBound <= filledRowCount { filledRowCount = max(filledRowCount, rows.upperBound) }
        changedRows.formUnion(rows)
        partialPictures.record(rows)
    }

    /// Whether rows go to the bitmap as they are, or converted.
    private var writesBitmap: Bool {
        switch destination {
        case .bitmap, .passes: true
        case .scaled, .receiver, .samples: false
        }
    }

    /// Scales a row; `emit` gets the rows of the result that are finished.
    private mutating func scale(
        _ row: RawSpan, _ stage: inout ScalingStage,
        _ emit: (_ sink: inout RowSink, _ y: Int, _ pixels: RawSpan, _ finish: RowConverter) -> Void
    ) {
        if isDirect {
            stage.push(row) { y, pixels, finish in emit(&self, y, pixels, finish) }
        } else {
            stage.convertAndPush(row, converter) { y, pixels, finish in emit(&self, y, pixels, finish) }
        }
    }

    /// Converts a row of the result into the bitmap.
    private mutating func store(_ pixels: RawSpan, _ y: Int, _ finish: RowConverter) {
        bitmap.withMutableRowBytes(y) { finish.convert(pixels, into: &$0, width: plan.targetSize.width) }
        recordRows(y..<y + 1)
    }
}

extension OutputPlan {
    /// Whether the result, before it is turned, has every pixel of a canvas in `format`.
    package func hasPixels(of format: PixelFormat) -> Bool {
        let isOpaque = self.format == .bgrx && !hasAlpha
        return !isScaled && (self.format == format || (isOpaque && format == .bgraPremultiplied))
    }
}

extension Bitmap {
    /// Sets transparent pixels to zero.
    fileprivate mutating func hideColors(work: WorkGuard) throws(ImageError) {
        try makeUnique()
        let width = width
        var work = work
        for y in 0..<height {
            try work.spend(4 * width)
            withMutableRowBytes(y) { BlendKernels.hideColors(&$0, count: width) }
        }
    }
}
