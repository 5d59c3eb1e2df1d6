// One animation from its first frame to the last byte of its file: clock, meter, preparation, the search for what changed, the
// same for every format.
//
//   frames ──▶ RowPreparation ──▶ canvas ──▶ SubFramePlanner ──▶ AnimationEncoder ──▶ sink

public import ImageCodecsCore

/// Writes one animation: frames in, bytes out, each frame when the next has come.
///
/// ```swift
/// var session = try CoderRegistry.shared.makeAnimationEncodingSession(
///     to: .apng, size: PixelSize(width: 640, height: 480), pixelFormat: .rgba, frameCount: 24)
/// for frame in frames { try session.write(frame, for: .milliseconds(40)) { bytes in try body.write(bytes) } }
/// try session.finish { bytes in try body.write(bytes) }
/// ```
///
/// Frames are whole canvases; which part of each is written, and how, is found out here (see <doc:WritingAnimations>). What
/// decoders compose of the file equals the frames in eight bits a sample; only colours under full transparency may differ. Files get smaller
/// if ``survey(_:)`` is called with every frame before the first is written. An error is permanent: every later call throws it again.
public struct AnimationEncodingSession: ~Copyable, ClockedSession, Sendable {
    private enum State: Sendable {
        /// No frame has come; the encoder is made, for what it takes had to be known.
        case ready(any AnimationEncoder)
        /// Frames are looked at; the last one is held.
        case surveying(any AnimationEncoder, last: Bitmap, frameCount: Int)
        case writing(any AnimationEncoder, SubFramePlanner, frameCount: Int)
        case ended
    }

    /// Bytes that encoding takes at most: the canvases that are compared, and what the encoder holds with this effort. Saturates.
    ///
    /// Not counted are the caller's frames, the bytes that the sink has got, and metadata.
    public let estimatedPeakByteCount: Int

    /// Width and height of the canvas in the file: smaller than the frames if `EncodingOptions.maxPixelSize` asks for it.
    public let writtenSize: PixelSize

    /// Kinds of metadata of which something has no place in the file; complete once that is written.
    public var lostMetadata: Set<ImageMetadata.Kind> { request.options.losses?.lostMetadata ?? [] }

    private let coder: any AnimationEncodingCoder
    private let traits: EncoderTraits
    private let format: ImageFormat
    private let request: EncodingRequest
    private let plan: RowPreparationPlan
    private let animation: EncodedAnimation
    /// Whether frames of other formats are converted into that of the first; else they are refused.
    private let convertsFrames: Bool
    private var state: State
    /// Of the frames that were surveyed, in their order.
    private var digests = PagedArray<Int>()
    var clock: EncodingClock
    /// Bytes of the file that no smaller canvas saves, as far as is known.
    private(set) var fixedByteCount: Int

    /// - Parameters:
    ///   - convertsFrames: whether frames may have other formats than `source` says.
    ///   - heldByteCount: what the caller holds beside what the session does, on the same meter.
    /// - Throws: `invalidArgument` for an animation without pixels or frames or options that make no sense, `limitExceeded` for
    ///   one that is too large for the format or the limits.
    init(
        _ coder: any AnimationEncodingCoder, to format: ImageFormat, _ source: EncodedPicture, frameCount: Int,
        loopCount: Int, options: EncodingOptions, convertsFrames: Bool = false, heldByteCount: Int = 0
    ) throws(ImageError) {
        let loopCount = options.loopCount ?? loopCount
        guard !source.size.isEmpty else { throw .invalidArgument("cannot write a picture of \(source.size) pixels") }
        guard frameCount > 0 else { throw .invalidArgument("cannot write an animation of \(frameCount) frames") }
        guard loopCount >= 0 else { throw .invalidArgument("an animation cannot be played \(loopCount) times") }
        let traits = coder.traits(writing: format, options)
        try traits.check(options, writing: format)
        if options.targetQuality != nil { throw .invalidArgument("a target quality is for still pictures") }
        var options = options
        let losses = options.losses ?? LossLog()
        options.losses = losses
        let request = EncodingRequest(options: options)
        let plan = RowPreparationPlan(
            size: source.size, format: source.format, orientation: source.orientation, keepsAlpha: true,
            options: options)
        var picture = source.prepared(plan, options.metadata, traits.metadataPlaces, losses)
        picture.format = .rgba
        let animation = EncodedAnimation(
            picture: picture, sourceFormat: plan.preparedFormat, frameCount: frameCount, loopCount: loopCount)
        let encoder = try coder.makeAnimationEncoder(animation, format: format, request)
        let estimate = plan.byteCount(to: .rgba)
            .addingSaturated(SubFramePlanner.byteCount(plan.targetSize))
            .addingSaturated(encoder.estimatedByteCount)
            .addingSaturated(PagedArray<Int>.byteCount(frameCount))
            .addingSaturated(heldByteCount)
        guard estimate < .max, estimate <= options.limits.maxMemoryByteCount else {
            throw .limitExceeded(
                .encodingMemory, requested: estimate, allowed: options.limits.maxMemoryByteCount)
        }
        state = .ready(encoder)
        self.coder = coder
        self.traits = traits
        self.format = format
        self.request = request
        self.plan = plan
        self.animation = animation
        estimatedPeakByteCount = estimate
        writtenSize = plan.targetSize
        self.convertsFrames = convertsFrames
        clock = EncodingClock(options)
        fixedByteCount = encoder.fixedByteCount
    }

