// The inverse DCTs, plain: the exact arithmetic that every kernel must reproduce.
//
// In: 64 coefficients in natural order and their quantisation steps. Out: 8x8, 4x4, 2x2 or 1 samples.
// T.81 §A.3.3 "FDCT and IDCT (informative)" defines the transform only up to accuracy; the reference decoder's accurate
// integer transform is the factorisation of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT algorithms with
// 11 multiplications", ICASSP 1989) with constants of 13 fractional bits and 2 extra bits between the passes.

import ImageCodecsCore

/// Plain twin of InverseDCTKernels.
package enum InverseDCTReference {
    /// Eight numbers of a row or of a column.
    private typealias Eight = SIMD8<Int32>

    /// See `InverseDCTKernels.reconstruct`.
    static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, steps: Span<Int16>, size: Int,
        into samples: inout MutableRawSpan, at origin: Int, stride: Int
    ) {
        var columns = [Eight](repeating: Eight(), count: 8)
        for index in 0..<lastIndices.count {
            let block = coefficients.extracting(64 * index..<64 * index + 64)
            let first = origin + index * size
            if size == 1 {
                samples.setByte(reconstructSample(block[0], steps[0]), at: first)
            } else {
                reconstruct(block, steps, size, &columns, into: &samples, at: first, stride)
            }
        }
    }

    /// Samples of one block, row by row: `size * size` of them.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values in natural order.
    ///   - table: Their quantisation steps.
    ///   - size: 8, 4, 2 or 1.
    package static func samples(_ coefficients: [Int16], _ table: DequantizationTable, size: Int) -> [UInt8] {
        var samples = [UInt8](repeating: 0, count: size * size)
        coefficients.withSpan { coefficients in
            [UInt8(63)].withSpan { last in
                samples.withMutableBytes {
                    reconstruct(
                        coefficients, lastIndices: last, steps: table.values.span, size: size, into: &$0, at: 0,
                        stride: size)
                }
            }
        }
        return samples
    }

    /// - Parameter columns: Room for what lies between the passes.
    private static func reconstruct(
        _ block: Span<Int16>, _ steps: Span<Int16>, _ size: Int, _ columns: inout [Eight],
        into samples: inout MutableRawSpan, at first: Int, _ stride: Int
    ) {
        // Vector code shifts a top row that is alone, which wraps if a full first pass saturates.
        if size >= 4, isTopRowAlone(block, size) {
            var row = Eight()
            for x in 0..<8 { row[x] = Int32(Int16(truncatingIfNeeded: Int32(block[x] &* steps[x]) &<< 2)) }
            let line = transform(row, 18, size)
            for y in 0..<size { store(line, size, into: &samples, at: first + y * stride) }
            return
        }
        // Between the passes a value has 2 fractional bits, in the end none and 3 bits less for the scale of 8.
        for x in 0..<8 {
            var column = Eight()
            for y in 0..<8 { column[y] = Int32(block[8 * y + x] &* steps[8 * y + x]) }
            column = transform(column, 11, size)
            if size > 2 || x > 0 { for y in 0..<8 { column[y] = Int32(Int16(clamping: column[y])) } }
            columns[x] = column
        }
        for y in 0..<size {
            var row = Eight()
            for x in 0..<8 { row[x] = columns[x][y] }
            store(transform(row, 18, size), size, into: &samples, at: first + y * stride)
        }
    }

    /// Whether the coefficients below row 0 are zero; the transform to 4x4 does not look at those of row 4.
    private static func isTopRowAlone(_ block: Span<Int16>, _ size: Int) -> Bool {
        for place in 8..<64 where block[place] != 0 && !(size == 4 && place / 8 == 4) { return false }
        return true
    }

    /// The first `size` numbers as samples: the level is shifted by 128.
    private static func store(_ line: Eight, _ size: Int, into samples: inout MutableRawSpan, at first: Int) {
        for x in 0..<size { samples.setByte(UInt8(clamping: Int(line[x]) + 128), at: first + x) }
    }

    /// One dimension of the transform to `size` numbers.
    private static func transform(_ x: Eight, _ shift: Int32, _ size: Int) -> Eight {
        size == 8 ? transform8(x, shift) : size == 4 ? transform4(x, shift) : transform2(x, shift)
    }

    /// Rounds to nearest and drops `bits` fractional bits.
    private static func descale(_ value: Int32, _ bits: Int32) -> Int32 { (value &+ (1 &<< (bits - 1))) &>> bits }

    /// 13 fractional bits.
    private static func fixed(_ value: Double) -> Int32 { Int32((value * 8192).rounded()) }

    /// Sums of two inputs are kept in 16 bits, as vector code does.
    private static func sum16(_ a: Int32, _ b: Int32) -> Int32 { Int32(Int16(truncatingIfNeeded: a &+ b)) }

    private static func transform8(_ x: Eight, _ shift: Int32) -> Eight {
        // Even part: a rotation by 6/8 of a quarter turn and sums.
        let rotated = (x[2] &+ x[6]) &* fixed(0.541196100)
        let even2 = rotated &- x[6] &* fixed(1.847759065)
        let even3 = rotated &+ x[2] &* fixed(0.765366865)
        let even0 = sum16(x[0], x[4]) &<< 13
        let even1 = sum16(x[0], -x[4]) &<< 13
        let even = SIMD4(even0 &+ even3, even1 &+ even2, even1 &- even2, even0 &- even3)
        // Odd part: the two remaining rotations with their shared products.
        let z1 = (x[7] &+ x[1]) &* -fixed(0.899976223)
        let z2 = (x[5] &+ x[3]) &* -fixed(2.562915447)
        let sum73 = sum16(x[7], x[3])
        let sum51 = sum16(x[5], x[1])
        let z5 = (sum73 &+ sum51) &* fixed(1.175875602)
        let z3 = sum73 &* -fixed(1.961570560) &+ z5
        let z4 = sum51 &* -fixed(0.390180644) &+ z5
        let odd = SIMD4(
            x[1] &* fixed(1.501321110) &+ z1 &+ z4, x[3] &* fixed(3.072711026) &+ z2 &+ z3,
            x[5] &* fixed(2.053119869) &+ z2 &+ z4, x[7] &* fixed(0.298631336) &+ z1 &+ z3)
        var result = Eight()
        for index in 0..<4 {
            result[index] = descale(even[index] &+ odd[index], shift)
            result[7 - index] = descale(even[index] &- odd[index], shift)
        }
        return result
    }

    /// The 4-point transform that averages neighbouring outputs of the 8-point one; input 4 cancels out.
    private static func transform4(_ x: Eight, _ shift: Int32) -> Eight {
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
        return Eight(
            descale(outer &+ odd2, shift + 1), descale(inner &+ odd0, shift + 1), descale(inner &- odd0, shift + 1),
            descale(outer &- odd2, shift + 1), 0, 0, 0, 0)
    }

    /// The 2-point transform; inputs 2, 4 and 6 cancel out.
    private static func transform2(_ x: Eight, _ shift: Int32) -> Eight {
        let even = x[0] &<< 15
        let odd =
            x[5] &* fixed(0.850430095) &- x[7] &* fixed(0.720959822)
            &+ x[1] &* fixed(3.624509785) &- x[3] &* fixed(1.272758580)
        return Eight(descale(even &+ odd, shift + 2), descale(even &- odd, shift + 2), 0, 0, 0, 0, 0, 0)
    }
}

#if ReferenceKernels
typealias InverseDCTKernels = InverseDCTReference
#endif
