// Rows of pixels to rows of samples, sixteen pixels at a time.
//
// In: one row of colour pixels or of inks. Out: a row of samples per component at full resolution. Sixteen samples are
// written at a time, so rows have room for their width rounded up to a multiple of 16.

import ImageCodecsCore

#if !ReferenceKernels
package import JPEGBaselineCodec

package enum PixelSeparationKernels {
    /// R'G'B' to Y'CbCr; see `RGBConversion` for the arithmetic.
    ///
    /// - Parameters:
    ///   - row: `width` pixels; a fourth byte is not looked at.
    ///   - samples: Receives `width` samples of each component from the offsets `places` on (Y, Cb, Cr), and up to 15
    ///     bytes after them that mean nothing.
    /// - Precondition: The row has `width` pixels; `width` rounded up to a multiple of 16 bytes lie in `samples` from
    ///   each place on.
    package static func convertToYCbCr(
        _ row: RawSpan, width: Int, order: PixelOrder, into samples: inout MutableRawSpan, at places: SIMD3<Int>
    ) {
        check(row, width, order.bytesPerPixel, samples.byteCount, places.min(), places.max())
        let factors = order == .bgrx ? ColorFactors.blueFirst : ColorFactors.redFirst
        unsafe factors.withUnsafeBufferPointer { factors in
            guard let factors = factors.baseAddress else { return }
            if order == .rgb {
                readGroups(row, width, bytesPerPixel: 3) { group, offset, x in
                    // SAFETY: `readGroups` gives 16 pixels of three bytes and two bytes more.
                    unsafe store(sixteenOfThree(group, offset, factors), factors, &samples, places, x)
                }
            } else {
                readGroups(row, width, bytesPerPixel: 4) { group, offset, x in
                    // SAFETY: `readGroups` gives 16 pixels of four bytes.
                    unsafe store(sixteen(group, offset), factors, &samples, places, x)
                }
            }
        }
    }

    /// Four inks of a pixel to rows of their own, unchanged.
    ///
    /// - Parameter places: Where the rows begin in `samples`, as in ``convertToYCbCr(_:width:order:into:at:)``.
    /// - Precondition: As there, with four bytes a pixel.
    package static func separateInks(
        _ row: RawSpan, width: Int, into samples: inout MutableRawSpan, at places: SIMD4<Int>
    ) {
        check(row, width, 4, samples.byteCount, places.min(), places.max())
        readGroups(row, width, bytesPerPixel: 4) { group, offset, x in
            // SAFETY: `readGroups` gives 16 pixels of four bytes; `check` has seen room for 16 samples at `x`.
            let p = unsafe sixteen(group, offset)
            for ink in 0..<4 {
                let shift = SIMD4<UInt32>(repeating: UInt32(8 &* ink))
                let bytes = lowBytes(p.0 &>> shift, p.1 &>> shift, p.2 &>> shift, p.3 &>> shift)
                unsafe samples.storeBytes(of: bytes, toUncheckedByteOffset: places[ink] &+ x, as: Bytes16.self)
            }
        }
    }

    private static func check(
        _ row: RawSpan, _ width: Int, _ bytesPerPixel: Int, _ byteCount: Int, _ first: Int, _ last: Int
    ) {
        precondition(width >= 0 && width <= row.byteCount / bytesPerPixel, "a row with fewer pixels")
        precondition(first >= 0 && last <= byteCount - (width + 15) & ~15, "no room for samples")
    }
}

/// Four pixels of four bytes in each vector.
private typealias SixteenQuads = (SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>)

/// Calls `body` for every sixteen pixels with bytes, the offset of the first pixel in them, and its number.
///
/// After sixteen pixels there are two bytes more that `body` may read. The last group comes through a buffer.
@inline(__always)
private func readGroups(
    _ row: RawSpan, _ width: Int, bytesPerPixel: Int, _ body: (_ group: RawSpan, _ offset: Int, _ x: Int) -> Void
) {
    var x = 0
    // A group of three-byte pixels reads two bytes too much, so the last one is not read from the row.
    let direct = (bytesPerPixel == 4 ? width : width - 1) & ~15
    while x < direct {
        body(row, x &* bytesPerPixel, x)
        x &+= 16
    }
    while x < width {
        let count = min(16, width - x) * bytesPerPixel
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { storage in
            // SAFETY: the buffer has 64 bytes, and `count` is 16 pixels of at most four.
            unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe row.extracting(x * bytesPerPixel..<x * bytesPerPixel + count).withUnsafeBytes {
                unsafe storage.copyMemory(from: $0)
            }
            // SAFETY: the span does not outlive the closure.
            body(unsafe storage.bytes, 0, x)
        }
        x &+= 16
    }
}

@unsafe @inline(__always)
private func sixteen(_ group: RawSpan, _ offset: Int) -> SixteenQuads {
    // SAFETY: the caller sees to 64 bytes at `offset`.
    unsafe (
        group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self),
        group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 16, as: SIMD4<UInt32>.self),
        group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 32, as: SIMD4<UInt32>.self),
        group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 48, as: SIMD4<UInt32>.self)
    )
}

