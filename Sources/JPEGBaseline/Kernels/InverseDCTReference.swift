// The inverse DCTs as scalar code: the exact arithmetic that every kernel must reproduce.
//
// In: 64 coefficients in natural order and their quantisation steps. Out: 8x8, 4x4, 2x2 or 1 samples.
// T.81 §A.3.3 "FDCT and IDCT (informative)" defines the transform only up to accuracy; the reference decoder's accurate
// integer transform is the factorisation of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT algorithms with
// 11 multiplications", ICASSP 1989) with constants of 13 fractional bits and 2 extra bits between the passes.

package enum InverseDCTReference {
    /// Samples of one block, row by row: `size * size` of them.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values in natural order.
    ///   - table: Their quantisation steps.
    ///   - size: 8, 4, 2 or 1.
    package static func samples(_ coefficients: [Int16], _ table: DequantizationTable, size: Int) -> [UInt8] {
        if size == 1 { return [reconstructSample(coefficients[0], table.steps[0])] }
        let block = zip(coefficients, table.steps).map { Int32($0 &* $1) }
        // Vector code shifts a top row that is alone, which wraps where a full first pass saturates.
        let isTopRowAlone = (8..<64).allSatisfy { coefficients[$0] == 0 || (size == 4 && $0 / 8 == 4) }
        if size >= 4, isTopRowAlone {
            let row = block[..<8].map { Int32(Int16(truncatingIfNeeded: $0 &<< 2)) }
            let samples = (size == 8 ? transform8 : transform4)(row, 18).map { UInt8(clamping: Int($0) + 128) }
            return (0..<size).flatMap { _ in samples }
        }
        let oneDimension = [8: transform8, 4: transform4, 2: transform2][size] ?? transform8
        // Between the passes a value has 2 fractional bits, in the end none and 3 bits less for the scale of 8.
        var workspace = [[Int32]](repeating: [], count: 8)  // [column][row]
        for column in 0..<8 {
            workspace[column] = oneDimension((0..<8).map { block[8 * $0 + column] }, 11)
                .map { size == 2 && column == 0 ? $0 : Int32(Int16(clamping: $0)) }
        }
        return (0..<size).flatMap { row in
            oneDimension((0..<8).map { workspace[$0][row] }, 18).map { UInt8(clamping: Int($0) + 128) }
        }
    }

    /// Rounds to nearest and drops `bits` fractional bits.
    private static func descale(_ value: Int32, _ bits: Int32) -> Int32 { (value &+ (1 &<< (bits - 1))) &>> bits }

    /// 13 fractional bits.
    private static func fixed(_ value: Double) -> Int32 { Int32((value * 8192).rounded()) }

    /// Sums of two inputs are kept in 16 bits, as vector code does.
    private static func sum16(_ a: Int32, _ b: Int32) -> Int32 { Int32(Int16(truncatingIfNeeded: a &+ b)) }

    private static func transform8(_ x: [Int32], _ shift: Int32) -> [Int32] {
        // Even part: a rotation by 6/8 of a quarter turn and sums.
        let rotated = (x[2] &+ x[6]) &* fixed(0.541196100)
        let even2 = rotated &- x[6] &* fixed(1.847759065)
        let even3 = rotated &+ x[2] &* fixed(0.765366865)
        let even0 = sum16(x[0], x[4]) &<< 13
        let even1 = sum16(x[0], -x[4]) &<< 13
        let even = [even0 &+ even3, even1 &+ even2, even1 &- even2, even0 &- even3]
        // Odd part: the two remaining rotations with their shared products.
        let z1 = (x[7] &+ x[1]) &* -fixed(0.899976223)
        let z2 = (x[5] &+ x[3]) &* -fixed(2.562915447)
        let sum73 = sum16(x[7], x[3])
        let sum51 = sum16(x[5], x[1])
        let z5 = (sum73 &+ sum51) &* fixed(1.175875602)
        let z3 = sum73 &* -fixed(1.961570560) &+ z5
        let z4 = sum51 &* -fixed(0.390180644) &+ z5
        let odd = [
            x[1] &* fixed(1.501321110) &+ z1 &+ z4, x[3] &* fixed(3.072711026) &+ z2 &+ z3,
            x[5] &* fixed(2.053119869) &+ z2 &+ z4, x[7] &* fixed(0.298631336) &+ z1 &+ z3,
        ]
        return (0..<4).map { descale(even[$0] &+ odd[$0], shift) }
            + (0..<4).reversed().map { descale(even[$0] &- odd[$0], shift) }
    }

    /// The 4-point transform that averages neighbouring outputs of the 8-point one; input 4 cancels out.
    private static func transform4(_ x: [Int32], _ shift: Int32) -> [Int32] {
        let even0 = x[0] &<< 14
        let even2 = x[2] &* fixed(1.847759065) &- x[6] &* fixed(0.765366865)
        let odd0 =
            x[5] &* fixed(1.451774981) &- x[7] &* fixed(0.211164243)
            &+ x[1] &* fixed(1.061594337) &- x[3] &* fixed(2.172734803)
        let odd2 =
            x[3] &* fixed(0.899976223) &- x[7] &* fixed(0.509795579)
            &+ x[1] &* fixed(2.562915447) &- x[5] &* fixed(0.601344887)
        let outer = even0 &+ even2
        let inner = even0 &- even2
        return [outer &+ odd2, inner &+ odd0, inner &- odd0, outer &- odd2].map { descale($0, shift + 1) }
    }

    /// The 2-point transform; inputs 2, 4 and 6 cancel out.
    private static func transform2(_ x: [Int32], _ shift: Int32) -> [Int32] {
        let even = x[0] &<< 15
        let odd =
            x[5] &* fixed(0.850430095) &- x[7] &* fixed(0.720959822)
            &+ x[1] &* fixed(3.624509785) &- x[3] &* fixed(1.272758580)
        return [descale(even &+ odd, shift + 2), descale(even &- odd, shift + 2)]
    }
}
