// Division by a fixed number of samples, as the box reducer needs it for every cell.

/// Divides sums of `count` bytes by `count`, rounding halves up, without a division instruction.
///
/// The quotient is `(sum + count / 2) * multiplier >> 55` with `multiplier = ceil(2^55 / count)`. Since
/// `multiplier * count - 2^55 < count`, the result is exact while `(sum + count / 2) * count < 2^55`, that is for
/// `count < 2^23`, and the product stays below 2^64. Larger counts divide.
package struct RoundedMean: Sendable {
    /// Samples in a sum.
    package let count: UInt64
    /// The same in 16 bits; `nil` if `count` is 1 or above 128.
    package let shortForm: ShortForm?
    /// `ceil(2^55 / count)`, or 0 if that would not be exact.
    private let multiplier: UInt64

    private static let shift: UInt64 = 55
    private static let largestCountToMultiply: UInt64 = 1 << 23

    /// - Parameter count: Samples in a sum; at least 1 and at most 2^62.
    package init(of count: UInt64) {
        self.count = count
        let exact = count < Self.largestCountToMultiply
        multiplier = exact ? ((1 << Self.shift) + count - 1) / count : 0
        shortForm = (2...128).contains(count) ? ShortForm(of: UInt32(count)) : nil
    }

    /// The mean of `count` bytes whose sum is `sum` (at most `255 * count`).
    @inline(__always)
    package func callAsFunction(_ sum: UInt64) -> UInt8 {
        let numerator = sum &+ count &>> 1  // ≤ 255.5 * count < 2^31 if multiplied
        let mean = multiplier != 0 ? (numerator &* multiplier) &>> Self.shift : numerator / count
        return UInt8(truncatingIfNeeded: mean)
    }

    /// Division in 16-bit lanes: the high half of a product, shifted.
    ///
    /// `multiplier = ceil(2^(16 + shift) / count)` with `2^shift < count <= 2^(shift + 1)`, so that it has 16 bits. The
    /// quotient of `n` is exact while `n * (multiplier * count - 2^(16 + shift)) < 2^(16 + shift)`. The bracket is below
    /// `count` and `n`, a sum with its bias, below `2^8 * count`; for `count <= 128` their product is below
    /// `2^8 * 128 * 2^(shift + 1)`.
    package struct ShortForm: Sendable {
        private let bias: UInt16
        private let multiplier: UInt16
        private let shift: UInt16

        fileprivate init(of count: UInt32) {
            bias = UInt16(count / 2)
            shift = UInt16(31 - (count - 1).leadingZeroBitCount)
            multiplier = UInt16(((1 << (16 + UInt32(shift))) + count - 1) / count)
        }

        /// The mean of `count` bytes whose sum is `sum` (at most `255 * count`). A loop over this becomes vectors.
        @inline(__always)
        package func callAsFunction(_ sum: UInt16) -> UInt8 {
            let product = UInt32(sum &+ bias) &* UInt32(multiplier)
            return UInt8(truncatingIfNeeded: UInt16(truncatingIfNeeded: product &>> 16) &>> shift)
        }
    }
}
