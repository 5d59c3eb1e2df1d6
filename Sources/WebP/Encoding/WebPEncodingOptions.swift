// What a caller may ask of the WebP encoder alone.

public import ImageCodecsCore
import ImageEncoding
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

    /// Whether a still picture is coded with loss and without, and the shorter file is written: with `EncodingOptions.quality`, or
    /// as `EncodingOptions.targetQuality` asks. Of animations each frame is written in the way that is worth more, whenever they may lose
    /// something.
    public var choosesLoss = false

    /// How much the alpha of a still picture with loss may lose: 1 nothing; below, it is made of fewer and fewer levels, of which the
    /// least and the greatest stay: 16 at 0.7, two at 0. Few pictures get much smaller by it.
    public var alphaQuality = 1.0

    /// How many partitions the coefficients of pictures with loss are in: 1, 2, 4 or 8. Decoders may read rows of several at once; those
    /// that get a file in pieces have to hold more of it.
    public var tokenPartitionCount = 1

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
        if webp.choosesLoss { return true }
        return webp.isLossless.map { !$0 } ?? (quality != nil || isLossySource)
    }

    /// Refuses to lose something and to lose nothing at once.
    private func checkWebPLoss() throws(ImageError) {
        if webp.isLossless == false || webp.choosesLoss, keepsPixels || webp.isNearLossless {
            throw .invalidArgument("samples of a WebP file that lose something and keep their values at once")
        }
        if webp.isLossless == true, webp.choosesLoss {
            throw .invalidArgument("a WebP file without loss that may choose loss")
        }
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
            var settings = VP8Encoder.Settings(quality: try checkedQuality(usually: 0.75) * 100, effort: effort)
            guard [1, 2, 4, 8].contains(webp.tokenPartitionCount) else {
                throw .invalidArgument("\(webp.tokenPartitionCount) token partitions; there can be 1, 2, 4 or 8")
            }
            settings.partitionCount = webp.tokenPartitionCount
            return settings
        }
    }

    /// Levels that alpha of a lossy still picture may have, 2...256.
    ///
    /// - Throws: `invalidArgument` for a quality of alpha that is not 0...1.
    var alphaLevelCount: Int {
        get throws(ImageError) {
            let quality = webp.alphaQuality
            guard quality >= 0, quality <= 1 else {
                throw .invalidArgument("a quality of alpha of \(quality); it is 0 to 1")
            }
            return quality <= 0.7 ? 2 + Int((20 * quality).rounded()) : 16 + Int((800 * (quality - 0.7)).rounded())
        }
    }
}
