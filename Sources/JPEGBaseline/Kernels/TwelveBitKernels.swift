// Rows of samples of twelve bits, eight samples at a time: chroma interpolation, and colours of sixteen bits.
//
// In: rows of samples of two bytes. Out: a row of twice as many samples, or pixels as PNG has them: red, green and blue, the higher
// byte first. The plain twin does what is left at the ends of a row, too.

import ImageCodecsCore

#if !ReferenceKernels
package enum TwelveBitKernels {
    /// Interpolates to twice as many samples; see ``TwelveBitKernelsReference/interpolateAcross(near:far:isBothWays:pixels:into:)``.
    ///
    /// - Precondition: `far` has as many samples as `near`, which has half as many as `row`, rounded up.
    package static func interpolateAcross(
        near: RawSpan, far: RawSpan, isBothWays: Bool, into row: inout MutableRawSpan
    ) {
        let (count, width) = (near.byteCount / 2, row.byteCount / 2)
        precondition(far.byteCount >= 2 * count && width <= 2 * count)
        // Groups begin at column 1, and the column after them is there.
        let groups = max(0, min(count - 2, width / 2 - 1)) / 8
        for group in 0..<groups {
            let column = 1 &+ 8 &* group
            // SAFETY: words column - 1 ... column + 8 are below `count`, words 2 * column ... 2 * column + 15 below `width`.
            let pair = unsafe isBothWays ? blended(near, far, column) : interpolated(near, column)
            unsafe row.storeBytes(
                of: interleaveLow(pair.left, pair.right), toUncheckedByteOffset: 4 &* column, as: Words.self)
            unsafe row.storeBytes(
                of: interleaveHigh(pair.left, pair.right), toUncheckedByteOffset: 4 &* column &+ 16, as: Words.self)
        }
        let first = min(2, width)
        TwelveBitKernelsReference.interpolateAcross(
            near: near, far: far, isBothWays: isBothWays, pixels: 0..<first, into: &row)
        TwelveBitKernelsReference.interpolateAcross(
            near: near, far: far, isBothWays: isBothWays, pixels: first + 16 * groups..<width, into: &row)
    }

    /// Makes Y'CbCr to R'G'B' of sixteen bits; see ``TwelveBitKernelsReference/writeColors(luma:cb:cr:pixels:into:)``.
    ///
    /// - Precondition: The rows have as many samples as `pixels` has pixels of six bytes.
    package static func writeColors(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, into pixels: inout MutableRawSpan
    ) {
        precondition(width >= 0 && min(luma.byteCount, cb.byteCount, cr.byteCount) >= 2 * width)
        precondition(pixels.byteCount >= 6 * width)
        // The last pixel of a group is written with two bytes after it.
        let groups = max(0, width - 1) / 8
        let center = Words(repeating: 2048)
        for group in 0..<groups {
            let x = 8 &* group
            // SAFETY: words x ... x + 7 are below `width`.
            let y = unsafe luma.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* x, as: Words.self)
            let b = unsafe cb.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* x, as: Words.self) &- center
            let r = unsafe cr.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* x, as: Words.self) &- center
            let color = convert(luma: y, cb: b, cr: r)
            let (red, green, blue) = (bigEndian(color.red), bigEndian(color.green), bigEndian(color.blue))
            let (lowPairs, highPairs) = (asLongs(interleaveLow(red, green)), asLongs(interleaveHigh(red, green)))
            let (lowBlue, highBlue) = (
                asLongs(interleaveLow(blue, Words())), asLongs(interleaveHigh(blue, Words()))
            )
            // SAFETY: pixels x ... x + 7, and two bytes of pixel x + 8, which is below `width`.
            unsafe store(interleaveLow(lowPairs, lowBlue), &pixels, 6 &* x)
            unsafe store(interleaveHigh(lowPairs, lowBlue), &pixels, 6 &* x &+ 12)
            unsafe store(interleaveLow(highPairs, highBlue), &pixels, 6 &* x &+ 24)
            unsafe store(interleaveHigh(highPairs, highBlue), &pixels, 6 &* x &+ 36)
        }
        TwelveBitKernelsReference.writeColors(luma: luma, cb: cb, cr: cr, pixels: 8 * groups..<width, into: &pixels)
    }
}

