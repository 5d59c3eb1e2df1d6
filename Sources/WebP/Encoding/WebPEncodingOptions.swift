// What a caller may ask of the WebP encoder alone.

public import ImageCodecsCore
import WebPLosslessCodec

/// Options of WebP files; `EncodingOptions.webp`.
///
/// `EncodingOptions.quality` means something if ``isNearLossless`` is set, and nothing otherwise. See <doc:WritingWebP>.
public struct WebPEncodingOptions: FormatEncodingOptions {
    /// Whether samples keep their values. `false` asks for the lossy bitstream, which is not written yet: `unsupported` is thrown.
    public var isLossless = true

    /// Whether samples may change a little, so that the file gets smaller: those of smooth areas stay. `EncodingOptions.quality`
    /// says how little: 1 changes nothing, 0.6 is usual, and 0 takes five bits of each sample at most.
    ///
    /// Of pictures, not of animations. `EncodingOptions.maxFileByteCount` lowers the quality then before it scales the picture down.
    public var isNearLossless = false

    /// Whether pixels with alpha 0 keep their colours. If not, they get those that take the fewest bytes: they are not seen.
    ///
    /// Of pictures, not of animations.
    public var keepsInvisibleColors = false

    /// Without loss of anything that is seen.
    public init() {}
}

extension EncodingOptions {
    /// Options of WebP files.
    public var webp: WebPEncodingOptions {
        get { self[WebPEncodingOptions.self] }
        set { self[WebPEncodingOptions.self] = newValue }
    }

    /// What is wanted of the bitstream of a still picture.
    ///
    /// - Throws: `unsupported` for a lossy one, `invalidArgument` for a quality that means something and is not 0...1.
    var losslessSettings: VP8LEncoder.Settings {
        get throws(ImageError) {
            try checkIsLossless()
            var settings = VP8LEncoder.Settings(effort: effort)
            settings.keepsInvisibleColors = webp.keepsInvisibleColors
            guard webp.isNearLossless else { return settings }
            let quality = quality ?? 0.6
            guard quality >= 0, quality <= 1 else { throw .invalidArgument("a quality of \(quality); it is 0 to 1") }
            settings.nearLosslessQuality = Int((quality * 100).rounded())
            return settings
        }
    }

    /// Refuses to write the lossy bitstream.
    func checkIsLossless() throws(ImageError) {
        guard !webp.isLossless else { return }
        throw .unsupported(
            .webP,
            feature: "writing it with loss, which this version does not do; options.webp.isLossless has to be true")
    }
}
