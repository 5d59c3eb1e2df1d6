import JPEGCodec
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The integer transforms against the formula of T.81 §A.3.3 in floating point.
@Suite struct BlockTransformTests {
    private func samples(_ seed: Int) -> [Int16] {
        (0..<64).map { Int16(truncatingIfNeeded: (seed &+ 1) &* ($0 &* $0 &* 37 &+ $0 &* 911 &+ 5) % 4081 - 2048) }
    }

    private func basis(_ u: Int, _ x: Int) -> Double {
        (u == 0 ? 0.5.squareRoot() : 1) / 2 * cos(Double((2 * x + 1) * u) * Double.pi / 16)
    }

    @Test func forwardTransformIsWithinASixteenthOfTheFormula() {
        for seed in 0..<20 {
            let block = samples(seed)
            let result = BlockTransformReference.forward(block)
            for u in 0..<8 {
                for v in 0..<8 {
                    var sum = 0.0
                    for y in 0..<8 { for x in 0..<8 { sum += Double(block[8 * y + x]) * basis(u, x) * basis(v, y) } }
                    // Both have 4 fractional bits.
                    #expect(abs(Double(result[8 * u + v]) - sum) < 4)
                }
            }
        }
    }

    @Test func inverseTransformUndoesTheForwardOne() {
        for seed in 0..<20 {
            let block = samples(seed)
            // 4 fractional bits to 3.
            let coefficients = BlockTransformReference.forward(block).map { ($0 + 1) >> 1 }
            let result = BlockTransformReference.inverse(coefficients)
            for place in 0..<64 { #expect(abs(Int(result[place]) - Int(block[place])) < 24) }
        }
    }
}
