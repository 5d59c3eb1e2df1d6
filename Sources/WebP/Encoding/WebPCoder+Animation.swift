// What the registry asks the WebP coder about animations that are written.

package import ImageCodecsCore
package import ImageEncoding

/// Writes animated WebP files.
extension WebPCoder: AnimationEncodingCoder {
    /// Whether `format` is WebP.
    package func canEncodeAnimation(to format: ImageFormat) -> Bool { format == .webP }

    package func makeAnimationEncoder(
        _ animation: EncodedAnimation, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any AnimationEncoder {
        try WebPAnimationEncoder(animation, request)
    }
}
