// JPEG files of any kind, whole or damaged, whose coefficients are coded anew, turned, cut out and pasted.

import CodecTestSupport
import HostileFiles
import ImageCodecsCore
import JPEGCodec

enum SurgeryCheck {
    /// The file that any bytes become: themselves if they are one.
    static func file(_ bytes: [UInt8]) -> [UInt8] {
        guard FileUnits(bytes) == nil else { return bytes }
        var (source, choices) = (DecisionSource(bytes), DecisionSource(hashOf: bytes))
        source.isCalm = choices.oneIn(2)
        return HostileJPEG.file(source)
    }

    static func violations(_ bytes: [UInt8]) -> [String] {
        let file = ImageData(file(bytes))
        var source = file.withBytes { DecisionSource(hashOf: Array($0)) }
        var options = EncodingOptions(effort: source.pick(EncodingOptions.Effort.allCases))
        options.jpeg.isProgressive = source.pick([nil, true, false])
        options.jpeg.restartInterval = source.oneIn(3) ? 1 + source.below(9) : 0
        let strictness: DecodingOptions.Strictness = source.oneIn(3) ? .tolerant : .strict
        guard
            let optimized = try? JPEGCoder().optimized(
                file, options: options, limits: .small, strictness: strictness)
        else { return [] }
        var violations: [String] = []
        if strictness == .strict { violations += pixelViolations(file, optimized) }
        var quarter = JPEGTransformation(orientation: .right)
        quarter.appliesOrientation = false
        quarter.edges = .keep
        do throws(ImageError) {
            var turned = optimized
            for _ in 0..<4 { turned = try JPEGCoder().transformed(turned, by: quarter, options: options) }
            if try decode(turned) != decode(optimized) { violations.append("four quarter turns change the picture") }
            let size = try JPEGCoder().inspect(optimized, options: .default).size
            let part = PixelRect(x: 0, y: 0, width: 1 + source.below(size.width), height: 1 + source.below(size.height))
            var cut = JPEGTransformation(crop: part)
            cut.appliesOrientation = false
            let patch = try JPEGCoder().transformed(optimized, by: cut, options: options)
            cut.crop = nil
            cut.edges = .keep
            let whole = try JPEGCoder().transformed(
                optimized, by: cut, pasting: [JPEGPatch(patch, x: 0, y: 0)], options: options)
            if try decode(whole) != decode(optimized) {
                violations.append("a part that is pasted where it was changes the picture")
            }
            // Any file in any place: an error, or a picture.
            let other = JPEGPatch(file, x: source.below(40), y: source.below(40))
            if let mixed = try? JPEGCoder().transformed(optimized, by: cut, pasting: [other], options: options) {
                _ = try decode(mixed)
            }
        } catch {
            // What is left of a file without an end, and metadata of any kind, may be too much to be written again.
            if error.isDamage { violations.append("a file that was optimized is damaged: \(error)") }
        }
        return violations
    }

    /// A file that strict decoding accepts has the same pixels, unless missing bits of coefficients were estimated.
    private static func pixelViolations(_ file: ImageData, _ optimized: ImageData) -> [String] {
        guard let before = try? decode(file), let info = try? JPEGCoder().inspect(file, options: .default),
            !info.isProgressive
        else { return [] }
        guard let after = try? decode(optimized) else { return ["an optimized file cannot be decoded"] }
        return before == after ? [] : ["an optimized file has other pixels"]
    }

    private static func decode(_ file: ImageData) throws(ImageError) -> Bitmap {
        var options = DecodingOptions()
        options.limits = .small
        options.appliesOrientation = false
        return try JPEGCoder().decode(file, options: options).bitmap
    }
}
