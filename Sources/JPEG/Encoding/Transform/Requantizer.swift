// Coefficients of the finest step made coarser: one transform serves every quality.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Divides coefficients that were kept with steps of 1 by the steps of a table.
///
/// A level is `round(|c| / q)`, halves away from zero, or 0 below a threshold. Since `c` is rounded already, a level may
/// differ by one from that of the unrounded coefficient where the quotient is close to a half.
///
/// - Source: ITU-T T.81 (1992) §A.3.4 "DCT coefficient quantization (informative) and dequantization (normative)".
package struct Requantizer: Sendable {
    /// In zig-zag order: half the step, the step, the smallest magnitude that is kept.
    private let halves: [Int32]
    private let steps: [Int32]
    private let thresholds: [Int32]

    /// - Parameters:
    ///   - table: the steps.
    ///   - threshold: for a place in natural order, the smallest magnitude that does not become zero; `nil` rounds.
    package init(_ table: QuantizationTable, threshold: ((_ place: Int, _ step: Int) -> Int)? = nil) {
        let places = ZigZagOrder.natural.map { Int($0) }
        steps = places.map { Int32(table.values[$0]) }
        halves = steps.map { $0 / 2 }
        thresholds = places.map { place in Int32(threshold?(place, Int(table.values[place])) ?? 0) }
    }

    /// Divides every block of `fine` into `coarse`.
    ///
    /// - Precondition: both have the same grid.
    package func divide(
        _ fine: QuantizedCoefficients, into coarse: inout QuantizedCoefficients, work: inout WorkGuard
    ) throws(ImageError) {
        precondition(
            fine.widthInBlocks == coarse.widthInBlocks && fine.heightInBlocks == coarse.heightInBlocks, "another grid")
        for row in 0..<fine.heightInBlocks {
            try work.spend(64 * fine.widthInBlocks)
            let range = fine.byteOffset(column: 0, row: row)..<fine.byteOffset(column: 0, row: row + 1)
            fine.values.withBytes(range) { source in
                coarse.values.withMutableBytes(range) { target in
                    for index in 0..<64 * fine.widthInBlocks {
                        let value = Int32(Int16(bitPattern: source.nativeUInt16(at: 2 * index)))
                        target.storeBytes(of: level(value, place: index & 63), toByteOffset: 2 * index, as: Int16.self)
                    }
                }
            }
        }
    }

    /// The level of a coefficient; `place` is in zig-zag order.
    private func level(_ value: Int32, place: Int) -> Int16 {
        let magnitude = abs(value)
        guard magnitude >= thresholds[place] else { return 0 }
        let level = (magnitude + halves[place]) / steps[place]
        return Int16(truncatingIfNeeded: value < 0 ? -level : level)
    }
}
