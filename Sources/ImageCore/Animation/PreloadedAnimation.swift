// An animation whose frames are all decoded.

/// Holds all composited frames in memory. Sub-frames, which are seldom asked for, are still decoded from the file.
struct PreloadedAnimation: AnimatedImageProvider {
    private let animation: any AnimatedImageProvider
    private let frames: [ImageFrame]

    /// Decodes every frame, in order.
    init(_ animation: any AnimatedImageProvider, maxByteCount: Int) throws(ImageError) {
        let promised = animation.info.decodedByteCount.multipliedSaturated(by: animation.frameCount)
        try Self.check(promised, maxByteCount)
        var frames: [ImageFrame] = []
        var byteCount = 0
        for index in 0..<animation.frameCount {
            try WorkGuard.unlimited.check()
            let frame = try animation.frame(at: index)
            byteCount = byteCount.addingSaturated(frame.bitmap.byteCount)
            // Frames may take more memory than the headers let expect.
            try Self.check(byteCount, maxByteCount)
            frames.append(frame)
        }
        self.animation = animation
        self.frames = frames
    }

    private static func check(_ byteCount: Int, _ maxByteCount: Int) throws(ImageError) {
        guard byteCount <= maxByteCount else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: maxByteCount)
        }
    }

    var info: ImageInfo { animation.info }
    var frameCount: Int { frames.count }

    func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return frames[index].duration
    }

    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo { try animation.frameInfo(at: index) }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        return frames[index]
    }

    func subFrame(at index: Int) throws(ImageError) -> ImageFrame { try animation.subFrame(at: index) }
}

extension AnimatedImageProvider {
    /// The same animation with every frame decoded, so that frames cost nothing from now on.
    ///
    /// Takes as long as decoding all frames; cancelling the task ends it. The file stays in memory too:
    /// ``subFrame(at:)`` still decodes from it.
    ///
    /// - Parameter maxByteCount: Bytes that all frames together may take (``ImageInfo/decodedByteCount`` times
    ///   ``frameCount``).
    /// - Returns: An animation that holds its frames.
    /// - Throws: `limitExceeded(.memory)` before anything is decoded if frames would take more, what decoding throws,
    ///   and `cancelled` when the task is.
    public func preloaded(
        maxByteCount: Int = DecodingLimits.default.maxMemoryByteCount
    ) throws(ImageError) -> any AnimatedImageProvider {
        try PreloadedAnimation(self, maxByteCount: maxByteCount)
    }
}
