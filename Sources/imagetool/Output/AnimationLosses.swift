// What a format cannot keep of an animation.

import APNGCodec
import ImageCodecs

/// What is lost of an animation that is written in another format.
struct AnimationLosses: Sendable {
    /// Remarks that are no failures.
    let warnings: [String]

    /// - Parameters:
    ///   - animation: what is written.
    ///   - file: the file that it was opened from, if it was one.
    ///   - format: what it is written as.
    /// - Throws: what asking for durations throws.
    init(
        _ animation: any AnimatedImageProvider, of file: ImageData = ImageData([]), writing format: ImageFormat
    ) throws(ImageError) {
        var warnings: [String] = []
        if animation.info.format == .apng, Self.hasPictureOutside(file) {
            warnings.append("the default image, which is no frame, is left out")
        }
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

    /// Whether image data come before the first frame of an animated PNG file.
    ///
    /// - Source: PNG 3rd ed. §4.9 "APNG: frame-based animation".
    private static func hasPictureOutside(_ file: ImageData) -> Bool {
        file.withBytes { bytes in
            // After the signature: length, type, body, checksum.
            var position = 8
            while position + 8 <= bytes.count {
                let type = (position + 4..<position + 8).map { bytes[$0] }
                if type == Array("fcTL".utf8) { return false }
                if type == Array("IDAT".utf8) { return true }
                position += 12 + (position..<position + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
            }
            return false
        }
    }
}
