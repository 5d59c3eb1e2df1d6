// The PNG coder: recognizes, decodes and encodes PNG for `CoderRegistry`.

public import ImageCodecsCore

/// Decodes PNG, also incrementally and scaled down, and encodes it.
///
/// Of an animated PNG it decodes the default image.
///
/// Writes of `EncodingOptions.Effort.fast` go row by row; with more effort the smallest colour type and bit depth that keep
/// every pixel are chosen first.
public struct PNGCoder: SessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// PNG.
    public var decodableFormats: [ImageFormat] { [.png] }

    /// Whether `header` starts with PNG's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.png.match(header) == .whole }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> PNGStream {
        PNGStream(request, reusable: reusable)
    }

    /// Whether `format` is PNG, and the package is built with the trait `SystemZlib`, which compresses.
    public func canEncode(to format: ImageFormat) -> Bool {
        #if SystemZlib
        format == .png
        #else
        false
        #endif
    }

    #if SystemZlib
    package func keepsAlpha(writing format: ImageFormat) -> Bool { true }

    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        try PNGEncoder(picture, request)
    }
    #endif
}

#if SystemZlib
/// Writes PNG files: from rows as they come with `EncodingOptions.Effort.fast`, otherwise of the smallest colour type and depth
/// that keep every pixel.
extension PNGCoder: RowEncodingCoder {}
#endif
