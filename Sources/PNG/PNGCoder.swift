// The PNG coder: recognizes, decodes and encodes PNG for `CoderRegistry`.

public import ImageCodecsCore

/// Decodes PNG, also incrementally and scaled down, and encodes it.
///
/// Of an animated PNG it decodes the default image.
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

    /// Writes the image's bitmap as a PNG file of the smallest colour type and depth that keep every pixel.
    ///
    /// - Throws: `unsupported` for another format or without trait `SystemZlib`; `invalidArgument` if empty or when no size fits
    ///   `EncodingOptions.maxFileByteCount`, `limitExceeded` for a side of 2^31 pixels or more, `cancelled`.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        #if SystemZlib
        guard canEncode(to: format) else { throw .unsupported(format, feature: "encoding by the PNG coder") }
        return try PNGEncoder(options: options).encode(image)
        #else
        throw .unsupported(format, feature: "encoding by a PNG coder built without the trait SystemZlib")
        #endif
    }
}
