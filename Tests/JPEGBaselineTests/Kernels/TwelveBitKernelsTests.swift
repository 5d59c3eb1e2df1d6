// Rows of samples of twelve bits: the kernels against their plain twins.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct TwelveBitKernelsTests {
    /// The bytes of samples, low ones first.
    private func samples(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        // Extremes side by side, and everything between.
        let isExtreme = Bool.random(using: &random)
        return (0..<count).flatMap { _ in
            let sample =
                isExtreme ? Bool.random(using: &random) ? 0 : 4095 : UInt16.random(in: 0...4095, using: &random)
            return [UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8)]
        }
    }

    @Test(arguments: 1...70)
    func chromaIsInterpolatedAsTheTwinDoes(_ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        for isBothWays in [false, true] {
            let (near, far) = (samples((width + 1) / 2, &random), samples((width + 1) / 2, &random))
            var row = [UInt8](repeating: 0, count: 2 * width)
            var expected = row
            near.withRawSpan { near in
                far.withRawSpan { far in
                    row.withMutableBytes {
                        TwelveBitKernels.interpolateAcross(near: near, far: far, isBothWays: isBothWays, into: &$0)
                    }
                    expected.withMutableBytes {
                        TwelveBitKernelsReference.interpolateAcross(
                            near: near, far: far, isBothWays: isBothWays, into: &$0)
                    }
                }
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
            luma.withRawSpan { luma in
                cb.withRawSpan { cb in
                    cr.withRawSpan { cr in
                        pixels.withMutableBytes {
                            TwelveBitKernels.writeColors(luma: luma, cb: cb, cr: cr, width: width, into: &$0)
                        }
                        expected.withMutableBytes {
                            TwelveBitKernelsReference.writeColors(luma: luma, cb: cb, cr: cr, width: width, into: &$0)
                        }
                    }
                }
            }
            #expect(pixels == expected)
        }
    }
}
