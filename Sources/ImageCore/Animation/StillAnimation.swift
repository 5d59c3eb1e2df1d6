// Pictures that stand still, for callers that ask for animations: a file of one frame, and the first frame of many.

internal import Synchronization

/// A still picture as an animation of one frame. Opening it decodes nothing.
final class StillAnimation: AnimatedImageProvider {
    let info: ImageInfo
    private let data: ImageData
    private let options: DecodingOptions
    private let coder: any ImageCoder
    /// The frame, once it was asked for.
    private let decoded = Mutex<ImageFrame?>(nil)

    /// - Parameter coder: decodes the file when its frame is asked for.
    init(_ data: ImageData, info: ImageInfo, coder: any ImageCoder, options: DecodingOptions) {
        self.data = data
        self.info = info
        self.coder = coder
        var options = options
        // The frame has its time to itself.
        options.spentTime = .zero
        self.options = options
    }

    var frameCount: Int { 1 }

    func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return .zero
    }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        if let frame = decoded.withLock({ $0 }) { return frame }
        let image = try coder.decode(data, options: options)
        let frame = ImageFrame(bitmap: image.bitmap, duration: .zero, partial: image.partial)
        decoded.withLock { $0 = frame }
        return frame
    }

    /// Decodes anew: what is decoded into a caller's memory is not kept.
    @discardableResult
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        try check(frameAt: index)
        return try coder.decode(data, into: &bitmap, options: options)
    }
}

/// An animation cut to its first frame, for options with `firstFrameOnly`.
struct FirstFrame: AnimatedImageProvider {
    private let animation: any AnimatedImageProvider

    init(of animation: any AnimatedImageProvider) { self.animation = animation }

    var info: ImageInfo { animation.info }
    var frameCount: Int { min(1, animation.frameCount) }

    func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return try animation.duration(at: index)
    }

    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo {
        try check(frameAt: index)
        return try animation.frameInfo(at: index)
    }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        return try animation.frame(at: index)
    }

    func subFrame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        return try animation.subFrame(at: index)
    }

    @discardableResult
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        try check(frameAt: index)
        return try animation.frame(at: index, into: &bitmap)
    }
}

extension DecodingOptions {
    /// An animation as these options want it, whoever opened it: not more than its first frame, or not more frames than
    /// the limits allow.
    ///
    /// - Throws: `limitExceeded(.frames)`.
    package func admit(
        _ animation: any AnimatedImageProvider
    ) throws(ImageError) -> any AnimatedImageProvider {
        if firstFrameOnly { return animation.frameCount > 1 ? FirstFrame(of: animation) : animation }
        try limits.check(frameCount: animation.frameCount)
        return animation
    }
}
