// The activity of a block of luma: how much detail there is for errors to hide in.

/// Measures activity as the masking of SSIM does.
///
/// `A = -log2(100 m)`, where `m` is the mean over the block of `1 / (V + 40)` and `V` the variance around a pixel; here that
/// of the aligned square of 4x4 samples which the pixel is in. From -1.3 in a flat block to 4 and more in a busy one: a flat
/// part of a block with an edge through it keeps its weight.
package enum BlockActivity {
    /// - Parameters:
    ///   - sums: Of the samples of the four squares of a block, with 4 fractional bits.
    ///   - squares: Of the squared samples, with 8 fractional bits.
    /// - Returns: The activity in 1/4096.
    @inline(__always)
    static func activity(sums: SIMD4<Int32>, squares: SIMD4<Int32>) -> Int16 {
        let sum = floats(sums)
        // 16 samples of 4 fractional bits: 4096 times the variance.
        let variance = floats(squares) * 16 - sum * sum
        let weights = 1 / (variance * (1 / 65536) + 40)
        let mean = (weights[0] + weights[1]) + (weights[2] + weights[3])
        return inUnits(mean * 25)
    }

    @inline(__always)
    private static func floats(_ a: SIMD4<Int32>) -> SIMD4<Float> {
        SIMD4(Float(a[0]), Float(a[1]), Float(a[2]), Float(a[3]))
    }

    /// `-4096 log2(x)`, to some units.
    @inline(__always)
    private static func inUnits(_ x: Float) -> Int16 {
        let pattern = x.bitPattern
        let exponent = Int32(truncatingIfNeeded: pattern &>> 23) &- 127
        let t = Float(bitPattern: pattern & 0x007F_FFFF | 0x3F80_0000) - 1
        // A polynomial that is exact at 0 and 1 and within 0.001 between.
        let fraction = t * (1.4387257 + t * (-0.6778888 + t * (0.3213144 - t * 0.0821512)))
        return Int16(clamping: -(exponent &* 4096) &- Int32(fraction * 4096))
    }
}
