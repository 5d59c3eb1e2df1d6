// Animations: any frames, any options. Out: what the laws of animation encoders find wrong.

import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import ImagePalettes
import WebPCodec

enum EncodeAnimationCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        do throws(ImageError) {
            let movie = try RandomMovie(&source)
            var options = EncodingOptions()
            options.effort = source.pick(EncodingOptions.Effort.allCases)
            let format = source.pick([ImageFormat.gif, .apng, .webP])
            let largestLoopCount = format == .gif ? 65_536 : format == .webP ? 65_535 : 1 << 20
            if source.oneIn(3) { options.loopCount = source.below(largestLoopCount + 1) }
            let laws: AnimationEncoderLaws
            switch format {
            case .gif: laws = gifLaws(&source, &options)
            case .webP: laws = AnimationEncoderLaws(WebPCoder(), writing: .webP, .webP)
            default:
                if source.oneIn(4) { options.apng.defaultPicture = try defaultPicture(&source, movie.info.size) }
                laws = AnimationEncoderLaws(APNGCoder(), writing: .apng)
            }
            let found = laws.violations(movie, options)
            if source.oneIn(8) { return found + laws.misuseIsRefused(movie) }
            return source.oneIn(8) ? found + laws.sizeLimitsAreMet(movie, options) : found
        } catch {
            return ["no animation: \(error)"]
        }
    }

    private static func gifLaws(
        _ source: inout DecisionSource, _ options: inout EncodingOptions
    ) -> AnimationEncoderLaws {
        if source.oneIn(2) { options.gif.colorCount = 2 + source.below(255) }
        options.gif.tables = source.pick(GIFEncodingOptions.Tables.allCases)
        options.gif.dithering = source.pick([.none, .blueNoise, .default, .errorDiffusion(strength: 1)])
        let traits = AnimationEncoderLaws.Traits.gif(
            colorCount: options.gif.colorCount, sharesTable: options.gif.tables == .global)
        return AnimationEncoderLaws(GIFCoder(), writing: .gif, traits)
    }

    private static func defaultPicture(
        _ source: inout DecisionSource, _ size: PixelSize
    ) throws(ImageError) -> Bitmap {
        try EncoderPicture(
            source.pick(EncoderPicture.Content.allCases), size: size, format: source.pick(PixelFormat.all),
            seed: UInt64(source.byte())
        ).bitmap
    }
}
