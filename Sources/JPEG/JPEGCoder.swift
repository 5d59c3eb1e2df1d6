// The JPEG coder: what the registry asks.

public import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata
package import JPEGBaselineCodec

/// Decodes JPEG, also incrementally and scaled down, and encodes it.
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

    /// Whether `format` is JPEG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .jpeg }
}

/// Writes JPEG files from rows; see ``JPEGEncodingOptions``.
extension JPEGCoder: RowEncodingCoder {
    package func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        var lower = options
        lower.quality = options.quality ?? EncodingDecisions.usualQuality / 100
        return EncoderTraits(
            keepsAlpha: false, keepsTranslucency: false, metadataPlaces: .jpeg, quality: .setsLoss,
            lossLadder: .qualities(lower))
    }

    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        try JPEGEncoder(picture, request)
    }
}
