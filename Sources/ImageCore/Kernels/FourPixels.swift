// Two pixels in a 64-bit word and four in a 128-bit vector: the shapes that conversion kernels share.
//
// Baseline x86-64 has no byte shuffle. Three-byte pixels are spread and packed two at a time in a general register,
// where exchanging red and blue is one byte swap; that is faster than any vector form tried.

#if !ReferenceKernels
/// Four pixels of four bytes, the first byte of each in the lowest bits of its lane.
typealias FourPixels = SIMD4<UInt32>

@inline(__always)
func words(_ pixels: FourPixels) -> SIMD8<UInt16> {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(pixels, to: SIMD8<UInt16>.self)
}

@inline(__always)
func pixels(_ words: SIMD8<UInt16>) -> FourPixels {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(words, to: FourPixels.self)
}

/// Two pixels from each word, the first in the low half.
@inline(__always)
func fourPixels(_ first: UInt64, _ second: UInt64) -> FourPixels {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(SIMD2<UInt64>(first, second), to: FourPixels.self)
}

/// The two words of every pixel exchanged.
@inline(__always)
func wordsExchanged(_ w: SIMD8<UInt16>) -> SIMD8<UInt16> {
    SIMD8(w[1], w[0], w[3], w[2], w[5], w[4], w[7], w[6])
}

/// Bytes of `a` and `b` in turn, as words with those of `a` low.
@inline(__always)
func zipped(_ a: SIMD8<UInt8>, _ b: SIMD8<UInt8>) -> SIMD8<UInt16> {
    let bytes = SIMD16<UInt8>(
        a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3], a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7])
    // SAFETY: both are sixteen bytes without padding.
    return unsafe unsafeBitCast(bytes, to: SIMD8<UInt16>.self)
}

/// Words of `a` and `b` in turn: the first four of each.
@inline(__always)
func zippedLow(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD8<UInt16> {
    SIMD8(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
}

/// Words of `a` and `b` in turn: the last four of each.
@inline(__always)
func zippedHigh(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD8<UInt16> {
    SIMD8(a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7])
}

/// Exchanges the first and the third byte of a pixel, if asked.
@inline(__always)
func placed(_ pixel: UInt32, _ redBlue: RedBlue) -> UInt32 {
    switch redBlue {
    case .kept: pixel
    case .exchanged: pixel & 0xFF00_FF00 | (pixel &>> 16) & 0xFF | (pixel & 0xFF) &<< 16
    }
}

/// Exchanges the first and the third byte of four pixels, if asked.
@inline(__always)
func placedFour(_ p: FourPixels, _ redBlue: RedBlue) -> FourPixels {
    switch redBlue {
    case .kept: p
    case .exchanged:
        pixels(wordsExchanged(words(p) & SIMD8(repeating: 0x00FF)) | words(p) & SIMD8(repeating: 0xFF00))
    }
}

/// Two pixels of three bytes as two of four, the fourth byte 0; the top two bytes of `six` are ignored.
///
///     lowest first:  R0 G0 B0 R1 G1 B1 -- --   ->   R0 G0 B0 0  R1 G1 B1 0   or   B0 G0 R0 0  B1 G1 R1 0
@inline(__always)
func spread(_ six: UInt64, _ redBlue: RedBlue) -> UInt64 {
    switch redBlue {
    case .kept:
        return six & 0xFF_FFFF | (six &<< 8) & 0x00FF_FFFF_0000_0000
    case .exchanged:
        let swapped = six.byteSwapped
        return swapped &>> 40 | (swapped &<< 16) & 0x00FF_FFFF_0000_0000
    }
}

/// Two pixels of four bytes as two of three, the fourth byte dropped; the top two bytes are 0 or rubbish.
@inline(__always)
func packed(_ eight: UInt64, _ redBlue: RedBlue) -> UInt64 {
    switch redBlue {
    case .kept:
        return eight & 0xFF_FFFF | (eight &>> 8) & 0xFFFF_FF00_0000
    case .exchanged:
        let swapped = eight.byteSwapped
        return swapped &>> 40 | (swapped &<< 16) & 0xFFFF_FF00_0000
    }
}

// SAFETY (both): as for `load` and `store`, in bounds by the caller's loop.

/// Three bytes, the first one lowest.
@inline(__always)
func loadThree(_ row: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    let low = unsafe UInt32(truncatingIfNeeded: load(row, offset, as: UInt16.self))
    return unsafe low | loadByte(row, offset &+ 2) &<< 16
}

/// Stores the low three bytes, the lowest first.
@inline(__always)
func storeThree(_ row: UnsafeMutableRawPointer, _ offset: Int, _ pixel: UInt32) {
    unsafe store(row, offset, UInt16(truncatingIfNeeded: pixel))
    unsafe storeByte(row, offset &+ 2, pixel &>> 16)
}
#endif
