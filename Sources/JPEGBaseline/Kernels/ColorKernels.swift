// Rows of samples to rows of pixels, sixteen pixels at a time.
//
// Rows of samples have at least as many readable bytes as their width rounded up to a multiple of 16. Exactly `width`
// pixels are written: the last group goes through a buffer on the stack. Reference twins are `YCbCrConversion` and
// `CMYKConversion`.

import ImageCodecsCore

#if !ReferenceKernels
package enum ColorKernels {
    /// Y'CbCr at full resolution to pixels.
    ///
    /// - Precondition: The three rows hold `width` samples rounded up to a multiple of 16, `pixels` holds `width`
    ///   pixels from `offset` on.
    package static func convertYCbCr(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        let padded = (width + 15) & ~15
        precondition(width >= 0 && min(luma.byteCount, cb.byteCount, cr.byteCount) >= padded)
        let zero = opaqueZero(width)
        // SAFETY: groups start at multiples of 16 below `width`, so each reads 16 bytes below `padded`.
        switch order {
        case .bgrx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeBGRX(colors(luma, cb, cr, x, zero), &target, offset)
            }
        case .rgbx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGBX(colors(luma, cb, cr, x, zero), &target, offset)
            }
        case .rgb:
            writeGroups(width, bytesPerPixel: 3, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGB(colors(luma, cb, cr, x, zero), &target, offset)
            }
        }
    }

    /// YCCK at full resolution to CMYK.
    ///
    /// - Precondition: The four rows hold `width` samples rounded up to a multiple of 16, `pixels` holds `4 * width`
    ///   bytes from `offset` on.
    package static func convertYCCK(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, black: RawSpan, width: Int, into pixels: inout MutableRawSpan,
        at offset: Int = 0
    ) {
        let padded = (width + 15) & ~15
        precondition(width >= 0 && min(luma.byteCount, cb.byteCount, cr.byteCount, black.byteCount) >= padded)
        let zero = opaqueZero(width)
        writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
            // SAFETY: groups start at multiples of 16 below `width`, so each reads 16 bytes below `padded`.
            let color = unsafe colors(luma, cb, cr, x, zero)
            let (even, odd) = unsafe evenAndOdd(black, x)
            let white = Bytes16(repeating: 255)
            // SAFETY: `writeGroups` gives room for 16 pixels.
            let pixels = merged(
                white &- color.red, white &- color.green, white &- color.blue, packUnsigned(even, odd) &+ zero)
            unsafe storeFour(pixels, &target, offset)
        }
    }

    /// Components that are the pixel's bytes already, interleaved; for `.bgrx` and `.rgbx` the fourth is 255.
    ///
    /// - Precondition: The rows hold `width` samples rounded up to a multiple of 16, `pixels` holds `width` pixels
    ///   from `offset` on.
    package static func interleave(
        red: RawSpan, green: RawSpan, blue: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        let padded = (width + 15) & ~15
        precondition(width >= 0 && min(red.byteCount, green.byteCount, blue.byteCount) >= padded)
        writeGroups(width, bytesPerPixel: order.bytesPerPixel, into: &pixels, at: offset) { x, target, offset in
            // SAFETY: groups start at multiples of 16 below `width`, so each reads 16 bytes below `padded`;
            // `writeGroups` gives room for 16 pixels.
            let (r, g, b) = unsafe (bytes(red, x), bytes(green, x), bytes(blue, x))
            let white = Bytes16(repeating: 255)
            switch order {
            case .bgrx: unsafe storeFour(interleaved(b, g, r, white), &target, offset)
            case .rgbx: unsafe storeFour(interleaved(r, g, b, white), &target, offset)
            case .rgb: unsafe storeThree(interleaved(r, g, b, Bytes16(repeating: 0)), &target, offset)
            }
        }
    }

    /// Four components, interleaved.
    ///
    /// - Precondition: The rows hold `width` samples rounded up to a multiple of 16, `pixels` holds `4 * width` bytes
    ///   from `offset` on.
    package static func interleave(
        cyan: RawSpan, magenta: RawSpan, yellow: RawSpan, black: RawSpan, width: Int, into pixels: inout MutableRawSpan,
        at offset: Int = 0
    ) {
        let padded = (width + 15) & ~15
        precondition(
            width >= 0 && min(cyan.byteCount, magenta.byteCount, yellow.byteCount, black.byteCount) >= padded)
        writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
            // SAFETY: groups start at multiples of 16 below `width`, so each reads 16 bytes below `padded`;
            // `writeGroups` gives room for 16 pixels.
            let pixels = unsafe interleaved(bytes(cyan, x), bytes(magenta, x), bytes(yellow, x), bytes(black, x))
            unsafe storeFour(pixels, &target, offset)
        }
    }
}

/// Sixteen pixels; each vector holds the eight even ones, then the eight odd ones.
struct Colors {
    var red: Bytes16
    var green: Bytes16
    var blue: Bytes16
}

