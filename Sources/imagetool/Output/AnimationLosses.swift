// What a format cannot keep of an animation.

import APNGCodec
import ImageCodecs

/// What is lost of an animation that is written in another format.
struct AnimationLosses: Sendable {
    /// Remarks that are no failures.
    let warnings: [String]

    /// - Parameters:
    ///   - animation: what is written.
    ///   - format: what is written it is written as.
    /// - Throws: what asking for durations throws.
    init(_ animation: any AnimatedImageProvider, writing format: ImageFormat) throws(ImageError) {
        var warnings: [String] = []
        if animation.info.bitDepth > 8 {
            warnings.append("frames have eight bits a sample, \(animation.info.bitDepth) bits of the file are rounded")
        }
        if format == .apng || format == .png {
            var count = 0
            for index in 0..<animation.frameCount {
                let duration = try animation.duration(at: index)
                if FrameDelay(duration).duration.wholeMilliseconds != duration.wholeMilliseconds { count += 1 }
            }
            if count > 0 { warnings.append("\(count) of \(animation.frameCount) durations are rounded") }
        }
        self.warnings = warnings
    }
}
