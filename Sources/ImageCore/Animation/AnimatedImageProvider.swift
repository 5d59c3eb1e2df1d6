// Animations: a frame, the provider that composes frames on demand, and coders of animated formats.

/// One frame of an animation.
public struct ImageFrame: Sendable {
    /// The whole canvas as it looks while this frame is shown.
    public var bitmap: Bitmap
    /// How long it is shown, as stored in the file.
    public var duration: Duration
    /// Which part of the frame is decoded, if not all of it could be; `nil` for whole frames.
    public var partial: PartialReport?

    /// Creates a frame.
    public init(bitmap: Bitmap, duration: Duration, partial: PartialReport? = nil) {
        self.bitmap = bitmap
        self.duration = duration
        self.partial = partial
    }

    /// How long viewers show it: 100 ms if the file says 10 ms or less.
    public var effectiveDuration: Duration { duration <= .milliseconds(10) ? .milliseconds(100) : duration }

    /// Whether some of the frame is missing.
    public var isPartial: Bool { partial != nil }
}

/// Frames of an animation in any order, from any thread.
///
/// Limits, pixel format, size and orientation are those of the options that the animation was opened with.
/// ``ImageInfo/estimatedPeakByteCount`` of ``info`` holds for one call at a time: each thread that composes a frame while another
/// does so allocates a canvas of its own. Each call has ``DecodingLimits/maxTime`` for itself; for all frames in one call see
/// ``AnimatedImageCoder/decodeFrames(of:options:_:)``.
public protocol AnimatedImageProvider: Sendable {
    /// What the headers say; ``ImageInfo/animation`` has how often the animation is played.
    var info: ImageInfo { get }

    /// What is missing from the animation, as far as reading the file has shown: frames that are unreadable or incomplete.
    /// Damage in the pixels of a frame is only found when the frame is decoded. `nil` if nothing is missing.
    var partial: PartialReport? { get }

    /// The number of frames that ``frame(at:)`` can deliver.
    var frameCount: Int { get }

    /// How long frame `index` is shown, as stored; zero for a still picture.
    ///
    /// - Throws: `invalidArgument` if there is no such frame.
    func duration(at index: Int) throws(ImageError) -> Duration

    /// What the file says about frame `index`, before scaling and orientation; no pixel is decoded.
    ///
    /// - Throws: `invalidArgument` if there is no such frame.
    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo

    /// Frame `index`, composited on the full canvas.
    ///
    /// - Throws: what decoding it throws; `invalidArgument` if there is no such frame.
    func frame(at index: Int) throws(ImageError) -> ImageFrame

    /// The pixels that the file has for frame `index`, alone: as large as ``FrameInfo/rect``, neither composited nor scaled
    /// nor turned. In ``PixelFormat/rgba`` if the options ask for straight alpha, else in
    /// ``PixelFormat/bgraPremultiplied``.
    ///
    /// Its bitmap, four bytes for each pixel of that rectangle, counts towards
    /// ``DecodingLimits/maxMemoryByteCount`` beside what composited frames take; ``ImageInfo/estimatedPeakByteCount`` is about the latter.
    ///
    /// - Throws: what decoding it throws; `invalidArgument` if there is no such frame.
    func subFrame(at index: Int) throws(ImageError) -> ImageFrame

    /// Frame `index` in `bitmap`, whose memory is reused when it is uniquely held and has the size and format of the
    /// frame; otherwise it is replaced. After an error its content is unspecified.
    ///
    /// - Returns: Which part of the frame is decoded if it is partial; `nil` for a whole frame.
    /// - Throws: as ``frame(at:)``.
    @discardableResult
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport?
}

extension AnimatedImageProvider {
    /// Nothing is missing, for providers that know no damage.
    public var partial: PartialReport? { nil }

    /// Total number of plays, 0 for ever; 1 for a still picture.
    public var loopCount: Int { info.animation?.loopCount ?? 1 }

    /// A frame that covers the canvas and replaces what is there, for providers that do not implement this.
    public func frameInfo(at index: Int) throws(ImageError) -> FrameInfo {
        FrameInfo(
            rect: PixelRect(info.size), duration: try duration(at: index), blending: .replace, isOpaque: !info.hasAlpha,
            composedFromIndex: index)
    }

    /// The whole frame, for providers that know no more.
    public func subFrame(at index: Int) throws(ImageError) -> ImageFrame {
        var frame = try frame(at: index)
        frame.bitmap = try frame.bitmap.converted(to: .bgraPremultiplied)
        return frame
    }

    /// Composes the frame in memory of its own, for providers that cannot reuse any.
    @discardableResult
    public func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        let frame = try frame(at: index)
        bitmap = frame.bitmap
        return frame.partial
    }

    /// Throws `invalidArgument` if there is no frame `index`.
    package func check(frameAt index: Int) throws(ImageError) {
        guard index >= 0, index < frameCount else {
            throw .invalidArgument("frame \(index) of an animation of \(frameCount)")
        }
    }
}

/// What was read while all frames of a file were decoded.
public struct DecodedFrames: Sendable {
    /// What the headers say. ``ImageInfo/animation`` is `nil` for a still picture, which was handed out as one frame.
    public var info: ImageInfo
    /// What is missing; `nil` if every frame is whole.
    public var partial: PartialReport?

    /// Creates a description.
    public init(info: ImageInfo, partial: PartialReport? = nil) {
        self.info = info
        self.partial = partial
    }
}

/// A coder whose format has animations.
public protocol AnimatedImageCoder: ImageCoder {
    /// Opens an animation; decodes no frame.
    ///
    /// - Throws: `limitExceeded(.frames)` if it has more than ``DecodingLimits/maxFrameCount`` frames, unless the first
    ///   alone is wanted (``DecodingOptions/firstFrameOnly``).
    func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider

    /// Decodes all frames of a file in one call: each once, in their order, one in memory at a time.
    ///
    /// A still picture is handed out as one frame without duration. ``DecodingLimits/maxTime`` is for the whole call, `body`
    /// included. Strict decoding hands out the frames before the damage and then throws.
    ///
    /// - Parameters:
    ///   - data: the file.
    ///   - options: size, pixel format and limits.
    ///   - body: called with each frame, its number from 0, and what the headers say; an error it throws ends the call.
    /// - Throws: as decoding the file does.
    @discardableResult
    func decodeFrames(
        of data: ImageData, options: DecodingOptions, _ body: (ImageFrame, Int, ImageInfo) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedFrames
}

extension AnimatedImageCoder {
    /// Asks ``makeAnimation(from:options:)`` for one frame after the other, for coders that know no better way.
    @discardableResult
    public func decodeFrames(
        of data: ImageData, options: DecodingOptions, _ body: (ImageFrame, Int, ImageInfo) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedFrames {
        var work = WorkGuard(options)
        work.begin()
        let animation = try makeAnimation(from: data, options: options)
        var partial = animation.partial
        for index in 0..<animation.frameCount {
            try work.check()
            let frame = try animation.frame(at: index)
            partial = partial ?? frame.partial
            try body(frame, index, animation.info)
        }
        return DecodedFrames(info: animation.info, partial: partial)
    }
}
