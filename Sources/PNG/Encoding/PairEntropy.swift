// How much variety a filter leaves in a scanline: the entropy of its pairs of neighbouring bytes.

import DeflateCodec
package import ImageCodecsCore

/// Measures the variety of filtered scanlines.
///
/// A picture of few colours compresses by its repetitions, which a sum of magnitudes does not see: a scanline in which the same
/// pairs come again and again is cheap, however large the bytes are.
package struct PairEntropy: Sendable {
    /// How often each pair occurs; all zero between two calls.
    private var counts: NumberBuffer<UInt32>

    private static let pairCount = 1 << 16

    /// - Parameter meter: counts the numbers.
    package init(meter: MemoryMeter?) throws(ImageError) {
        counts = try NumberBuffer(count: Self.pairCount, meter: meter)
    }

    /// Bytes that it holds.
    package static let byteCount = 4 * pairCount

    /// The bits that the pairs of a scanline take, each as frequent as it is, in 256ths.
    package mutating func bitCount(_ bytes: RawSpan) -> Int {
        counts.withMutableSpan { counts in
            var pair = 0
            for index in 0..<bytes.byteCount {
                pair = (pair << 8 | Int(bytes.byte(at: index))) & 0xFFFF
                counts[pair] += 1
            }
            // Each pair is met once more, and its count taken away with the first time.
            var sum = bytes.byteCount * BinaryLogarithm.of(max(1, bytes.byteCount))
            pair = 0
            for index in 0..<bytes.byteCount {
                pair = (pair << 8 | Int(bytes.byte(at: index))) & 0xFFFF
                let count = Int(counts[pair])
                guard count > 0 else { continue }
                sum -= count * BinaryLogarithm.of(count)
                counts[pair] = 0
            }
            return sum
        }
    }
}
