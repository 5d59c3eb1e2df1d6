// The forward DCT and quantisation, plain: the exact arithmetic that the kernel must reproduce.
//
// In: samples of one component, 0...255. Out: quantised coefficients in natural order and a mask of those that are not
// zero. T.81 §A.3.3 "FDCT and IDCT (informative)" defines the transform only up to accuracy; the reference encoder's
// accurate integer transform is the factorisation of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT
// algorithms with 11 multiplications", ICASSP 1989) with constants of 13 fractional bits and 2 extra bits between the
// passes. Its output is eight times the standard's.

import ImageCodecsCore
import JPEGBaselineCodec

/// The plain twin of `ForwardDCTKernels`.
package enum ForwardDCTReference {
    /// Eight numbers of a row or of a column.
    private typealias Line = SIMD8<Int32>

    /// See `ForwardDCTKernels.transform`.
    package static func transform(
        _ samples: RawSpan, at origin: Int, stride: Int, count: Int, quantizer: ForwardQuantizer, slots: BlockSlots,
        coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) {
        for index in 0..<count {
            let slot = slots.slot(index)
            let block = transform(samples, at: origin + 8 * index, stride: stride)
            var mask: UInt64 = 0
            for position in 0..<64 {
                let place = Int(ZigZagOrder.natural[position])
                let value = quantize(block[place], step: Int32(quantizer.values[place]) / 4)
                coefficients[64 * slot + place] = Int16(truncatingIfNeeded: value)
                if value != 0 { mask |= 1 << UInt64(position) }
            }
            masks[slot] = mask
        }
    }

    /// Eight times the coefficients of a block, in natural order.
    package static func transform(_ samples: RawSpan, at origin: Int, stride: Int) -> [Int32] {
        var block = [Int32](repeating: 0, count: 64)
        for y in 0..<8 {
            var row = Line()
            for x in 0..<8 { row[x] = Int32(samples.byte(at: origin + y * stride + x)) - 128 }
            // Between the passes a value has 2 fractional bits.
            row = transform(row, sumShift: -2, shift: 11)
            for u in 0..<8 { block[8 * y + u] = row[u] }
        }
        for u in 0..<8 {
            var column = Line()
            for y in 0..<8 { column[y] = block[8 * y + u] }
            column = transform(column, sumShift: 2, shift: 15)
            for v in 0..<8 { block[8 * v + u] = column[v] }
        }
        return block
    }

    /// The quotient by eight times `step`, rounded to nearest, halves away from zero.
    private static func quantize(_ value: Int32, step: Int32) -> Int32 {
        let quotient = (abs(value) + 4 * step) / (8 * step)
        return value < 0 ? -quotient : quotient
    }

    /// Rounds to nearest and drops `bits` fractional bits; a negative number adds bits.
    private static func descale(_ value: Int32, _ bits: Int32) -> Int32 {
        bits < 0 ? value << -bits : (value + (1 << (bits - 1))) >> bits
    }

    /// 13 fractional bits.
    private static func fixed(_ value: Double) -> Int32 { Int32((value * 8192).rounded()) }

    /// One dimension.
    private static func transform(_ x: Line, sumShift: Int32, shift: Int32) -> Line {
        let sum = SIMD4(x[0] + x[7], x[1] + x[6], x[2] + x[5], x[3] + x[4])
        let difference = SIMD4(x[0] - x[7], x[1] - x[6], x[2] - x[5], x[3] - x[4])
        // Even part: sums and a rotation by 6/8 of a quarter turn.
        let outer = sum[0] + sum[3]
        let inner = sum[1] + sum[2]
        let rotated = (sum[0] - sum[3] + sum[1] - sum[2]) * fixed(0.541196100)
        var result = Line()
        result[0] = descale(outer + inner, sumShift)
        result[4] = descale(outer - inner, sumShift)
        result[2] = descale(rotated + (sum[0] - sum[3]) * fixed(0.765366865), shift)
        result[6] = descale(rotated - (sum[1] - sum[2]) * fixed(1.847759065), shift)
        // Odd part: the two remaining rotations with their shared products.
        let z1 = (difference[3] + difference[0]) * -fixed(0.899976223)
        let z2 = (difference[2] + difference[1]) * -fixed(2.562915447)
        let z5 = (difference[3] + difference[1] + difference[2] + difference[0]) * fixed(1.175875602)
        let z3 = (difference[3] + difference[1]) * -fixed(1.961570560) + z5
        let z4 = (difference[2] + difference[0]) * -fixed(0.390180644) + z5
        result[1] = descale(difference[0] * fixed(1.501321110) + z1 + z4, shift)
        result[3] = descale(difference[1] * fixed(3.072711026) + z2 + z3, shift)
        result[5] = descale(difference[2] * fixed(2.053119869) + z2 + z4, shift)
        result[7] = descale(difference[3] * fixed(0.298631336) + z1 + z3, shift)
        return result
    }
}

#if ReferenceKernels
package typealias ForwardDCTKernels = ForwardDCTReference
#endif
