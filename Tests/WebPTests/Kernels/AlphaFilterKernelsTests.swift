import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// Kernels that filter alpha against their plain twins.
@Suite struct AlphaFilterKernelsTests {
    @Test(arguments: 1...70)
    func differencesAreThoseByteByByte(_ width: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var source = DecisionSource(seed: seed &* 100 &+ UInt64(width))
            // Steps to every side, and the ends of what a byte holds.
            let values: [UInt8] = source.pick([[0, 255], [0, 1, 127, 128, 254, 255], Array(0...255)])
            let row = (0..<width).map { _ in source.pick(values) }
            let above = (0..<width).map { _ in source.pick(values) }
            for start in [0, 1, width / 2] {
                var (target, plain) = ([UInt8](repeating: 9, count: width), [UInt8](repeating: 9, count: width))
                row.withRawSpan { row in
                    above.withRawSpan { above in
                        target.withMutableRawSpan {
                            AlphaFilterKernels.subtract(above, from: row, into: &$0, at: start)
                        }
                        plain.withMutableRawSpan {
                            AlphaFilterKernelsReference.subtract(above, from: row, into: &$0, at: start)
                        }
                        #expect(target == plain)
                        target.withMutableRawSpan { AlphaFilterKernels.subtractGradient(above, from: row, into: &$0) }
                        plain.withMutableRawSpan {
                            AlphaFilterKernelsReference.subtractGradient(above, from: row, into: &$0)
                        }
                        #expect(target == plain)
                    }
                }
            }
        }
    }
}
