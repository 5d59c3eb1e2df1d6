// The GIF coder: what the registry asks. `decode` is in ImageCore's AnimatedSessionCoder.swift, for all animated formats.

public import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata

/// Decodes GIF, stills and animations, also incrementally and scaled down, and encodes it.
///
/// Frames are composited as browsers do: the background color is not painted, and what no frame has painted is
/// transparent.
///
/// Written are still pictures and animations, exactly if the colours fit into color tables, of each frame only what changed. See
/// ``GIFEncodingOptions``.
public struct GIFCoder: AnimatedSessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// GIF.
    public var decodableFormats: [ImageFormat] { [.gif] }

    /// Whether `header` starts with GIF's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool {
        for signature in FormatSignature.gif where signature.match(header) == .whole { return true }
        return false
    }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> GIFStream {
        GIFStream(request, reusable: reusable)
    }

    /// There may be another frame after each.
    package var headersTellAnimations: Bool { false }

    /// Whether `format` is GIF.
    public func canEncode(to format: ImageFormat) -> Bool { format == .gif }

    /// Pixels of GIF files are opaque or transparent.
    package func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        EncoderTraits(
            keepsTranslucency: false, metadataPlaces: .gif, quality: .limitsLoss,
            lossLadder: options.gif.mayReduceColors ? Self.fewerColors(options) : nil)
    }

    /// Smaller and smaller color tables.
    private static func fewerColors(_ options: EncodingOptions) -> EncoderTraits.LossLadder {
        EncoderTraits.LossLadder.steps(losesColors: true) {
            [128, 64, 32, 16].filter { $0 < options.gif.colorCount }.map { count in
                var options = options
                options.gif.colorCount = count
                return options
            }
        }
    }

    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        try GIFStillEncoder(picture, request.keepingPixels)
    }

    /// Whether `format` is GIF.
    package func canEncodeAnimation(to format: ImageFormat) -> Bool { format == .gif }

    package func checkTranslucencyLoss(_ options: EncodingOptions) throws(ImageError) {
        try options.keepingPixels.gif.checkTranslucencyLoss()
    }

    package func makeAnimationEncoder(
        _ animation: EncodedAnimation, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any AnimationEncoder {
        try GIFAnimationEncoder(animation, request.keepingPixels)
    }
}

/// Writes GIF files.
extension GIFCoder: RowEncodingCoder, AnimationEncodingCoder {}

extension EncodingRequest {
    /// The same request, in which no colour may be lost if no pixel may change.
    fileprivate var keepingPixels: EncodingRequest {
        guard options.keepsPixels else { return self }
        var options = options.keepingPixels
        options.memoryMeter = meter
        return EncodingRequest(options: options)
    }
}

extension EncodingOptions {
    /// The same options, with which no colour may be lost if no pixel may change.
    fileprivate var keepingPixels: EncodingOptions {
        var options = self
        if keepsPixels { options.gif.mayReduceColors = false }
        return options
    }
}
