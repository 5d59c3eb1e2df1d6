// The forward and the inverse DCT of one block in vectors, for the default effort.
//
// In and out: eight vectors, the rows of a block. Samples carry 4 fractional bits, coefficients of the forward transform too.
// Even and odd parts are sums of products of neighbours (pmaddwd) of 13 bits: exact but for one rounding a pass, so within
// 1/16 of the transform; the entropy-coded numbers are no libjpeg's, and need not be.

import ImageCodecsCore

#if !ReferenceKernels
/// The eight rows of a block.
struct BlockRows {
    var r0: Words
    var r1: Words
    var r2: Words
    var r3: Words
    var r4: Words
    var r5: Words
    var r6: Words
    var r7: Words
}

/// Forward and inverse DCT.
///
/// - Source: ITU-T T.81 (1992) §A.3.3 "FDCT and IDCT (informative)".
enum BlockTransform {
    /// The transform of 8x8 samples with 4 fractional bits to coefficients with 4 fractional bits.
    ///
    /// Rows of the result are columns of the block of coefficients: row `u`, lane `v` holds the coefficient of horizontal
    /// frequency `u` and vertical frequency `v`.
    @inline(__always)
    static func forward(_ s: BlockRows) -> BlockRows {
        forwardPass(transposed(forwardPass(s, 3)), 0)
    }

    /// The inverse of ``forward(_:)``: coefficients with 3 fractional bits, laid out as it gives them, to samples with 4.
    @inline(__always)
    static func inverse(_ c: BlockRows) -> BlockRows {
        inversePass(transposed(inversePass(c)))
    }

    /// Sums of products of the lanes of two rows with a pair of factors of 13 bits, rounded.
    @inline(__always)
    private static func rotate(
        _ a: (low: Words, high: Words), _ k: Words, _ b: (low: Words, high: Words), _ m: Words, _ shift: Int32
    ) -> Words {
        let rounding = Longs(repeating: 1 &<< (shift &- 1))
        let amount = Longs(repeating: shift)
        return narrowed(
            (multiplyAdd(a.low, k) &+ multiplyAdd(b.low, m) &+ rounding) &>> amount,
            (multiplyAdd(a.high, k) &+ multiplyAdd(b.high, m) &+ rounding) &>> amount, shift)
    }

    @inline(__always)
    private static func rotate(_ a: (low: Words, high: Words), _ k: Words, _ shift: Int32) -> Words {
        let rounding = Longs(repeating: 1 &<< (shift &- 1))
        let amount = Longs(repeating: shift)
        return narrowed(
            (multiplyAdd(a.low, k) &+ rounding) &>> amount, (multiplyAdd(a.high, k) &+ rounding) &>> amount, shift)
    }

    /// After a shift by 16 everything fits.
    @inline(__always)
    private static func narrowed(_ a: Longs, _ b: Longs, _ shift: Int32) -> Words {
        shift == 16 ? packFitting(a, b) : pack(a, b)
    }

    @inline(__always)
    private static func interleaved(_ a: Words, _ b: Words) -> (low: Words, high: Words) {
        (interleaveLow(a, b), interleaveHigh(a, b))
    }

    /// One dimension, eight at a time, times the square root of 8 and divided by two to the power of `drop`.
    @inline(__always)
    private static func forwardPass(_ s: BlockRows, _ drop: Int32) -> BlockRows {
        let a0 = s.r0 &+ s.r7
        let a1 = s.r1 &+ s.r6
        let a2 = s.r2 &+ s.r5
        let a3 = s.r3 &+ s.r4
        let b01 = interleaved(s.r0 &- s.r7, s.r1 &- s.r6)
        let b23 = interleaved(s.r2 &- s.r5, s.r3 &- s.r4)
        let c0 = a0 &+ a3
        let c1 = a1 &+ a2
        let c32 = interleaved(a0 &- a3, a1 &- a2)
        let half = Words(repeating: drop == 0 ? 0 : 1 &<< Int16(drop &- 1))
        let dropped = Words(repeating: Int16(drop))
        // Factors are the square root of 2 times the cosines of multiples of a sixteenth of half a turn.
        return BlockRows(
            r0: (c0 &+ c1 &+ half) &>> dropped,
            r1: rotate(b01, pairs(11363, 9633), b23, pairs(6436, 2260), 13 &+ drop),
            r2: rotate(c32, pairs(10703, 4433), 13 &+ drop),
            r3: rotate(b01, pairs(9633, -2260), b23, pairs(-11363, -6436), 13 &+ drop),
            r4: (c0 &- c1 &+ half) &>> dropped,
            r5: rotate(b01, pairs(6436, -11363), b23, pairs(2260, 9633), 13 &+ drop),
            r6: rotate(c32, pairs(4433, -10703), 13 &+ drop),
            r7: rotate(b01, pairs(2260, -6436), b23, pairs(9633, -11363), 13 &+ drop))
    }

