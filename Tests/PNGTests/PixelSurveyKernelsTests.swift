import CodecTestSupport
import ImageCodecsCore
import PNGCodec
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

    /// Traits of pixels given as samples: one (gray) or four (red, green, blue, alpha) each.
    private func traits(_ pixels: [[UInt16]], maximum: UInt16) -> PixelTraits {
        PixelTraits(
            isOpaque: pixels.allSatisfy { $0.count < 4 || $0[3] == maximum },
            isGray: pixels.allSatisfy { $0.count < 4 || ($0[0] == $0[1] && $0[1] == $0[2]) },
            fitsEightBits: maximum == 255 || pixels.allSatisfy { $0.allSatisfy { $0 >> 8 == $0 & 0xFF } })
    }

    @Test func traitsEqualTheReference() {
        var random = SeededRandom(seed: 11)
        for round in 0..<600 {
            let width = round % 45
            let shallow = pixels(width, channels: 4, maximum: 255, &random)
            let rgba = bytes(shallow, deep: false)
            let found = rgba.withRawSpan(first: rgba.count) { PixelSurveyKernels.traits(rgba: $0, width: width) }
            #expect(found == traits(shallow, maximum: 255))
            #expect(found == rgba.withRawSpan { PixelSurveyKernelsReference.traits(rgba: $0, width: width) })

            let deep = pixels(width, channels: 4, maximum: 65535, &random)
            let rgba16 = bytes(deep, deep: true)
            let deepTraits = rgba16.withRawSpan(first: rgba16.count) {
                PixelSurveyKernels.traits(rgba16: $0, width: width)
            }
            #expect(deepTraits == traits(deep, maximum: 65535))
            #expect(deepTraits == rgba16.withRawSpan { PixelSurveyKernelsReference.traits(rgba16: $0, width: width) })

            let gray = pixels(width, channels: 1, maximum: 65535, &random)
            let gray16 = bytes(gray, deep: true)
            let grayTraits = gray16.withRawSpan(first: gray16.count) {
                PixelSurveyKernels.traits(gray16: $0, width: width)
            }
            #expect(grayTraits == traits(gray, maximum: 65535))
            #expect(grayTraits == gray16.withRawSpan { PixelSurveyKernelsReference.traits(gray16: $0, width: width) })
        }
    }
}
