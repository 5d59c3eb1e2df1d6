import CodecTestSupport
import ImageCore
import PNG
import Testing

@Suite struct PixelSurveyKernelsTests {
    /// Pixels of which each trait holds for all but, sometimes, one.
    private func pixels(_ width: Int, channels: Int, maximum: UInt16, _ random: inout SeededRandom) -> [[UInt16]] {
        var pixels = (0..<width).map { _ -> [UInt16] in
            let gray = UInt16.random(in: 0...255, using: &random) * (maximum / 255)
            return channels == 1 ? [gray] : [gray, gray, gray, maximum]
        }
        if width > 0 && random.next() % 3 != 0 {
            let index = Int.random(in: 0..<width, using: &random)
            pixels[index][Int.random(in: 0..<channels, using: &random)] ^=
                1 << (random.next() % (maximum > 255 ? 16 : 8))
        }
        return pixels
    }

    private func bytes(_ pixels: [[UInt16]], deep: Bool) -> [UInt8] {
        pixels.joined().flatMap { deep ? [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] : [UInt8($0)] }
    }

    @Test func traitsEqualTheReference() {
        var random = SeededRandom(seed: 11)
        for round in 0..<600 {
            let width = round % 45
            let shallow = pixels(width, channels: 4, maximum: 255, &random)
            let rgba = bytes(shallow, deep: false)
            let traits = rgba.withRawSpan(first: rgba.count) { PixelSurveyKernels.traits(rgba: $0, width: width) }
            #expect(traits == pixelTraitsReference(shallow, maximum: 255))

            let deep = pixels(width, channels: 4, maximum: 65535, &random)
            let rgba16 = bytes(deep, deep: true)
            let deepTraits = rgba16.withRawSpan(first: rgba16.count) {
                PixelSurveyKernels.traits(rgba16: $0, width: width)
            }
            #expect(deepTraits == pixelTraitsReference(deep, maximum: 65535))

            let gray = pixels(width, channels: 1, maximum: 65535, &random)
            let gray16 = bytes(gray, deep: true)
            let grayTraits = gray16.withRawSpan(first: gray16.count) {
                PixelSurveyKernels.traits(gray16: $0, width: width)
            }
            #expect(grayTraits == pixelTraitsReference(gray, maximum: 65535))
        }
    }
}
