// The WebP coder: what the registry asks.

public import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata
import WebPLosslessCodec

/// Decodes WebP, stills and animations, also incrementally and scaled down, and encodes it, with loss and without.
///
/// Frames are composited as browsers do: the background color is not painted, and what no frame has painted is
/// transparent.
///
/// Written are still pictures and animations, with eight bits a sample; of each frame only what changed. See ``WebPEncodingOptions``.
public struct WebPCoder: AnimatedSessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// WebP.
    public var decodableFormats: [ImageFormat] { [.webP] }

    /// Whether `header` starts with WebP's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.webP.match(header) == .whole }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> WebPStream {
        WebPStream(request, reusable: reusable)
    }

    /// Whether `format` is WebP.
    public func canEncode(to format: ImageFormat) -> Bool { format == .webP }

    package func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        guard options.webp.isNearLossless || (options.webp.isLossless != true && !options.keepsPixels) else {
            return EncoderTraits(metadataPlaces: .webP)
        }
        return EncoderTraits(metadataPlaces: .webP, quality: .limitsLoss, lossLadder: Self.lowerQualities(options))
    }

    /// Lower qualities; of a picture that would lose nothing, if the caller does not insist on that, all.
    private static func lowerQualities(_ options: EncodingOptions) -> EncoderTraits.LossLadder {
        var options = options
        guard options.webp.isNearLossless else {
            if !options.webp.choosesLoss { options.webp.isLossless = false }
            return .qualities(options)
        }
        // Samples change, colours do not become others.
        return .steps(losesColors: false) { [options] in
            guard let settings = try? options.losslessSettings else { return [] }
            // Each takes one bit more from samples.
            return [80, 60, 40, 20, 0].filter { $0 < settings.nearLosslessQuality }.map { quality in
                var options = options
                options.quality = Double(quality) / 100
                return options
            }
        }
    }

    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        try WebPStillEncoder(picture, request)
    }
}

/// Writes WebP files.
extension WebPCoder: RowEncodingCoder {}