/// Pixels of three bytes; the fourth byte of each lane is one of the next pixel.
@unsafe @inline(__always)
private func sixteenOfThree(_ group: RawSpan, _ offset: Int, _ factors: UnsafePointer<Int16>) -> SixteenQuads {
    // Zeros keep the shifts here apart from what follows: see `ColorFactors`.
    let zero = unsafe UnsafeRawPointer(factors + ColorFactors.zeros).loadUnaligned(as: SIMD4<UInt32>.self)
    @inline(__always) func four(_ offset: Int) -> SIMD4<UInt32> {
        // SAFETY: the caller sees to 50 bytes at the first offset; these are 14 of them.
        let pairs = unsafe SIMD2<UInt64>(
            group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self),
            group.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 6, as: UInt64.self))
        let second = (pairs &>> SIMD2(repeating: 24)) &<< SIMD2(repeating: 32)
        return unsafe unsafeBitCast(pairs & SIMD2(repeating: 0xFFFF_FFFF) | second, to: SIMD4<UInt32>.self) &+ zero
    }
    return (four(offset), four(offset &+ 12), four(offset &+ 24), four(offset &+ 36))
}

/// Factors of colour conversion, each pair eight words for one multiply-add.
///
/// They are loaded for each group of pixels: of factors that it knows, the compiler takes those that are powers of two,
/// and lanes that are constant, out of the multiply-adds.
private enum ColorFactors {
    // Of the first and the third byte of a pixel. For chroma the sign is changed: -32768 fits, 32768 does not.
    static let luma = 0
    static let cb = 8
    static let cr = 16
    // Of the second byte, twice that for luma, and of the constants that are put beside it.
    static let lumaGreen = 24
    static let cbGreen = 32
    static let crGreen = 40
    // 2 · 16384 is half of 1 << 16, 375 · 22457 is (128 << 16) + 32767.
    static let lumaRounding = 48
    static let chromaRounding = 56
    static let zeros = 64

    static let blueFirst = table((7471, 19595), (-32768, 11059), (5329, -32768))
    static let redFirst = table((19595, 7471), (11059, -32768), (-32768, 5329))

    private typealias Pair = (Int16, Int16)

    private static func table(_ luma: Pair, _ cb: Pair, _ cr: Pair) -> ContiguousArray<Int16> {
        let pairs: [Pair] = [luma, cb, cr, (19235, 16384), (-21709, 22457), (-27439, 22457), (0, 2), (0, 375), (0, 0)]
        return ContiguousArray(pairs.flatMap { [$0.0, $0.1, $0.0, $0.1, $0.0, $0.1, $0.0, $0.1] })
    }
}

/// Writes the three components of sixteen pixels.
@unsafe @inline(__always)
private func store(
    _ p: SixteenQuads, _ factors: UnsafePointer<Int16>, _ samples: inout MutableRawSpan, _ places: SIMD3<Int>, _ x: Int
) {
    let a = unsafe convert(p.0, factors)
    let b = unsafe convert(p.1, factors)
    let c = unsafe convert(p.2, factors)
    let d = unsafe convert(p.3, factors)
    // Zeros keep the two steps of narrowing apart: see `ColorFactors`.
    let zero = unsafe UnsafeRawPointer(factors + ColorFactors.zeros).loadUnaligned(as: Words.self)
    let luma = packBytes(packFitting(a.luma, b.luma) &+ zero, packFitting(c.luma, d.luma) &+ zero)
    let cb = packBytes(packFitting(a.cb, b.cb) &+ zero, packFitting(c.cb, d.cb) &+ zero)
    let cr = packBytes(packFitting(a.cr, b.cr) &+ zero, packFitting(c.cr, d.cr) &+ zero)
    // SAFETY: the caller has checked that 16 samples fit at `x` of each row.
    unsafe samples.storeBytes(of: luma, toUncheckedByteOffset: places[0] &+ x, as: Bytes16.self)
    unsafe samples.storeBytes(of: cb, toUncheckedByteOffset: places[1] &+ x, as: Bytes16.self)
    unsafe samples.storeBytes(of: cr, toUncheckedByteOffset: places[2] &+ x, as: Bytes16.self)
}

private struct FourSamples {
    var luma: Longs
    var cb: Longs
    var cr: Longs
}

/// Four pixels. All sums are positive, and below 256 << 16.
@inline(__always)
private func convert(_ pixels: SIMD4<UInt32>, _ factors: UnsafePointer<Int16>) -> FourSamples {
    @inline(__always) func factor(_ place: Int) -> Words {
        // SAFETY: a place of `ColorFactors`.
        unsafe UnsafeRawPointer(factors + place).loadUnaligned(as: Words.self)
    }
    let words = asWords(pixels)
    let outer = words & Words(repeating: 255)
    let green = asWords(asUnsigned(words) &>> UnsignedWords(repeating: 8)) & pairs(255, 0)
    let doubled = green &+ green &+ factor(ColorFactors.lumaRounding)
    let centered = green &+ factor(ColorFactors.chromaRounding)
    let luma =
        multiplyAdd(outer, factor(ColorFactors.luma)) &+ multiplyAdd(doubled, factor(ColorFactors.lumaGreen))
    let cb =
        multiplyAdd(centered, factor(ColorFactors.cbGreen)) &- multiplyAdd(outer, factor(ColorFactors.cb))
    let cr =
        multiplyAdd(centered, factor(ColorFactors.crGreen)) &- multiplyAdd(outer, factor(ColorFactors.cr))
    let bits = Longs(repeating: 16)
    return FourSamples(luma: luma &>> bits, cb: cb &>> bits, cr: cr &>> bits)
}

/// The low bytes of sixteen numbers.
@inline(__always)
private func lowBytes(
    _ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>, _ c: SIMD4<UInt32>, _ d: SIMD4<UInt32>
) -> Bytes16 {
    packBytes(packWords(a, b), packWords(c, d))
}

/// The low bytes of eight numbers, as words.
@inline(__always)
private func packWords(_ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>) -> Words {
    let low = SIMD4<UInt32>(repeating: 255)
    return packFitting(asSigned(a & low), asSigned(b & low))
}
#endif