    /// Looks at a frame before any is written, so that the file can have the palette or the colours that all frames need and no
    /// more. May be left out; else it is called with every frame, in their order.
    ///
    /// - Throws: `invalidArgument` for a frame of another size or format than the session was made for, or after
    ///   ``write(_:for:to:)``; what encoding throws.
    public mutating func survey(_ frame: Bitmap) throws(ImageError) {
        try check(frame)
        try working { (session) throws(ImageError) in try session.look(at: frame) }
    }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - frame: the whole canvas as it shall look.
    ///   - duration: how long; formats round it to what they can say, and take negative durations for zero.
    ///   - sink: gets bytes of the file, if there are new ones. What it throws ends the session.
    /// - Throws: `invalidArgument` for a frame of another size or format than the session was made for, one too many, or one
    ///   that is not what was surveyed; what encoding and `sink` throw.
    public mutating func write(
        _ frame: Bitmap, for duration: Duration, to sink: EncodedBytesSink
    ) throws(ImageError) {
        try check(frame)
        try working { (session) throws(ImageError) in
            try session.take(frame, for: duration, to: sink)
        }
    }

    /// Ends the file, after the last frame.
    ///
    /// - Throws: `invalidArgument` if frames are missing; what encoding and `sink` throw.
    public mutating func finish(to sink: EncodedBytesSink) throws(ImageError) {
        try working { (session) throws(ImageError) in try session.end(to: sink) }
    }

    mutating func letGo() { state = .ended }

    private func check(_ frame: Bitmap) throws(ImageError) {
        try clock.check()
        guard frame.size == plan.sourceSize, convertsFrames || frame.format == plan.sourceFormat else {
            throw .invalidArgument(
                "a frame of \(frame.size) pixels (\(frame.format)) in place of \(plan.sourceSize) (\(plan.sourceFormat))"
            )
        }
    }
}

// MARK: - Frames

extension AnimationEncodingSession {
    private mutating func look(at frame: Bitmap) throws(ImageError) {
        try clock.work.check()
        switch state {
        case .ready(let encoder): state = .surveying(encoder, last: .empty, frameCount: 0)
        case .surveying: break
        case .writing, .ended: throw .invalidArgument("frames are surveyed before the first is written")
        }
        guard case .surveying(var encoder, let last, let frameCount) = state else { return }
        guard frameCount < animation.frameCount else { throw tooManyFrames }
        request.options.progress?.report(.surveying, frameCount, of: animation.frameCount)
        // Taken out of the state for the call, so that nothing is copied.
        state = .ended
        let canvas = try prepare(
            converted(frame), Bitmap(uninitialized: plan.targetSize, format: .rgba, meter: request.meter))
        try digests.append(canvas.digest, meter: request.meter)
        let rows =
            frameCount == 0
            ? 0..<canvas.height : try CanvasChange.rows(from: last, to: canvas, work: &clock.work)
        try encoder.survey(canvas, rows: rows, work: &clock.work)
        state = .surveying(encoder, last: canvas, frameCount: frameCount + 1)
    }

    private mutating func take(
        _ frame: Bitmap, for duration: Duration, to sink: EncodedBytesSink
    ) throws(ImageError) {
        try clock.work.check()
        try begin(to: sink)
        guard case .writing(var encoder, var planner, let frameCount) = state else {
            throw .invalidArgument("the animation has ended")
        }
        guard frameCount < animation.frameCount else { throw tooManyFrames }
        request.options.progress?.report(.writing, frameCount, of: animation.frameCount)
        state = .ended
        let canvas = try prepare(converted(frame), planner.makeCanvas())
        // The encoder relies on what the survey has seen.
        guard digests.count == 0 || digests[frameCount] == canvas.digest else {
            throw .invalidArgument("frame \(frameCount) is not the one that was surveyed")
        }
        try planner.add(canvas, for: duration, &encoder, to: sink, work: &clock.work)
        state = .writing(encoder, planner, frameCount: frameCount + 1)
    }