    /// One dimension of the inverse, eight at a time, times the square root of 2.
    @inline(__always)
    private static func inversePass(_ c: BlockRows) -> BlockRows {
        let e04 = interleaved(c.r0, c.r4)
        let e26 = interleaved(c.r2, c.r6)
        let o13 = interleaved(c.r1, c.r3)
        let o57 = interleaved(c.r5, c.r7)
        let even0 = rotate(e04, pairs(8192, 8192), e26, pairs(10703, 4433), 14)
        let even1 = rotate(e04, pairs(8192, -8192), e26, pairs(4433, -10703), 14)
        let even2 = rotate(e04, pairs(8192, -8192), e26, pairs(-4433, 10703), 14)
        let even3 = rotate(e04, pairs(8192, 8192), e26, pairs(-10703, -4433), 14)
        let odd0 = rotate(o13, pairs(11363, 9633), o57, pairs(6436, 2260), 14)
        let odd1 = rotate(o13, pairs(9633, -2260), o57, pairs(-11363, -6436), 14)
        let odd2 = rotate(o13, pairs(6436, -11363), o57, pairs(2260, 9633), 14)
        let odd3 = rotate(o13, pairs(2260, -6436), o57, pairs(9633, -11363), 14)
        return BlockRows(
            r0: even0 &+ odd0, r1: even1 &+ odd1, r2: even2 &+ odd2, r3: even3 &+ odd3,
            r4: even3 &- odd3, r5: even2 &- odd2, r6: even1 &- odd1, r7: even0 &- odd0)
    }

    @inline(__always)
    private static func longs(_ a: Words) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }

    /// a0 b0 a1 b1 or a2 b2 a3 b3 of pairs of words.
    @inline(__always)
    private static func words(_ a: Longs, _ b: Longs, high: Bool) -> Words {
        let r = high ? Longs(a[2], b[2], a[3], b[3]) : Longs(a[0], b[0], a[1], b[1])
        return unsafe unsafeBitCast(r, to: Words.self)
    }

    /// The low or the high halves of two vectors.
    @inline(__always)
    private static func halves(_ a: Words, _ b: Words, high: Bool) -> Words {
        let (x, y) = unsafe (unsafeBitCast(a, to: SIMD2<Int64>.self), unsafeBitCast(b, to: SIMD2<Int64>.self))
        return unsafe unsafeBitCast(high ? SIMD2(x[1], y[1]) : SIMD2(x[0], y[0]), to: Words.self)
    }

    /// Rows to columns.
    @inline(__always)
    static func transposed(_ s: BlockRows) -> BlockRows {
        let a0 = interleaveLow(s.r0, s.r1)
        let a1 = interleaveHigh(s.r0, s.r1)
        let a2 = interleaveLow(s.r2, s.r3)
        let a3 = interleaveHigh(s.r2, s.r3)
        let a4 = interleaveLow(s.r4, s.r5)
        let a5 = interleaveHigh(s.r4, s.r5)
        let a6 = interleaveLow(s.r6, s.r7)
        let a7 = interleaveHigh(s.r6, s.r7)
        let b0 = words(longs(a0), longs(a2), high: false)
        let b1 = words(longs(a0), longs(a2), high: true)
        let b2 = words(longs(a1), longs(a3), high: false)
        let b3 = words(longs(a1), longs(a3), high: true)
        let b4 = words(longs(a4), longs(a6), high: false)
        let b5 = words(longs(a4), longs(a6), high: true)
        let b6 = words(longs(a5), longs(a7), high: false)
        let b7 = words(longs(a5), longs(a7), high: true)
        return BlockRows(
            r0: halves(b0, b4, high: false), r1: halves(b0, b4, high: true), r2: halves(b1, b5, high: false),
            r3: halves(b1, b5, high: true), r4: halves(b2, b6, high: false), r5: halves(b2, b6, high: true),
            r6: halves(b3, b7, high: false), r7: halves(b3, b7, high: true))
    }
}
#endif
