// The PNG coder: recognizes, decodes and encodes PNG for `CoderRegistry`.

public import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata

/// Decodes PNG, also incrementally and scaled down, and encodes it.
///
/// Of an animated PNG it decodes the default image.
///
/// Files get the smallest colour type and bit depth that keep every pixel. Large pictures that are written with
/// `EncodingOptions.Effort.fast` go row by row, as what the rows' format says. See ``PNGEncodingOptions``.
public struct PNGCoder: SessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// PNG.
    public var decodableFormats: [ImageFormat] { [.png] }

    /// Whether `header` starts with PNG's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.png.match(header) == .whole }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> PNGStream {
        PNGStream.make(request, reusable: reusable)
    }

    /// Whether `format` is PNG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .png }

    package func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        EncoderTraits(metadataPlaces: .png, lossLadder: options.png.mayReduceColors ? Self.fewerColors(options) : nil)
    }

    package func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        guard let colorCount = request.options.png.colorCount else { return try PNGEncoder(picture, request) }
        return try PNGPaletteEncoder(picture, colorCount: colorCount, request)
    }

    /// Smaller and smaller palettes.
    private static func fewerColors(_ options: EncodingOptions) -> EncoderTraits.LossLadder {
        EncoderTraits.LossLadder.steps(losesColors: true) {
            [256, 128, 64, 32, 16].filter { $0 < options.png.colorCount ?? .max }.map { count in
                var options = options
                options.png.colorCount = count
                return options
            }
        }
    }
}

/// Writes PNG files.
extension PNGCoder: RowEncodingCoder {}
