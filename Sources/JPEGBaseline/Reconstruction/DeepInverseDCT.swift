// The inverse DCT of frames of twelve bits a sample.
//
// In: blocks of 64 coefficients in natural order and their quantisation steps. Out: samples of two bytes.

import ImageCodecsCore

/// The reference decoder's accurate integer transform as it is for samples of twelve bits: the factorisation of
/// `InverseDCTReference`, with one extra bit between the passes, and room enough that nothing wraps.
///
/// - Source: ITU-T T.81 (1992) §A.3.3 "FDCT and IDCT (informative)".
package enum DeepInverseDCT {
    /// What a DC coefficient of zero means.
    static let level = 2048
    static let largest = 4095

    /// Reconstructs a run of blocks of one component that lie side by side.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values per block in natural order.
    ///   - lastIndices: Per block, the zig-zag index of the last coefficient that may differ from zero.
    ///   - steps: The bit patterns of 64 quantisation steps.
    ///   - samples: Receives eight rows of samples,
    ///   - origin: from this one on,
    ///   - stride: and as far from one row to the next.
    package static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, steps: Span<Int16>,
        into samples: inout MutableSpan<UInt16>, at origin: Int, stride: Int
    ) {
        for index in 0..<lastIndices.count {
            let block = coefficients.extracting(64 * index..<64 * index + 64)
            let first = origin + 8 * index
            if lastIndices[index] == 0 {
                fill(Int(block[0]) * Int(UInt16(bitPattern: steps[0])), &samples, first, stride)
            } else if !DeepInverseDCTKernels.transform(block, steps: steps, into: &samples, at: first, stride: stride) {
                transform(block, steps: steps, into: &samples, at: first, stride: stride)
            }
        }
    }

    /// The block of a lone dequantised DC coefficient: 64 equal samples.
    private static func fill(_ dc: Int, _ samples: inout MutableSpan<UInt16>, _ first: Int, _ stride: Int) {
        // The first pass makes it twice as much, the second (2x * 2^13 + 2^16) >> 17.
        let sample = UInt16(min(max((dc + 4) >> 3 + level, 0), largest))
        for y in 0..<8 {
            for x in 0..<8 { samples[first + y * stride + x] = sample }
        }
    }

    /// Reconstructs one block, whatever its coefficients.
    package static func transform(
        _ coefficients: Span<Int16>, steps: Span<Int16>, into samples: inout MutableSpan<UInt16>, at first: Int,
        stride: Int
    ) {
        var columns = [SIMD8<Int>](repeating: SIMD8(), count: 8)
        for x in 0..<8 {
            var column = SIMD8<Int>()
            for y in 0..<8 {
                column[y] = Int(coefficients[8 &* y &+ x]) &* Int(UInt16(bitPattern: steps[8 &* y &+ x]))
            }
            columns[x] = transform(column, descaledBy: 12)
        }
        for y in 0..<8 {
            var row = SIMD8<Int>()
            for x in 0..<8 { row[x] = columns[x][y] }
            row = transform(row, descaledBy: 17)
            for x in 0..<8 {
                samples[first &+ y &* stride &+ x] = UInt16(truncatingIfNeeded: min(max(row[x] &+ level, 0), largest))
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
