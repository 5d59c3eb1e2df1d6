// Animations: any frames, any options. Out: what the laws of animation encoders find wrong.

import APNGCodec
import CodecTestSupport
import ImageCodecsCore

enum EncodeAnimationCheck {
    private static let laws = AnimationEncoderLaws(APNGCoder(), writing: .apng)

    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        do throws(ImageError) {
            let movie = try RandomMovie(&source)
            var options = EncodingOptions()
            options.effort = source.pick(EncodingOptions.Effort.allCases)
            if source.oneIn(3) { options.loopCount = source.below(1 << 20) }
            if source.oneIn(4) { options.apng.defaultPicture = try defaultPicture(&source, movie.info.size) }
            let found = laws.violations(movie, options)
            if source.oneIn(8) { return found + laws.misuseIsRefused(movie) }
            return source.oneIn(8) ? found + laws.sizeLimitsAreMet(movie, options) : found
        } catch {
            return ["no animation: \(error)"]
        }
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