    /// A frame in the format of all.
    private func converted(_ frame: Bitmap) throws(ImageError) -> Bitmap {
        try frame.converted(to: plan.sourceFormat, meter: request.meter, work: clock.work)
    }

    /// Writes what stands before the frames, if that is not done.
    private mutating func begin(to sink: EncodedBytesSink) throws(ImageError) {
        var encoder: any AnimationEncoder
        switch state {
        case .ready(let made): encoder = made
        case .surveying(let surveyor, _, let frameCount):
            guard frameCount == animation.frameCount else {
                throw .invalidArgument("\(frameCount) of \(animation.frameCount) frames were surveyed")
            }
            encoder = surveyor
        case .writing, .ended: return
        }
        state = .ended
        try encoder.begin(to: sink, work: &clock.work)
        let planner = SubFramePlanner(
            size: plan.targetSize, encoder.abilities, effort: request.options.effort, meter: request.meter)
        state = .writing(encoder, planner, frameCount: 0)
    }

    private mutating func end(to sink: EncodedBytesSink) throws(ImageError) {
        switch state {
        case .writing(var encoder, var planner, let frameCount):
            guard frameCount == animation.frameCount else { throw missingFrames(frameCount) }
            state = .ended
            request.options.progress?.report(.compressing)
            try planner.finish(&encoder, to: sink, work: &clock.work)
            try encoder.finish(to: sink, work: &clock.work)
            fixedByteCount = encoder.fixedByteCount
        case .ready, .surveying: throw missingFrames(0)
        case .ended: break
        }
    }

    private var tooManyFrames: ImageError {
        .invalidArgument("more frames than the \(animation.frameCount) of the animation")
    }

    private func missingFrames(_ count: Int) -> ImageError {
        .invalidArgument("the animation has \(animation.frameCount) frames, \(count) were written")
    }

    /// A frame as straight RGBA whose transparent pixels are zero, in the size in which it is written.
    private mutating func prepare(_ frame: Bitmap, _ canvas: consuming Bitmap) throws(ImageError) -> Bitmap {
        var isCut = false
        let prepared = try plan.prepare(
            frame, into: canvas, meter: request.meter, isCut: &isCut,
            keepsTranslucency: traits.keepsTranslucency,
            watch: PreparationWatch(request.options, writing: format), work: &clock.work)
        if isCut {
            try coder.checkTranslucencyLoss(request.options)
            request.options.losses?.record(.translucency)
        }
        return prepared
    }
}

extension RowPreparationPlan {
    /// A frame as a canvas: prepared, straight RGBA, transparent pixels zero.
    ///
    /// - Parameters:
    ///   - canvas: of the plan's target size and `PixelFormat.rgba`; is overwritten.
    ///   - isCut: is set if translucent pixels are not kept.
    ///   - keepsTranslucency: whether translucent pixels stay; else they become opaque or transparent.
    ///   - watch: looks for what else is lost.
    package func prepare(
        _ frame: Bitmap, into canvas: consuming Bitmap, meter: MemoryMeter?, isCut: inout Bool,
        keepsTranslucency: Bool = true, watch: PreparationWatch? = nil, work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        var result = canvas
        try result.makeUnique()
        var preparation = try RowPreparation(self, to: .rgba, meter: meter, work: work, watch: watch)
        let width = targetSize.width
        var y = 0
        for sourceY in 0..<frame.height {
            try work.spend(frame.width)
            try frame.withRowBytes(sourceY) { (row) throws(ImageError) in
                try preparation.push(row) { row in
                    result.withMutableRowBytes(y) { target in
                        if keepsTranslucency {
                            ChangeKernels.copy(row, into: &target, count: width, clear: 0)
                        } else if ChangeKernels.cutOut(row, into: &target, count: width) {
                            isCut = true
                        }
                    }
                    y += 1
                }
            }
        }
        return result
    }
}

extension Bitmap {
    /// Tells the pixels from all others, within one run of a program.
    fileprivate var digest: Int {
        var hasher = Hasher()
        for y in 0..<height { withRowBytes(y) { $0.extracting(0..<width * format.bytesPerPixel).hash(into: &hasher) } }
        return hasher.finalize()
    }
}
