// Division by the steps of a quantisation table, prepared for vectors of 16-bit numbers.

package import JPEGBaselineCodec

/// Quantisation of the forward DCT's output as two multiplications.
///
/// The transform scales by eight, so a coefficient `c` becomes `(|c| + 4q) / 8q`, rounded down, with the sign of `c`:
/// halves are rounded away from zero. With `x = |c| + 4q < 2^15` and `2^n` the smallest power of two that is not below
/// `q`, the quotient is `((x · r) >> 16 · s) >> 16` with
///
///     r = ⌈2^(15 + n) / q⌉     s = 2^(14 - n)
///
/// which a test compares with a division for every `q` and every `x`.
///
/// - Source: ITU-T T.81 (1992) §A.3.4 "DCT coefficient quantization (informative) and dequantization (normative)".
package struct ForwardQuantizer: Hashable, Sendable {
    /// Three tables of 64 in natural order, one after another: roundings `4q`, factors `r`, factors `s`. After them
    /// what the vector kernel adds besides: the level shift and zero, eight times each.
    package let values: ContiguousArray<UInt16>

    /// Where the level shift, eight samples of 128 with two fractional bits, and the zeros begin.
    static let level = 192
    static let zeros = 200
    /// Numbers in `values`.
    static var count: Int { 208 }

    /// - Precondition: Divisors are 1...255.
    package init(_ table: QuantizationTable) {
        precondition(table.values.allSatisfy { (1...255).contains($0) })
        var values = ContiguousArray<UInt16>(repeating: 0, count: Self.count)
        for (place, step) in table.values.enumerated() {
            let power = UInt32(16 - (step - 1).leadingZeroBitCount)
            let scaled: UInt32 = 1 << (15 + power)
            values[place] = 4 * step
            values[64 + place] = UInt16((scaled + UInt32(step) - 1) / UInt32(step))  // 2^15 ..< 2^16
            values[128 + place] = 1 << UInt16(14 - power)
        }
        for place in Self.level..<Self.zeros { values[place] = 8 * 128 * 4 }
        self.values = values
    }
}
