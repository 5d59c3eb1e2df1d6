// The inverse DCT of frames of twelve bits a sample.
//
// In: blocks of 64 coefficients in natural order and their quantisation steps. Out: samples of two bytes. Such files are rare: one
// plain form of the transform serves.

import ImageCodecsCore

/// The reference decoder's accurate integer transform as it is for samples of twelve bits: the factorisation of
/// `InverseDCTReference`, with one extra bit between the passes, and room enough that nothing wraps.
///
/// - Source: ITU-T T.81 (1992) §A.3.3 "FDCT and IDCT (informative)".
package enum DeepInverseDCT {
    /// Reconstructs a run of blocks of one component that lie side by side.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values per block in natural order.
    ///   - lastIndices: Per block, the zig-zag index of the last coefficient that may differ from zero.
    ///   - steps: The bit patterns of 64 quantisation steps.
    ///   - largest: All bits of a sample; half of it, rounded up, is what zero means.
    ///   - samples: Receives eight rows of samples,
    ///   - origin: from this one on,
    ///   - stride: and as far from one row to the next.
    package static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, steps: Span<Int16>, largest: Int,
        into samples: inout MutableSpan<UInt16>, at origin: Int, stride: Int
    ) {
        var workspace = [Int](repeating: 0, count: 64)
        for index in 0..<lastIndices.count {
            let first = origin + 8 * index
            let isAlone = lastIndices[index] == 0
            for x in 0..<(isAlone ? 1 : 8) {
                var column = SIMD8<Int>()
                for y in 0..<8 {
                    let place = 8 &* y &+ x
                    column[y] = Int(coefficients[64 &* index &+ place]) &* Int(UInt16(bitPattern: steps[place]))
                }
                column = transform(column, descaledBy: 12)
                for y in 0..<8 { workspace[8 &* y &+ x] = column[y] }
            }
            for y in 0..<8 {
                var row = SIMD8<Int>()
                if isAlone {
                    row[0] = workspace[8 &* y]
                } else {
                    for x in 0..<8 { row[x] = workspace[8 &* y &+ x] }
                }
                row = transform(row, descaledBy: 17)
                for x in 0..<8 {
                    let sample = row[x] &+ (largest &+ 1) / 2
                    samples[first &+ y &* stride &+ x] = UInt16(truncatingIfNeeded: min(max(sample, 0), largest))
                }
            }
        }
    }

    /// 13 fractional bits.
    @inline(__always)
    private static func fixed(_ value: Double) -> Int { Int((value * 8192).rounded()) }

    /// One dimension. No sum of products exceeds 2^35 * 2^18.
    @inline(__always)
    private static func transform(_ x: SIMD8<Int>, descaledBy bits: Int) -> SIMD8<Int> {
        // Even part: a rotation by 6/8 of a quarter turn and sums.
        let rotated = (x[2] &+ x[6]) &* fixed(0.541196100)
        let even2 = rotated &- x[6] &* fixed(1.847759065)
        let even3 = rotated &+ x[2] &* fixed(0.765366865)
        let (even0, even1) = ((x[0] &+ x[4]) &<< 13, (x[0] &- x[4]) &<< 13)
        let even = SIMD4(even0 &+ even3, even1 &+ even2, even1 &- even2, even0 &- even3)
        // Odd part: the two remaining rotations with their shared products.
        let z1 = (x[7] &+ x[1]) &* -fixed(0.899976223)
        let z2 = (x[5] &+ x[3]) &* -fixed(2.562915447)
        let (sum73, sum51) = (x[7] &+ x[3], x[5] &+ x[1])
        let z5 = (sum73 &+ sum51) &* fixed(1.175875602)
        let z3 = sum73 &* -fixed(1.961570560) &+ z5
        let z4 = sum51 &* -fixed(0.390180644) &+ z5
        let odd = SIMD4(
            x[1] &* fixed(1.501321110) &+ z1 &+ z4, x[3] &* fixed(3.072711026) &+ z2 &+ z3,
            x[5] &* fixed(2.053119869) &+ z2 &+ z4, x[7] &* fixed(0.298631336) &+ z1 &+ z3)
        let half = 1 &<< (bits &- 1)
        var result = SIMD8<Int>()
        for index in 0..<4 {
            result[index] = (even[index] &+ odd[index] &+ half) &>> bits
            result[7 &- index] = (even[index] &- odd[index] &+ half) &>> bits
        }
        return result
    }
}