/// Calls `body` for every sixteen pixels with the number of the first, a destination and an offset into it.
///
/// The destination has room for 16 pixels and two more bytes, which `body` may overwrite.
@inline(__always)
func writeGroups(
    _ width: Int, bytesPerPixel: Int, into pixels: inout MutableRawSpan, at start: Int,
    _ body: (_ x: Int, _ target: inout MutableRawSpan, _ offset: Int) -> Void
) {
    precondition(width >= 0 && start >= 0 && width * bytesPerPixel <= pixels.byteCount - start)
    var x = 0
    // The last group of a row of three-byte pixels may not spill, so one group less is written directly.
    let direct = (bytesPerPixel == 4 ? width : width - 1) & ~15
    while x < direct {
        body(x, &pixels, start &+ x &* bytesPerPixel)
        x &+= 16
    }
    while x < width {
        let count = min(16, width - x) * bytesPerPixel
        unsafe withUnsafeTemporaryAllocation(byteCount: groupByteCount, alignment: 16) { storage in
            // SAFETY: the span does not outlive the closure.
            var group = unsafe storage.mutableBytes
            body(x, &group, 0)
            for i in 0..<count {
                // SAFETY: count <= 64 < 80, bytes that `body` has written, and (x + 16) pixels or `width` pixels end
                // within what was checked.
                unsafe pixels.storeBytes(
                    of: group.bytes.unsafeLoad(fromUncheckedByteOffset: i, as: UInt8.self),
                    toUncheckedByteOffset: start &+ x &* bytesPerPixel &+ i, as: UInt8.self)
            }
        }
        x &+= 16
    }
}

/// Sixteen pixels of four bytes, and the bytes after them that a body may overwrite.
private let groupByteCount = 80

/// Sixteen samples as words: the even ones and the odd ones.
@unsafe @inline(__always)
func evenAndOdd(_ row: RawSpan, _ x: Int) -> (even: Words, odd: Words) {
    // SAFETY: the caller promises 16 bytes at x.
    let both = unsafe row.unsafeLoadUnaligned(fromUncheckedByteOffset: x, as: Words.self)
    return (both & Words(repeating: 255), asWords(asUnsigned(both) &>> UnsignedWords(repeating: 8)))
}

/// Sixteen samples.
@unsafe @inline(__always)
private func bytes(_ row: RawSpan, _ x: Int) -> Bytes16 {
    // SAFETY: the caller promises 16 bytes at x.
    unsafe row.unsafeLoadUnaligned(fromUncheckedByteOffset: x, as: Bytes16.self)
}

@unsafe @inline(__always)
private func colors(_ luma: RawSpan, _ cb: RawSpan, _ cr: RawSpan, _ x: Int, _ zero: Bytes16) -> Colors {
    // SAFETY: the caller promises 16 bytes at x in all three rows.
    let y = unsafe evenAndOdd(luma, x)
    let b = unsafe evenAndOdd(cb, x)
    let r = unsafe evenAndOdd(cr, x)
    let center = Words(repeating: 128)
    return convert(
        even: (y.even, b.even &- center, r.even &- center), odd: (y.odd, b.odd &- center, r.odd &- center), zero)
}

/// Y', Cb - 128 and Cr - 128 of sixteen pixels to colours.
@inline(__always)
func convert(even: (Words, Words, Words), odd: (Words, Words, Words), _ zero: Bytes16) -> Colors {
    let e = convert(luma: even.0, cb: even.1, cr: even.2)
    let o = convert(luma: odd.0, cb: odd.1, cr: odd.2)
    return Colors(
        red: packUnsigned(e.red, o.red) &+ zero, green: packUnsigned(e.green, o.green) &- zero,
        blue: packUnsigned(e.blue, o.blue) &+ zero)
}

/// Eight pixels of up to twelve bits a sample, not clamped yet. Exact: see `YCbCrConversion`.
@inline(__always)
func convert(luma: Words, cb: Words, cr: Words) -> (red: Words, green: Words, blue: Words) {
    let one = Words(repeating: 1)
    // 1.402 = 1 + 26345/65536, on the doubled sample so that the high half keeps one bit for rounding.
    let redTerm = (multiplyHigh(cr &+ cr, Words(repeating: 26345)) &+ one) &>> one
    // 1.772 = 2 - 14942/65536.
    let blueTerm = (multiplyHigh(cb &+ cb, Words(repeating: -14942)) &+ one) &>> one
    // -0.71414 = -1 + 18734/65536.
    let factors = pairs(-22554, 18734)
    let half = Longs(repeating: 1 << 15)
    let sixteen = Longs(repeating: 16)
    let greenTerm = packFitting(
        (multiplyAdd(interleaveLow(cb, cr), factors) &+ half) &>> sixteen,
        (multiplyAdd(interleaveHigh(cb, cr), factors) &+ half) &>> sixteen)
    return (luma &+ cr &+ redTerm, luma &- cr &+ greenTerm, luma &+ cb &+ cb &+ blueTerm)
}

