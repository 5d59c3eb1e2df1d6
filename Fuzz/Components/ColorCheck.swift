// Colour profiles of every kind: read, compiled and applied to pictures of every format, alone and in whole files.

import APNGCodec
import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImageColor
import JPEGCodec
import PNGCodec
import WebPCodec

/// A profile is refused with an error, or its colours are the same whatever the format of the pixels.
enum ColorCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let profile = ColorProfileRecipe.any(&source)
        _ = ICCProfileTag.list(in: profile)
        if source.oneIn(4) { return violations(ofFileWith: profile, &source) }
        guard let read = try? ColorProfile(icc: profile) else { return [] }
        _ = ColorWords(read)
        let intents: [RenderingIntent?] = [
            nil, .perceptual, .relativeColorimetric, .saturation, .absoluteColorimetric,
        ]
        let transform = ColorTransform(
            from: read, to: source.pick([.sRGB, .displayP3, .adobeRGB, .linearSRGB]), intent: source.pick(intents),
            compensatesBlackPoint: !source.oneIn(3))
        do throws(ImageError) {
            return try read.channels == .cmyk
                ? violations(ofInks: transform, &source) : violations(of: transform, &source)
        } catch {
            return ["\(error)"]
        }
    }

    private static func violations(
        of transform: ColorTransform, _ source: inout DecisionSource
    ) throws(ImageError) -> [String] {
        let rgb = try picture(.rgb, &source)
        let wanted = try transform.converted(rgb)
        var found: [String] = []
        if transform.isIdentity, wanted != rgb { found.append("what is to stay has changed") }
        for format in [PixelFormat.bgrx, .rgba, .rgbaPremultiplied, .bgraPremultiplied] {
            let converted = try transform.converted(rgb.converted(to: format)).converted(to: .rgb)
            if converted != wanted { found.append("other colours in \(format)") }
        }
        for format in [PixelFormat.rgba16, .gray, .gray16, .grayAlpha] {
            _ = try transform.converted(rgb.converted(to: format))
        }
        let translucent = try picture(.rgba, &source)
        let alphas = try transform.converted(translucent).packedBytes()
        let before = translucent.packedBytes()
        for at in stride(from: 3, to: before.count, by: 4) where alphas[at] != before[at] {
            found.append("another alpha")
            break
        }
        return found
    }

    private static func violations(
        ofInks transform: ColorTransform, _ source: inout DecisionSource
    ) throws(ImageError) -> [String] {
        let inks = try picture(.cmyk, &source)
        let shown = try transform.converted(inks)
        return shown.format == .bgrx && shown.size == inks.size ? [] : ["inks became \(shown.format)"]
    }

    private static func picture(
        _ format: PixelFormat, _ source: inout DecisionSource
    ) throws(ImageError) -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width: 1 + source.below(40), height: 2), format: format)
        for y in 0..<bitmap.height {
            let bytes = source.bytes(bitmap.width * format.bytesPerPixel)
            bitmap.withMutableRowBytes(y) { row in for (at, byte) in bytes.enumerated() { row.setByte(byte, at: at) } }
        }
        return bitmap
    }

    /// A small PNG file with the profile, against all laws.
    private static func violations(ofFileWith profile: [UInt8], _ source: inout DecisionSource) -> [String] {
        let (width, height) = (1 + source.below(20), 1 + source.below(12))
        let hasAlpha = source.oneIn(2)
        let rowByteCount = width * (hasAlpha ? 4 : 3)
        var scanlines: [UInt8] = []
        for _ in 0..<height { scanlines += [0] + source.bytes(rowByteCount) }
        let file = PNGBuilder.file(
            width: width, height: height, colorType: hasAlpha ? 6 : 2,
            chunks: [("iCCP", Array("a profile".utf8) + [0, 0] + PNGBuilder.stored(profile))], scanlines: scanlines)
        var options = DecodingOptions.hostile(&source)
        options.color = .converted(
            to: source.pick(DecodingOptions.ColorSpace.allCases),
            strictness: source.pick(DecodingOptions.Strictness.allCases))
        let registry = CoderRegistry(
            [WebPCoder(), JPEGCoder(), PNGCoder(), GIFCoder(), APNGCoder()], colorConverter: .profiles)
        return DecoderLaws(registry).hostileViolations(file, options: options, source)
    }
}
