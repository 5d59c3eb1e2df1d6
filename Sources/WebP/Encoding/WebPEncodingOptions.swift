// What a caller may ask of the WebP encoder alone.

public import ImageCodecsCore
import WebPLosslessCodec
import WebPLossyCodec

/// Options of WebP files; `EncodingOptions.webp`.
///
/// See <doc:WritingWebP>.
public struct WebPEncodingOptions: FormatEncodingOptions {
    /// Whether samples keep their values. `nil`: they lose something if `EncodingOptions.quality` is given (without ``isNearLossless``), or
    /// if the picture comes from a file that had lost something already, of JPEG or of WebP; else they do not.
    public var isLossless: Bool?

    /// Whether samples may change a little, so that the file gets smaller: those of smooth areas stay. `EncodingOptions.quality`
    /// says how little: 1 changes nothing, 0.6 is usual, and 0 takes five bits of each sample at most.
    ///
    /// Of pictures, not of animations.
    public var isNearLossless = false

    /// Whether pixels with alpha 0 keep their colours. If not, they get those that take the fewest bytes: they are not seen.
    ///
    /// Of pictures without loss, not of animations.
    public var keepsInvisibleColors = false

    /// The usual ones.
    public init() {}
}

extension EncodingOptions {
    /// Options of WebP files.
    public var webp: WebPEncodingOptions {
        get { self[WebPEncodingOptions.self] }
        set { self[WebPEncodingOptions.self] = newValue }
    }

    /// Whether samples may lose something, and the bitstream is a lossy one.
    ///
    /// - Parameter isLossySource: whether the picture comes from a file that had lost something.
    func writesLossyWebP(of isLossySource: Bool) -> Bool {
        if keepsPixels || webp.isNearLossless { return false }
        return webp.isLossless.map { !$0 } ?? (quality != nil || isLossySource)
    }

    /// Refuses to lose something and to lose nothing at once.
    private func checkWebPLoss() throws(ImageError) {
        guard webp.isLossless == false, keepsPixels || webp.isNearLossless else { return }
        throw .invalidArgument("samples of a WebP file that lose something and keep their values at once")
    }

    /// What is wanted of the bitstream of a lossless still picture.
    ///
    /// - Throws: `invalidArgument` for options that exclude each other, and for a quality that means something and is not 0...1.
    var losslessSettings: VP8LEncoder.Settings {
        get throws(ImageError) {
            try checkWebPLoss()
            var settings = VP8LEncoder.Settings(effort: effort)
            settings.keepsInvisibleColors = webp.keepsInvisibleColors
            guard webp.isNearLossless else { return settings }
            settings.nearLosslessQuality = Int((try checkedQuality(usually: 0.6) * 100).rounded())
            return settings
        }
    }

    /// What is wanted of a lossy bitstream.
    ///
    /// - Throws: as ``losslessSettings``.
    var lossySettings: VP8Encoder.Settings {
        get throws(ImageError) {
            try checkWebPLoss()
            return VP8Encoder.Settings(quality: try checkedQuality(usually: 0.75) * 100, effort: effort)
        }
    }

    private func checkedQuality(usually usual: Double) throws(ImageError) -> Double {
        let quality = quality ?? usual
        guard quality >= 0, quality <= 1 else { throw .invalidArgument("a quality of \(quality); it is 0 to 1") }
        return quality
    }
}
