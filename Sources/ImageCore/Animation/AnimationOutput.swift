// From the canvas to the picture that was asked for: scaled, in the format wanted, turned.

/// Makes pictures of a canvas; tables of the scaler are made once.
package struct AnimationOutput: Sendable {
    package let plan: OutputPlan
    /// The format of the canvas: straight if such pixels are wanted as they are, else premultiplied.
    package let canvasFormat: PixelFormat
    /// A scaler that no row was pushed to yet; each picture is scaled by a copy of it.
    private let stage: ScalingStage?
    private let converter: RowConverter
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - size: width and height of the canvas.
    ///   - work: asked while tables are computed.
    package init(
        size: PixelSize, orientation: Orientation, options: DecodingOptions, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        plan = try Self.plan(size: size, orientation: orientation, options: options)
        self.meter = meter
        canvasFormat = Self.canvasFormat(plan)
        converter = RowConverter(from: .pixels(canvasFormat), to: plan.format)
        stage =
            plan.isScaled
            ? try ScalingStage(
                sourceSize: size, reduction: 1, targetSize: plan.targetSize, working: .bgraPremultiplied,
                output: plan.format, scaling: plan.scaling, meter: meter, work: work)
            : nil
    }

    /// What the frames of an animation are delivered as.
    package static func plan(
        size: PixelSize, orientation: Orientation, options: DecodingOptions
    ) throws(ImageError) -> OutputPlan {
        try OutputPlan(
            size: size, hasAlpha: true, nearestFormat: .rgba, orientation: orientation, options: options)
    }

    /// The format of the canvas, chosen before later frames are known.
    package static func canvasFormat(
        size: PixelSize, orientation: Orientation, options: DecodingOptions
    ) throws(ImageError) -> PixelFormat {
        canvasFormat(try plan(size: size, orientation: orientation, options: options))
    }

    private static func canvasFormat(_ plan: OutputPlan) -> PixelFormat {
        plan.format.alpha == .straight && !plan.isScaled ? .rgba : .bgraPremultiplied
    }

    /// The most memory that making a picture takes, the picture included. Saturates.
    package static func byteCount(_ plan: OutputPlan) -> Int {
        guard plan.isScaled else { return plan.peakByteCount() }
        // The scaler that is kept, and the one in use.
        return plan.peakByteCount().addingSaturated(
            RowSink.scalingByteCount(
                sourceSize: plan.sourceSize, targetSize: plan.targetSize, scaling: plan.scaling))
    }

    /// Whether a picture is the canvas as it is.
    package var isCanvas: Bool { isUpright && plan.orientation == .up }

    /// Whether a picture has the canvas's pixels, though perhaps turned.
    package var isUpright: Bool { !plan.isScaled && plan.format == canvasFormat }

    /// Whether a picture has the canvas's pixels where they are, in another format.
    package var isConversion: Bool { !plan.isScaled && plan.orientation == .up && plan.format != canvasFormat }

    /// The picture of a canvas whose pixels are converted one by one.
    ///
    /// - Parameters:
    ///   - changed: what has to be converted: all, or what is different from `reusable`, the picture before; `nil` for nothing.
    ///   - reusable: a bitmap whose memory is reused if it fits and nobody else holds it; always taken.
    package func converted(
        _ canvas: Bitmap, changed: PixelRect?, reusable: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        guard changed != PixelRect(canvas.size) else {
            return try picture(of: canvas, reusable: &reusable, work: &work)
        }
        var picture = reusable.moved()
        guard let changed else { return picture }
        let columns = changed.x..<changed.x + changed.width
        for y in changed.rows {
            try work.spend(changed.width * 4)
            canvas.withRowBytes(y) { row in
                picture.withMutablePixels(columns, ofRow: y) {
                    converter.convert(
                        row.extracting(columns.lowerBound * 4..<columns.upperBound * 4), into: &$0,
                        width: columns.count)
                }
            }
        }
        return picture
    }

    /// The picture of a canvas.
    ///
    /// - Parameter reusable: a bitmap whose memory is reused if it fits and nobody else holds it; always taken.
    package func picture(
        of canvas: Bitmap, reusable: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        if isUpright { return try canvas.oriented(plan.orientation, meter: meter, work: work) }
        var picture = try Bitmap(reusing: &reusable, size: plan.targetSize, format: plan.format, meter: meter)
        var stage = stage
        try stage?.makeUnique()
        for y in 0..<canvas.height {
            try work.spend(canvas.width * 4)
            canvas.withRowBytes(y) { row in
                guard stage != nil else {
                    return picture.withMutableRowBytes(y) { converter.convert(row, into: &$0, width: canvas.width) }
                }
                stage?.push(row) { y, pixels, finish in
                    picture.withMutableRowBytes(y) { finish.convert(pixels, into: &$0, width: plan.targetSize.width) }
                }
            }
        }
        return try picture.oriented(plan.orientation, meter: meter, work: work)
    }
}
