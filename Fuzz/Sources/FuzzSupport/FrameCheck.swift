// Opens any bytes as an animation. Frames must not depend on the order in which they are asked for.

public import ImageCore

/// Checks the frames of one file, strict and tolerant.
public enum FrameCheck {
    /// Stops the process where a frame differs from itself.
    public static func run(_ bytes: [UInt8], _ coder: any AnimatedImageCoder) {
        var options = FuzzInput.options(for: bytes)
        for strictness in DecodingOptions.Strictness.allCases {
            options.strictness = strictness
            options.maxFrameCacheByteCount = strictness == .strict ? 0 : 1 << 16
            guard let movie = try? coder.makeAnimation(from: ImageData(bytes), options: options), movie.frameCount > 0
            else { continue }
            require(movie.frameCount <= options.limits.maxFrameCount, "\(movie.frameCount) frames")
            compare(movie, Choices(seed: FuzzInput.checksum(bytes) ^ 0x9E37_79B9))
        }
    }

    /// Frames in order, in a bitmap that is handed back, against frames at random.
    private static func compare(_ movie: any AnimatedImageProvider, _ choices: Choices) {
        var (choices, bitmap) = (choices, Bitmap.empty)
        var frames: [[UInt8]?] = []
        for index in 0..<movie.frameCount {
            let isThere = (try? movie.frame(at: index, into: &bitmap)) != nil
            frames.append(isThere ? bitmap.packedBytes() : nil)
        }
        for _ in 0..<min(12, 2 * movie.frameCount) {
            let index = Int(choices.next(UInt32(movie.frameCount)))
            let frame = try? movie.frame(at: index)
            // A frame that covers another may be there although the other is damaged.
            guard let frame, let expected = frames[index] else { continue }
            require(frame.bitmap.packedBytes() == expected, "frame \(index) differs from itself")
            _ = try? movie.subFrame(at: index)
        }
    }
}
