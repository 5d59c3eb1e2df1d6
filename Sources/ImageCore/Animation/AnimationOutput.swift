// From the canvas to the picture that was asked for: scaled, in the format wanted, turned.

/// Makes pictures of a canvas; tables of the scaler are made once.
package struct AnimationOutput: Sendable {
    package let plan: OutputPlan
    /// The format of the canvas: straight where such pixels are wanted as they are, else premultiplied.
    package let canvasFormat: PixelFormat
    /// A scaler that has seen nothing, of which each picture uses a copy.
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
                output: plan.format, meter: meter, work: work)
            : nil
    }

    /// What the frames of an animation are delivered as.
    package static func plan(
        size: PixelSize, orientation: Orientation, options: DecodingOptions
    ) throws(ImageError) -> OutputPlan {
        try OutputPlan(
            size: size, hasAlpha: true, nearestFormat: .rgba, orientation: orientation, options: options)
    }

    private static func canvasFormat(_ plan: OutputPlan) -> PixelFormat {
        plan.format.alpha == .straight && !plan.isScaled ? .rgba : .bgraPremultiplied
    }

    /// The most memory that making a picture takes, the picture included. Saturates.
    package static func byteCount(_ plan: OutputPlan) -> Int {
        guard plan.isScaled else { return plan.peakByteCount() }
        // The scaler that is kept, and the one in use.
        return plan.peakByteCount().addingSaturated(
            RowSink.scalingByteCount(sourceSize: plan.sourceSize, targetSize: plan.targetSize))
    }

    /// The same where what turns the pictures may stand behind them: the most that any of these orientations takes.
    package static func byteCount(
        size: PixelSize, orientations: [Orientation], options: DecodingOptions
    ) throws(ImageError) -> Int {
        var most = 0
        for orientation in orientations {
            most = max(most, byteCount(try plan(size: size, orientation: orientation, options: options)))
        }
        return most
    }

    /// What a decode of all frames takes at most besides composing them: making one, all of them, and those that are kept.
    /// Saturates.
    ///
    /// Of a damaged file it gives those in front of the damage: what turns them may stand behind it, and a limit on bytes is
    /// for fewer of them.
    package static func allByteCount(
        size: PixelSize, orientations: [Orientation], frameCount: Int, options: DecodingOptions
    ) throws(ImageError) -> Int {
        let frames = try framesByteCount(
            size: size, orientations: orientations, frameCount: frameCount, options: options)
        let kept = min(max(0, options.maxFrameCacheByteCount), frames)
        // One of few may be larger, one of many is scaled.
        let one = max(
            try byteCount(size: size, orientations: orientations, options: options),
            try byteCount(size: size, orientations: orientations, options: options.dividing(among: frameCount)))
        return one.addingSaturated(frames).addingSaturated(kept)
    }

    private static func framesByteCount(
        size: PixelSize, orientations: [Orientation], frameCount: Int, options: DecodingOptions
    ) throws(ImageError) -> Int {
        func byteCount(_ options: DecodingOptions, _ orientation: Orientation) throws(ImageError) -> Int {
            try plan(size: size, orientation: orientation, options: options).decodedByteCount
                .multipliedSaturated(by: frameCount)
        }
        var most = 0
        for orientation in orientations {
            var all = try byteCount(options.dividing(among: frameCount), orientation)
            if case .atMost(let limit) = options.size {
                var whole = options
                whole.size = .full
                let allowed = limit > 0 ? limit : DecodingOptions.OutputSize.defaultByteCount
                all = min(try byteCount(whole, orientation), max(all, allowed))
            }
            most = max(most, all)
        }
        return most
    }

    /// Whether a picture is the canvas as it is.
    package var isCanvas: Bool { isUpright && plan.orientation == .up }

    /// Whether a picture has the canvas's pixels, though perhaps turned.
    package var isUpright: Bool { !plan.isScaled && plan.format == canvasFormat }

    /// The picture of a canvas.
    ///
    /// - Parameter donor: a bitmap whose memory is reused when it fits and nobody else holds it; always taken.
    package func picture(
        of canvas: Bitmap, donor: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        if isUpright { return try canvas.oriented(plan.orientation, meter: meter, work: work) }
        var picture = donor.moved()
        if picture.size != plan.targetSize || picture.format != plan.format || !picture.isUniquelyReferenced() {
            picture = .empty
            picture = try Bitmap(uninitialized: plan.targetSize, format: plan.format, meter: meter)
        }
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
