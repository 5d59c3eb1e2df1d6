// Where finished scanlines go: row by row into the sink, or scattered over the whole picture for Adam7.

import ImageCore

/// Delivers unfiltered scanlines into the result. A value: a copy is a checkpoint.
struct PixelOutput: Sendable {
    /// What the decode has to deliver.
    private(set) var plan: OutputPlan
    private var sink: RowSink
    private let scatter: Scatter?
    private var passRow: ScratchBuffer?
    /// Whether pixels that no pass brought were filled in for good.
    private var isReplicated = false
    /// Whether the picture was turned since the last question what changed.
    private var isReplanned = false
    private let meter: MemoryMeter?

    /// How pixels of an interlaced picture reach the whole one.
    private struct Scatter: Sendable {
        let converter: RowConverter
        let bytesPerPixel: Int
    }

    /// - Parameters:
    ///   - donor: a bitmap whose memory may be reused; always taken.
    ///   - showsPartial: whether pictures will be asked for before the last row.
    init(
        plan: OutputPlan, header: ImageHeader, layout: SampleLayout, donor: inout Bitmap?, showsPartial: Bool,
        meter: MemoryMeter?
    ) throws(ImageError) {
        self.plan = plan
        self.meter = meter
        guard header.isInterlaced else {
            scatter = nil
            sink = try RowSink(
                plan: plan, rowSize: header.size, layout: layout, donor: &donor, clearsRows: showsPartial,
                meter: meter)
            return
        }
        // Interlaced pictures are collected whole and scaled at the end.
        let whole = plan.unscaled(format: Self.collectingFormat(plan, layout))
        sink = try RowSink(
            plan: whole, rowSize: header.size, layout: .pixels(whole.format), donor: &donor, clearsRows: false,
            meter: meter)
        scatter = Scatter(
            converter: RowConverter(from: layout, to: whole.format), bytesPerPixel: whole.format.bytesPerPixel)
        passRow = try ScratchBuffer(byteCount: header.size.width * whole.format.bytesPerPixel, meter: meter)
    }

    /// The format in which an interlaced picture is collected.
    private static func collectingFormat(_ plan: OutputPlan, _ layout: SampleLayout) -> PixelFormat {
        guard plan.isScaled else { return plan.format }
        return layout.hasAlpha ? .bgraPremultiplied : .bgrx
    }

    /// Bytes held besides the scanlines: an upper bound.
    static func peakByteCount(_ plan: OutputPlan, header: ImageHeader, layout: SampleLayout) -> Int {
        guard header.isInterlaced else { return plan.peakByteCount(rowSize: header.size) }
        let whole = plan.unscaled(format: collectingFormat(plan, layout))
        let row = header.size.width.multipliedSaturated(by: whole.format.bytesPerPixel)
        var peak = row.addingSaturated(plan.peakByteCount(rowSize: header.size))
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
        isReplanned = plan != self.plan
        self.plan = plan
    }

    /// Ends an unfinished picture for good: rows that were never written show nothing, pixels that no pass
    /// brought show their neighbours. Parameters as for ``bitmap(pass:rows:)``.
    mutating func finishPartial(pass: Adam7.Pass?, rows: Int) {
        guard scatter != nil else {
            sink.clearUnfilledRows()
            return
        }
        guard let pass else { return }
        isReplicated = true
        sink.withBitmap(changing: 0..<0) {
            Adam7.replicate(&$0, completePasses: pass.number - 1, next: pass, rows: rows)
        }
    }

    /// The picture so far.
    ///
    /// - Parameters:
    ///   - pass: the pass being decoded, `nil` when all are complete.
    ///   - rows: its finished rows.
    func bitmap(pass: Adam7.Pass?, rows: Int) throws(ImageError) -> Bitmap {
        var picture = sink.bitmap
        if scatter != nil, !isReplicated, let pass {
            picture = try picture.copied(meter: meter)
            Adam7.replicate(&picture, completePasses: pass.number - 1, next: pass, rows: rows)
        }
        if picture.size != plan.targetSize { picture = try picture.scaled(to: plan.targetSize, meter: meter) }
        if picture.format != plan.format { picture = try picture.converted(to: plan.format, meter: meter) }
        return try picture.oriented(plan.orientation, meter: meter)
    }
}
