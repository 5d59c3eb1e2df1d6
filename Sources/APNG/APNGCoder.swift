// The APNG coder: decodes and encodes animated PNG for the registry.

public import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata
import PNGCodec

/// Decodes animated PNG, and PNG by the same code, also incrementally and scaled down, and encodes it.
///
/// The picture of a file is its default image; the frames are in `RasterImage.animation`. If only the first frame is
/// wanted, that is the picture.
///
/// Written are animations, with one colour type or palette for all frames; of each frame only what changed. Pictures that are not
/// animated become PNG files. See ``APNGEncodingOptions``.
public struct APNGCoder: AnimatedSessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// APNG and PNG.
    public var decodableFormats: [ImageFormat] { [.apng, .png] }

    /// Whether `header` starts with PNG's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { PNGCoder().canDecode(header) }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> APNGStream {
        APNGStream(request, reusable: reusable)
    }

    /// Whether `format` is APNG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .apng }

    package func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        EncoderTraits(metadataPlaces: .png)
    }

    /// Writes what is not animated: a PNG file.
    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        try PNGEncoder(picture, request)
    }

    /// Whether `format` is APNG or PNG: an animated PNG is a PNG file.
    package func canEncodeAnimation(to format: ImageFormat) -> Bool { format == .apng || format == .png }

    package func makeAnimationEncoder(
        _ animation: EncodedAnimation, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any AnimationEncoder {
        try APNGEncoder(animation, request)
    }
}

/// Writes APNG files.
extension APNGCoder: RowEncodingCoder, AnimationEncodingCoder {}
