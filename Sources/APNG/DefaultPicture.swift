// Whether viewers without animation show a picture that is no frame.

import ImageCodecsCore
import PNGCodec

extension APNGCoder {
    /// Whether the image data of an animated PNG file come before its first frame, so that they are a picture of their own.
    ///
    /// - Source: PNG 3rd ed. §4.9 "APNG: frame-based animation".
    package static func hasDefaultPicture(in file: Span<UInt8>) -> Bool {
        PNGCoder.isAnimated(file) && !PNGCoder.hasChunk(.frameControl, beforeImageDataOf: file)
    }
}
