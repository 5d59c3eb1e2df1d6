// Where finished scanlines go: row by row into the sink, or scattered over the whole picture for Adam7.

import ImageCore

/// Delivers unfiltered scanlines into the result. A value: a copy is a checkpoint.
struct PixelOutput: Sendable {
    /// What the decode has to deliver.
    private(set) var plan: OutputPlan
    private var sink: RowSink
    private let scatter: Scatter?
    private var passRow: ScratchBuffer?
    /// Whether the picture was turned since the last question what changed.
    private var isReplanned = false
    private let meter: MemoryMeter?

    /// How pixels of an interlaced picture reach the whole one.
    private struct Scatter: Sendable {
        let converter: RowConverter
        let bytesPerPixel: Int
    }

    /// - Parameter donor: a bitmap whose memory may be reused; always taken.
    init(
        plan: OutputPlan, header: ImageHeader, layout: SampleLayout, donor: inout Bitmap?, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        self.plan = plan
        self.meter = meter
        guard header.isInterlaced else {
            scatter = nil
            sink = try RowSink(
                plan: plan, layout: layout, donor: &donor, meter: meter, work: work)
            return
        }
        // Interlaced pictures are collected whole and scaled at the end.
        let whole = plan.unscaled(format: Self.collectingFormat(plan, layout))
        sink = try RowSink(
            plan: whole, layout: .pixels(whole.format), donor: &donor, meter: meter, work: work)
        scatter = Scatter(
            converter: RowConverter(from: layout, to: whole.format), bytesPerPixel: whole.format.bytesPerPixel)
        passRow = try ScratchBuffer(
            byteCount: header.size.width.multipliedSaturated(by: whole.format.bytesPerPixel), meter: meter)
    }

    /// Makes the buffers this value's own, so that no scanline that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    mutating func makeUnique() throws(ImageError) {
        try sink.makeUnique()
        try passRow?.makeUnique()
    }

    /// Whether a picture of an unfinished decode has to be made as a whole: pixels that are missing show their
    /// neighbours, or the result is scaled or turned again at the end.
    var hasCostlyPartialPictures: Bool { scatter != nil || sink.plan != plan }

    /// The format in which an interlaced picture is collected.
    private static func collectingFormat(_ plan: OutputPlan, _ layout: SampleLayout) -> PixelFormat {
        guard plan.isScaled else { return plan.format }
        return layout.hasAlpha ? .bgraPremultiplied : .bgrx
    }

    /// Bytes held besides the scanlines: an upper bound.
    static func peakByteCount(_ plan: OutputPlan, header: ImageHeader, layout: SampleLayout) -> Int {
        guard header.isInterlaced else { return plan.peakByteCount() }
        let whole = plan.unscaled(format: collectingFormat(plan, layout))
        let row = header.size.width.multipliedSaturated(by: whole.format.bytesPerPixel)
        var peak = row.addingSaturated(plan.peakByteCount())
        if plan.isScaled {
            // The whole picture, and the scaled one before its format is changed.
            peak = peak.addingSaturated(whole.decodedByteCount)
                .addingSaturated(Bitmap.byteCount(size: plan.targetSize, format: whole.format) ?? .max)
        }
        return peak
    }

    /// Takes a scanline.
    mutating func write(_ pixels: RawSpan, row: Int, of pass: Adam7.Pass) {
        guard let scatter, var buffer = passRow.take() else {
            sink.write(pixels, y: row)
            return
        }
        let width = pass.size.width
        buffer.withMutableBytes { scatter.converter.convert(pixels, into: &$0, width: width) }
        let y = pass.y + row * pass.rowStep
        let band = y - pass.y..<min(y - pass.y + pass.rowStep, sink.plan.targetSize.height)
        buffer.withBytes { converted in
            sink.withBitmap(changing: band) { bitmap in
                bitmap.withMutableRow(y) {
                    scatterPixels(
                        converted, into: &$0, start: pass.x, step: pass.columnStep, count: width,
                        bytesPerPixel: scatter.bytesPerPixel)
                }
            }
        }
        passRow = buffer
    }

    /// Whether a row of the result was written; of a thumbnail that is some rows of the file later.
    var hasPixels: Bool { scatter != nil || sink.filledRowCount > 0 }

    /// What changed since the last call, in pixels of the result; all of it where that is scaled at the end.
    mutating func takeChanged() -> PixelRect? {
        guard let rows = sink.takeChangedRows() ?? (isReplanned ? 0..<0 : nil) else { return nil }
        defer { isReplanned = false }
        let isWhole = isReplanned || sink.plan.targetSize != plan.targetSize
        return isWhole ? PixelRect(plan.resultSize) : plan.resultRect(ofRows: rows)
    }

    /// Learns about an orientation that the file only tells behind the pixels.
    mutating func replan(_ plan: OutputPlan) {
        isReplanned = isReplanned || plan != self.plan
        self.plan = plan
    }

    /// Ends an unfinished picture for good: rows that were never written show nothing, pixels that no pass
    /// brought show their neighbours.
    ///
    /// - Parameters:
    ///   - pass: the pass being decoded, `nil` when all are complete.
    ///   - rows: its finished rows.
    mutating func finishPartial(pass: Adam7.Pass?, rows: Int, work: WorkGuard) throws(ImageError) {
        guard scatter != nil else {
            try sink.clearUnfilledRows(work: work)
            return
        }
        guard let pass else { return }
        try sink.withBitmap(changing: 0..<0) { bitmap throws(ImageError) in
            try Adam7.replicate(
                &bitmap, completePasses: pass.number - 1, next: pass, rows: rows, work: work)
        }
    }

    /// Gives back what only pictures of an unfinished decode need.
    mutating func endPartialPictures() { sink.endPartialPictures() }

    /// The picture when no more scanlines come.
    func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap { try deliver(sink.bitmap, work) }

    /// The picture so far; parameters as for ``finishPartial(pass:rows:work:)``.
    mutating func partialPicture(pass: Adam7.Pass?, rows: Int, work: WorkGuard) throws(ImageError) -> Bitmap {
        guard hasCostlyPartialPictures else { return try sink.partialPicture(work: work) }
        var picture = try Bitmap(uninitialized: sink.bitmap.size, format: sink.bitmap.format, meter: meter)
        if scatter != nil {
            try picture.copyRows(0..<picture.height, of: sink.bitmap, .up, work: work)
            if let pass {
                try Adam7.replicate(&picture, completePasses: pass.number - 1, next: pass, rows: rows, work: work)
            }
        } else {
            try picture.copyRows(0..<sink.filledRowCount, of: sink.bitmap, .up, work: work)
            try picture.clearRows(sink.filledRowCount..<picture.height, work: work)
        }
        return try deliver(picture, work)
    }

    /// Scales, converts and turns a collected picture.
    private func deliver(_ collected: Bitmap, _ work: WorkGuard) throws(ImageError) -> Bitmap {
        var picture = collected
        if picture.size != plan.targetSize {
            picture = try picture.scaled(to: plan.targetSize, meter: meter, work: work)
        }
        if picture.format != plan.format { picture = try picture.converted(to: plan.format, meter: meter, work: work) }
        return try picture.oriented(plan.orientation, meter: meter, work: work)
    }
}
