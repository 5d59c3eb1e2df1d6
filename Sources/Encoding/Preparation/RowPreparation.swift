// Between a picture and its encoder, whatever the format, once: scaling, background, conversion.
//
//   row ──▶ ScalingStage ──▶ RowFlattener ──▶ RowConverter ──▶ row of the encoder

package import ImageCodecsCore

/// What is done to the rows of a picture before they are encoded.
package struct RowPreparationPlan: Hashable, Sendable {
    /// Width and height of the rows that come in.
    package let sourceSize: PixelSize
    /// What they hold.
    package let sourceFormat: PixelFormat
    /// Width and height of the rows that go out.
    package let targetSize: PixelSize
    /// The colour that rows with alpha are laid over, if they are.
    let background: SIMD3<UInt8>?
    /// Whether that colour was asked for.
    let isBackgroundChosen: Bool
    /// What rows hold once they are scaled and laid over the colour.
    package let preparedFormat: PixelFormat

    /// - Parameters:
    ///   - orientation: how the picture has to be turned for viewing: the box is meant for it as it is seen.
    ///   - keepsAlpha: whether the file's format has alpha.
    package init(
        size: PixelSize, format: PixelFormat, orientation: Orientation, keepsAlpha: Bool, options: EncodingOptions
    ) {
        sourceSize = size
        sourceFormat = format
        if let box = options.maxPixelSize {
            targetSize = size.fitted(in: orientation.swapsAxes ? box.transposed : box)
        } else {
            targetSize = size
        }
        isBackgroundChosen = options.background != nil
        background = format.hasAlpha ? options.background ?? (keepsAlpha ? nil : SIMD3(repeating: 255)) : nil
        preparedFormat = background.map { RowFlattener.format(flattening: format, onto: $0) } ?? format
    }

    /// Whether rows go out as they come in, but for their format.
    var isIdentity: Bool { targetSize == sourceSize && background == nil }

    /// Bytes that preparing rows holds, the last conversion to `format` included. Saturates.
    package func byteCount(to format: PixelFormat) -> Int {
        var count = 0
        if targetSize != sourceSize {
            count = ScalingStage.byteCount(sourceSize: sourceSize, reduction: 1, targetSize: targetSize)
            count = count.addingSaturated(targetSize.width.multipliedSaturated(by: sourceFormat.bytesPerPixel))
        }
        if background != nil {
            count = count.addingSaturated(RowFlattener.byteCount(sourceFormat, width: targetSize.width))
            count = count.addingSaturated(targetSize.width.multipliedSaturated(by: preparedFormat.bytesPerPixel))
        }
        if format != preparedFormat {
            count = count.addingSaturated(targetSize.width.multipliedSaturated(by: format.bytesPerPixel))
        }
        return count
    }
}

/// Prepares rows from the top: what comes out are the rows of the plan's target, in the format that is wanted.
package struct RowPreparation: Sendable {
    private var scaling: ScalingStage?
    private let working: RowConverter
    private var scaled: ScratchBuffer?
    private var flattening: RowFlattener?
    private var flattened: ScratchBuffer?
    private let converter: RowConverter?
    private var converted: ScratchBuffer?
    private let width: Int
    private var watch: PreparationWatch?

    /// - Parameters:
    ///   - format: of the rows that go out.
    ///   - watch: looks for what is lost on the way.
    package init(
        _ plan: RowPreparationPlan, to format: PixelFormat, meter: MemoryMeter?, work: WorkGuard,
        watch: PreparationWatch? = nil
    ) throws(ImageError) {
        let width = plan.targetSize.width
        let workingFormat: PixelFormat = plan.sourceFormat.hasAlpha ? .bgraPremultiplied : .bgrx
        working = RowConverter(from: .pixels(plan.sourceFormat), to: workingFormat)
        if plan.targetSize != plan.sourceSize {
            try Bitmap.checkScaling(from: plan.sourceSize, to: plan.targetSize)
            scaling = try ScalingStage(
                sourceSize: plan.sourceSize, reduction: 1, targetSize: plan.targetSize, working: workingFormat,
                output: plan.sourceFormat, meter: meter, work: work)
            scaled = try ScratchBuffer(
                byteCount: width.multipliedSaturated(by: plan.sourceFormat.bytesPerPixel), meter: meter)
        }
        if let background = plan.background {
            flattening = try RowFlattener(from: plan.sourceFormat, onto: background, width: width, meter: meter)
            flattened = try ScratchBuffer(
                byteCount: width.multipliedSaturated(by: plan.preparedFormat.bytesPerPixel), meter: meter)
        }
        if format != plan.preparedFormat {
            converter = RowConverter(from: .pixels(plan.preparedFormat), to: format)
            converted = try ScratchBuffer(
                byteCount: width.multipliedSaturated(by: format.bytesPerPixel), meter: meter)
        } else {
            converter = nil
        }
        self.width = width
        self.watch = watch
        self.watch?.begin(plan, to: format)
    }

    /// Takes a row and hands out those that are ready: none or more if the picture is scaled, else one.
    package mutating func push(
        _ row: RawSpan, _ emit: (_ row: RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        // Taken out for the call: the closure below changes the rest of `self`.
        guard var scaling = scaling.take() else { return try finish(row, emit) }
        var failure: ImageError?
        scaling.convertAndPush(row, working) { _, pixels, finisher in
            guard failure == nil, var buffer = scaled.take() else { return }
            buffer.withMutableBytes { finisher.convert(pixels, into: &$0, width: width) }
            do throws(ImageError) {
                try buffer.withBytes { (row) throws(ImageError) in try finish(row, emit) }
            } catch {
                failure = error
            }
            scaled = buffer
        }
        self.scaling = scaling
        if let failure { throw failure }
    }

    /// Background and conversion.
    private mutating func finish(
        _ row: RawSpan, _ emit: (_ row: RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard var buffer = flattened.take() else { return try convert(row, emit) }
        defer { flattened = buffer }
        buffer.withMutableBytes { flattening?.flatten(row, into: &$0) }
        if let flattening { watch?.look(at: flattening) }
        try buffer.withBytes { (row) throws(ImageError) in try convert(row, emit) }
    }

    private mutating func convert(
        _ row: RawSpan, _ emit: (_ row: RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard let converter, var buffer = converted.take() else { return try emit(row) }
        defer { converted = buffer }
        try watch?.look(atSamplesOf: row)
        let width = width
        buffer.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        try buffer.withBytes { (row) throws(ImageError) in try emit(row) }
    }
}

extension RowPreparationPlan {
    /// A whole picture prepared, in the plan's format; itself if there is nothing to do.
    package func prepare(
        _ bitmap: Bitmap, meter: MemoryMeter?, work: WorkGuard, watch: PreparationWatch? = nil
    ) throws(ImageError) -> Bitmap {
        guard !isIdentity else { return bitmap }
        var work = work
        var result = try Bitmap(uninitialized: targetSize, format: preparedFormat, meter: meter)
        var preparation = try RowPreparation(self, to: preparedFormat, meter: meter, work: work, watch: watch)
        var y = 0
        for sourceY in 0..<bitmap.height {
            try work.spend(bitmap.width)
            try bitmap.withRowBytes(sourceY) { (row) throws(ImageError) in
                try preparation.push(row) { row in
                    result.withMutableRowBytes(y) { $0.copy(row) }
                    y += 1
                }
            }
        }
        return result
    }
}
