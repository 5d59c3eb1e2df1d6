// Division by a fixed number of samples, as the box reducer needs it for every cell.

/// Divides sums of `count` bytes by `count`, rounding halves up, without a division instruction.
///
/// The quotient is `(sum + count / 2) * multiplier >> 55` with `multiplier = ceil(2^55 / count)`. Since
/// `multiplier * count - 2^55 < count`, the result is exact while `(sum + count / 2) * count < 2^55`, that is for
/// `count < 2^23`, and the product stays below 2^64. Larger counts divide.
package struct RoundedMean: Sendable {
    /// Samples in a sum.
    package let count: UInt64
    /// `ceil(2^55 / count)`, or 0 where that would not be exact.
    package let multiplier: UInt64

    private static let shift: UInt64 = 55
    private static let largestCountToMultiply: UInt64 = 1 << 23

    /// - Parameter count: Samples in a sum; at least 1 and at most 2^62.
    package init(of count: UInt64) {
        self.count = count
        let exact = count < Self.largestCountToMultiply
        multiplier = exact ? ((1 << Self.shift) + count - 1) / count : 0
    }

    /// The mean of `count` bytes whose sum is `sum` (at most `255 * count`).
    @inline(__always)
    package func callAsFunction(_ sum: UInt64) -> UInt8 {
        let numerator = sum &+ count &>> 1  // ≤ 255.5 * count < 2^32 where multiplied
        let mean = multiplier != 0 ? (numerator &* multiplier) &>> Self.shift : numerator / count
        return UInt8(truncatingIfNeeded: mean)
    }
}
