import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// Kernels of alpha against their plain twins.
@Suite struct AlphaKernelsTests {
    private func bytes(_ count: Int, seed: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(seed))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }

    @Test(arguments: 1...70)
    func rowsBecomeWhatTheyBecomeByteByByte(_ width: Int) {
        for start in [1, width] {
            var (rows, plain) = (bytes(2 * width, seed: width), bytes(2 * width, seed: width))
            var a = rows.mutableSpan
            var b = plain.mutableSpan
            AlphaKernels.addLeft(&a, from: start)
            AlphaKernelsReference.addLeft(&b, from: start)
            AlphaKernels.addAbove(&a)
            AlphaKernelsReference.addAbove(&b)
            AlphaKernels.addGradient(&a)
            AlphaKernelsReference.addGradient(&b)
            #expect(rows == plain)
        }
    }

    @Test(arguments: 1...70)
    func onlyTheFourthByteOfAPixelIsAnother(_ width: Int) {
        let (alpha, row) = (bytes(width, seed: width), bytes(4 * width, seed: width + 100))
        var (target, plain) = (bytes(4 * width + 3, seed: 1), bytes(4 * width + 3, seed: 1))
        alpha.withRawSpan { alpha in
            row.withRawSpan { row in
                target.withMutableRawSpan { AlphaKernels.merge(alpha, with: row, into: &$0) }
                plain.withMutableRawSpan { AlphaKernelsReference.merge(alpha, with: row, into: &$0) }
            }
        }
        #expect(target == plain)
    }
}
