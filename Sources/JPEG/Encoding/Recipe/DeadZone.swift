// The dead zone: which coefficients become zero although rounding would give 1.
//
// In: a quantisation table. Out: the numbers with which the kernels quantise a block: reciprocals and thresholds.

package import JPEGBaselineCodec

/// Quantisation with a dead zone, prepared for one table.
///
/// A coefficient becomes zero if its magnitude is below `(t + w f) q`, else it is rounded to the nearest multiple of its
/// step `q`. `f` is its frequency as in ``FittedTables``. A zero costs no bits of its own, while a lone 1 costs most, and the
/// eye misses weak high frequencies least. The DC coefficient has no dead zone.
///
/// A zone that widens in busy blocks was measured and left out: it gains on some pictures what it loses on others.
package struct DeadZone: Hashable, Sendable {
    /// `t` and `w`.
    package struct Widths: Hashable, Sendable {
        package var threshold: Double
        package var frequency: Double

        package init(threshold: Double, frequency: Double) {
            (self.threshold, self.frequency) = (threshold, frequency)
        }
    }

    package static let luma = Widths(threshold: 0.557, frequency: 0.06)
    package static let gray = Widths(threshold: 0.587, frequency: 0.06)
    package static let chroma = Widths(threshold: 0.535, frequency: 0)
    /// Plain rounding.
    package static let none = Widths(threshold: 0.5, frequency: 0)

    /// Fractional bits of coefficients.
    package static let fractionBits = 4

    /// Five groups of 64 numbers, each in the order `8 u + v` of horizontal frequency `u` and vertical frequency `v`:
    /// reciprocals (unsigned), roundings, the factors that take the place of shifts, thresholds, and steps.
    package let numbers: [Int16]

    /// Where the groups of ``numbers`` begin.
    package enum Group {
        package static let reciprocal = 0
        package static let rounding = 64
        package static let factor = 128
        package static let threshold = 192
        package static let step = 256
        package static let count = 320
    }

    package init(_ table: QuantizationTable, _ widths: Widths) {
        var numbers = [Int16](repeating: 0, count: Group.count)
        for place in 0..<64 {
            let (u, v) = (place / 8, place % 8)
            let step = Int(table.values[8 * v + u])
            // 16 q = 2^k / r with r in 1/2 ..< 1: |c| / (16 q) = ((|c| r) + 2^(k-1)) >> k after rounding.
            let divisor = step << Self.fractionBits
            var k = 0
            while 1 << k <= divisor { k += 1 }
            k -= 1
            // Of a power of two r is 1, a little more than 16 bits hold: the product comes out one too small, which plain rounding
            // adds. The widths of zones were fitted without that.
            let reciprocal = ((1 << (16 + k)) + divisor / 2) / divisor
            numbers[Group.reciprocal + place] = Int16(truncatingIfNeeded: min(reciprocal, 65535))
            numbers[Group.rounding + place] = Int16((1 << (k - 1)) + (widths == Self.none ? reciprocal >> 16 : 0))
            numbers[Group.factor + place] = Int16(1 << (16 - k))
            let f = Double(u * u + v * v).squareRoot() / 7
            if place > 0 {
                let threshold = Double(divisor) * (widths.threshold + widths.frequency * f)
                numbers[Group.threshold + place] = Int16(threshold.rounded())
            }
            numbers[Group.step + place] = Int16(step)
        }
        self.numbers = numbers
    }
}