@unsafe @inline(__always)
func storeBGRX(_ c: Colors, _ target: inout MutableRawSpan, _ offset: Int) {
    // SAFETY: forwarded; the caller promises 64 bytes at `offset`.
    unsafe storeFour(merged(c.blue, c.green, c.red, Bytes16(repeating: 255)), &target, offset)
}

@unsafe @inline(__always)
func storeRGBX(_ c: Colors, _ target: inout MutableRawSpan, _ offset: Int) {
    // SAFETY: forwarded; the caller promises 64 bytes at `offset`.
    unsafe storeFour(merged(c.red, c.green, c.blue, Bytes16(repeating: 255)), &target, offset)
}

@unsafe @inline(__always)
func storeRGB(_ c: Colors, _ target: inout MutableRawSpan, _ offset: Int) {
    // SAFETY: forwarded; the caller promises 50 bytes at `offset`.
    unsafe storeThree(merged(c.red, c.green, c.blue, Bytes16(repeating: 0)), &target, offset)
}

private typealias SixteenPixels = (Longs, Longs, Longs, Longs)

/// Sixteen pixels of four bytes from channels split into even and odd pixels.
@inline(__always)
private func merged(_ a: Bytes16, _ b: Bytes16, _ c: Bytes16, _ d: Bytes16) -> SixteenPixels {
    let abEven = asWords(interleaveLow(a, b))
    let abOdd = asWords(interleaveHigh(a, b))
    let cdEven = asWords(interleaveLow(c, d))
    let cdOdd = asWords(interleaveHigh(c, d))
    let evenLow = asLongs(interleaveLow(abEven, cdEven))
    let evenHigh = asLongs(interleaveHigh(abEven, cdEven))
    let oddLow = asLongs(interleaveLow(abOdd, cdOdd))
    let oddHigh = asLongs(interleaveHigh(abOdd, cdOdd))
    return (
        interleaveLow(evenLow, oddLow), interleaveHigh(evenLow, oddLow),
        interleaveLow(evenHigh, oddHigh), interleaveHigh(evenHigh, oddHigh)
    )
}

/// Sixteen pixels of four bytes from channels in the order of the pixels.
@inline(__always)
private func interleaved(_ a: Bytes16, _ b: Bytes16, _ c: Bytes16, _ d: Bytes16) -> SixteenPixels {
    let abLow = asWords(interleaveLow(a, b))
    let abHigh = asWords(interleaveHigh(a, b))
    let cdLow = asWords(interleaveLow(c, d))
    let cdHigh = asWords(interleaveHigh(c, d))
    return (
        asLongs(interleaveLow(abLow, cdLow)), asLongs(interleaveHigh(abLow, cdLow)),
        asLongs(interleaveLow(abHigh, cdHigh)), asLongs(interleaveHigh(abHigh, cdHigh))
    )
}

/// Writes 64 bytes.
@unsafe @inline(__always)
private func storeFour(_ pixels: SixteenPixels, _ target: inout MutableRawSpan, _ offset: Int) {
    // SAFETY: the caller promises 64 bytes at `offset`.
    unsafe target.storeBytes(of: pixels.0, toUncheckedByteOffset: offset, as: Longs.self)
    unsafe target.storeBytes(of: pixels.1, toUncheckedByteOffset: offset &+ 16, as: Longs.self)
    unsafe target.storeBytes(of: pixels.2, toUncheckedByteOffset: offset &+ 32, as: Longs.self)
    unsafe target.storeBytes(of: pixels.3, toUncheckedByteOffset: offset &+ 48, as: Longs.self)
}

/// Writes 48 bytes of three-byte pixels and two bytes more; the fourth byte of the pixels is zero.
@unsafe @inline(__always)
private func storeThree(_ pixels: SixteenPixels, _ target: inout MutableRawSpan, _ offset: Int) {
    // SAFETY: the caller promises 50 bytes at `offset`; each call writes 14 bytes, 12 of which stay.
    unsafe storeThree(pixels.0, &target, offset)
    unsafe storeThree(pixels.1, &target, offset &+ 12)
    unsafe storeThree(pixels.2, &target, offset &+ 24)
    unsafe storeThree(pixels.3, &target, offset &+ 36)
}

/// Closes the gaps of four pixels whose fourth byte is zero.
@unsafe @inline(__always)
private func storeThree(_ pixels: Longs, _ target: inout MutableRawSpan, _ offset: Int) {
    let pair = unsafe unsafeBitCast(pixels, to: SIMD2<UInt64>.self)
    let low: UInt64 = 0xFF_FFFF
    let first = pair[0] & low | (pair[0] &>> 8) & (low &<< 24)
    let second = pair[1] & low | (pair[1] &>> 8) & (low &<< 24)
    // SAFETY: the caller promises 14 bytes at `offset`.
    unsafe target.storeBytes(of: first, toUncheckedByteOffset: offset, as: UInt64.self)
    unsafe target.storeBytes(of: second, toUncheckedByteOffset: offset &+ 6, as: UInt64.self)
}
#endif
