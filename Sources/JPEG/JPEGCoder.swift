// The JPEG coder: what the registry asks.

public import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes JPEG, also incrementally and scaled down.
public struct JPEGCoder: SessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// JPEG.
    public var decodableFormats: [ImageFormat] { [.jpeg] }

    /// Whether `header` starts with an SOI marker and the first byte of another.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.jpeg.match(header) == .whole }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> JPEGStream {
        JPEGStream(request, reusable: reusable, makeFrame: JPEGDecoder.makeFrame)
    }
}