/// 0...4095.
@inline(__always)
func clampedToTwelveBits(_ a: Words) -> Words {
    let largest = Words(repeating: 4095)
    let low = largest &+ ((a &- largest) & mask(a .< largest))
    return low & mask(low .> Words())
}

@inline(__always)
private func mask(_ mask: SIMDMask<Words>) -> Words { unsafe unsafeBitCast(mask, to: Words.self) }

/// Twelve bits repeated to sixteen, the higher byte first.
@inline(__always)
private func bigEndian(_ samples: Words) -> Words {
    let clamped = asUnsigned(clampedToTwelveBits(samples))
    let deep = clamped &<< UnsignedWords(repeating: 4) | clamped &>> UnsignedWords(repeating: 8)
    return asWords(deep &<< UnsignedWords(repeating: 8) | deep &>> UnsignedWords(repeating: 8))
}

/// Two pixels of six bytes, each with two bytes of zeros after it.
@unsafe @inline(__always)
private func store(_ pair: Longs, _ pixels: inout MutableRawSpan, _ offset: Int) {
    let halves = unsafe unsafeBitCast(pair, to: SIMD2<UInt64>.self)
    // SAFETY: the caller promises 14 bytes.
    unsafe pixels.storeBytes(of: halves[0], toUncheckedByteOffset: offset, as: UInt64.self)
    unsafe pixels.storeBytes(of: halves[1], toUncheckedByteOffset: offset &+ 6, as: UInt64.self)
}

/// Eight samples `(3 * near + neighbour + bias) >> 2` to the left and to the right of their middle.
@unsafe @inline(__always)
private func interpolated(_ near: RawSpan, _ column: Int) -> (left: Words, right: Words) {
    // SAFETY: the caller promises words column - 1 ... column + 8.
    let left = unsafe near.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* column &- 2, as: UnsignedWords.self)
    let center = unsafe near.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* column, as: UnsignedWords.self)
    let right = unsafe near.unsafeLoadUnaligned(fromUncheckedByteOffset: 2 &* column &+ 2, as: UnsignedWords.self)
    let three = center &+ center &+ center
    let two = UnsignedWords(repeating: 2)
    return (
        asWords((three &+ left &+ UnsignedWords(repeating: 1)) &>> two),
        asWords((three &+ right &+ UnsignedWords(repeating: 2)) &>> two)
    )
}

/// The same of sums of two rows, `(3 * sum + neighbour + bias) >> 4`: at most 16 * 4095 + 8.
@unsafe @inline(__always)
private func blended(_ near: RawSpan, _ far: RawSpan, _ column: Int) -> (left: Words, right: Words) {
    // SAFETY: the caller promises words column - 1 ... column + 8 of both rows.
    let left = unsafe sums(near, far, 2 &* column &- 2)
    let center = unsafe sums(near, far, 2 &* column)
    let right = unsafe sums(near, far, 2 &* column &+ 2)
    let three = center &+ center &+ center
    let four = UnsignedWords(repeating: 4)
    return (
        asWords((three &+ left &+ UnsignedWords(repeating: 8)) &>> four),
        asWords((three &+ right &+ UnsignedWords(repeating: 7)) &>> four)
    )
}

/// `3 * near + far` of eight columns.
@unsafe @inline(__always)
private func sums(_ near: RawSpan, _ far: RawSpan, _ offset: Int) -> UnsignedWords {
    // SAFETY: the caller promises eight words.
    let a = unsafe near.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UnsignedWords.self)
    return unsafe a &+ a &+ a &+ far.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UnsignedWords.self)
}
#endif
