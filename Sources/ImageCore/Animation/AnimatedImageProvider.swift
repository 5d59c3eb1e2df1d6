// Animations: their frames, who gives them, and coders that have them.

/// One frame of an animation.
public struct ImageFrame: Sendable {
    /// The whole canvas as it looks while this frame is shown.
    public var bitmap: Bitmap
    /// How long it is shown, as stored in the file.
    public var duration: Duration
    /// What is real when not all of the frame could be decoded; `nil` for whole frames.
    public var partial: PartialReport?

    /// Creates a frame.
    public init(bitmap: Bitmap, duration: Duration, partial: PartialReport? = nil) {
        self.bitmap = bitmap
        self.duration = duration
        self.partial = partial
    }

    /// How long viewers show it: 100 ms where the file says 10 ms or less.
    public var effectiveDuration: Duration { duration <= .milliseconds(10) ? .milliseconds(100) : duration }

    /// Whether some of the frame is missing.
    public var isPartial: Bool { partial != nil }
}

/// Frames of an animation in any order, from any thread.
///
/// Limits, pixel format, size and orientation are those of the options that the animation was opened with. What
/// ``ImageInfo/peakByteCount`` of ``info`` promises is for one call at a time: each thread that composes a frame while another
/// does takes a canvas of its own.
public protocol AnimatedImageProvider: Sendable {
    /// What the headers say; ``ImageInfo/animation`` has how often the animation is played.
    var info: ImageInfo { get }

    /// How many frames there are to be had.
    var frameCount: Int { get }

    /// How long frame `index` is shown, as stored; zero for a still picture.
    ///
    /// - Throws: `invalidArgument` where there is no such frame.
    func duration(at index: Int) throws(ImageError) -> Duration

    /// What the file says about frame `index`, before scaling and orientation; no pixel is decoded.
    ///
    /// - Throws: `invalidArgument` where there is no such frame.
    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo

    /// Frame `index`, composited on the full canvas.
    ///
    /// - Throws: what decoding it throws; `invalidArgument` where there is no such frame.
    func frame(at index: Int) throws(ImageError) -> ImageFrame

    /// The pixels that the file has for frame `index`, alone: as large as ``FrameInfo/rect``, neither composited nor scaled
    /// nor turned. In ``PixelFormat/rgba`` where the options ask for straight alpha, else in
    /// ``PixelFormat/bgraPremultiplied``.
    ///
    /// Its bitmap, four bytes for each pixel of that rectangle, counts towards
    /// ``DecodingLimits/maxMemoryByteCount`` beside what composited frames take; ``ImageInfo/peakByteCount`` promises the latter.
    ///
    /// - Throws: what decoding it throws; `invalidArgument` where there is no such frame.
    func subFrame(at index: Int) throws(ImageError) -> ImageFrame

    /// Frame `index` in `bitmap`, whose memory is reused when it is uniquely held and has the size and format of the
    /// frame; otherwise it is replaced. After an error its content is unspecified.
    ///
    /// - Returns: What of the frame is real where it is partial; `nil` for a whole frame.
    /// - Throws: as ``frame(at:)``.
    @discardableResult
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport?
}

extension AnimatedImageProvider {
    /// Total number of plays, 0 for ever; 1 for a still picture.
    public var loopCount: Int { info.animation?.loopCount ?? 1 }

    /// A frame that covers the canvas and replaces what is there, for providers that know no more.
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

    /// Refuses a frame that is not there.
    package func check(frameAt index: Int) throws(ImageError) {
        guard index >= 0, index < frameCount else {
            throw .invalidArgument("frame \(index) of an animation of \(frameCount)")
        }
    }
}

/// A coder whose format has animations.
public protocol AnimatedImageCoder: ImageCoder {
    /// Opens an animation; decodes no frame.
    ///
    /// - Throws: `limitExceeded(.frames)` where it has more than ``DecodingLimits/maxFrameCount`` frames, unless the first
    ///   alone is wanted (``DecodingOptions/firstFrameOnly``).
    func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider
}
