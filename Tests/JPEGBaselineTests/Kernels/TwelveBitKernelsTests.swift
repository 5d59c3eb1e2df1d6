// Rows of samples of twelve bits: the kernels against their plain twins.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct TwelveBitKernelsTests {
    private func samples(_ count: Int, _ random: inout SeededRandom) -> [UInt16] {
        // Extremes side by side, and everything between.
        let isExtreme = Bool.random(using: &random)
        return (0..<count).map { _ in
            isExtreme ? Bool.random(using: &random) ? 0 : 4095 : .random(in: 0...4095, using: &random)
        }
    }

    @Test(arguments: 1...70)
    func chromaIsInterpolatedAsTheTwinDoes(_ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        for isBothWays in [false, true] {
            let (near, far) = (samples((width + 1) / 2, &random), samples((width + 1) / 2, &random))
            var row = [UInt8](repeating: 0, count: 2 * width)
            var expected = row
            row.withMutableBytes {
                TwelveBitKernels.interpolateAcross(
                    near: near.span.bytes, far: far.span.bytes, isBothWays: isBothWays, into: &$0)
            }
            expected.withMutableBytes {
                TwelveBitKernelsReference.interpolateAcross(
                    near: near.span.bytes, far: far.span.bytes, isBothWays: isBothWays, into: &$0)
            }
            #expect(row == expected)
        }
    }

    @Test(arguments: 1...40)
    func coloursAreThoseOfTheTwin(_ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        for _ in 0..<20 {
            let (luma, cb, cr) = (samples(width, &random), samples(width, &random), samples(width, &random))
            var pixels = [UInt8](repeating: 0, count: 6 * width)
            var expected = pixels
            pixels.withMutableBytes {
                TwelveBitKernels.writeColors(
                    luma: luma.span.bytes, cb: cb.span.bytes, cr: cr.span.bytes, width: width, into: &$0)
            }
            expected.withMutableBytes {
                TwelveBitKernelsReference.writeColors(
                    luma: luma.span.bytes, cb: cb.span.bytes, cr: cr.span.bytes, width: width, into: &$0)
            }
            #expect(pixels == expected)
        }
    }
}
