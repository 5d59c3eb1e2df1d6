// Rows of pixels to rows of luma and chroma with 4 fractional bits, for the default effort.
//
// In: R'G'B' of eight bits in three or four bytes a pixel, or gray. Out: `Int16` samples, 16 (Y' - 128) and so on, not rounded
// to whole levels: what follows is a transform, which needs none.

import ImageCodecsCore

/// Where the colours of a pixel lie.
package enum FineColorLayout: Sendable {
    case gray
    /// Red first, three bytes a pixel.
    case rgb
    /// Red first, four bytes a pixel.
    case rgbx
    /// Blue first, four bytes a pixel.
    case bgrx

    package var bytesPerPixel: Int {
        switch self {
        case .gray: 1
        case .rgb: 3
        case .rgbx, .bgrx: 4
        }
    }
}

#if !ReferenceKernels
package enum FineColorKernels {
    private typealias V = WordVectors

    /// Converts one row.
    ///
    /// - Parameters:
    ///   - row: Pixels.
    ///   - layout: Their colours.
    ///   - width: Pixels.
    ///   - luma, cb, cr: Byte offsets in `workspace` of `width` words each, and of seven more that are overwritten; for gray,
    ///     only the first counts.
    package static func convert(
        _ row: RawSpan, layout: FineColorLayout, width: Int, luma: Int, cb: Int, cr: Int,
        into workspace: inout MutableRawSpan
    ) {
        let padded = 2 * ((width + 7) & ~7)
        precondition(width >= 0 && row.byteCount >= width * layout.bytesPerPixel)
        precondition(min(luma, cb, cr) >= 0 && max(luma, cb, cr) + padded <= workspace.byteCount)
        unsafe row.withUnsafeBytes { row in
            unsafe workspace.withUnsafeMutableBytes { workspace in
                guard width > 0 else { return }
                let base = workspace.baseAddress!
                let pixels = row.baseAddress!
                // SAFETY: `width` pixels lie in the row and the padded words in the workspace (checked above).
                switch layout {
                case .gray: unsafe convertGray(pixels, width, base + luma)
                case .rgb:
                    unsafe convertColor(pixels, 3, width, .redFirst, base + luma, base + cb, base + cr)
                case .rgbx:
                    unsafe convertColor(pixels, 4, width, .redFirst, base + luma, base + cb, base + cr)
                case .bgrx:
                    unsafe convertColor(pixels, 4, width, .blueFirst, base + luma, base + cb, base + cr)
                }
            }
        }
    }

    private static func convertGray(_ pixels: UnsafeRawPointer, _ width: Int, _ luma: UnsafeMutableRawPointer) {
        for x in 0..<width {
            // SAFETY: `x < width`.
            let value = unsafe Int16(pixels.load(fromByteOffset: x, as: UInt8.self)) &- 128
            unsafe luma.storeBytes(of: value &<< 4, toByteOffset: 2 &* x, as: Int16.self)
        }
    }

    private enum Order { case redFirst, blueFirst }

    /// Four pixels, each the low three bytes of a number of 32 bits.
    @inline(__always)
    private static func four(_ pixels: UnsafeRawPointer, _ step: Int) -> Longs {
        // SAFETY: four bytes at each of four pixels; the caller sees to that.
        if step == 4 { return unsafe pixels.loadUnaligned(as: Longs.self) }
        return unsafe Longs(
            pixels.loadUnaligned(as: Int32.self), pixels.loadUnaligned(fromByteOffset: step, as: Int32.self),
            pixels.loadUnaligned(fromByteOffset: 2 &* step, as: Int32.self),
            pixels.loadUnaligned(fromByteOffset: 3 &* step, as: Int32.self))
    }

    /// The first and second byte, and the third and a constant, as pairs of words.
    @inline(__always)
    private static func split(_ four: Longs, _ zero: Words) -> (Words, Words) {
        let low = Longs(repeating: 0xFF)
        let ones = Longs(repeating: 0x1_0000)
        let a = (four & low) | ((four &<< 8) & Longs(repeating: 0xFF_0000))
        let b = ((four &>> 16) & low) | ones
        return unsafe (unsafeBitCast(a, to: Words.self) &+ zero, unsafeBitCast(b, to: Words.self) &+ zero)
    }

    @inline(__always)
    private static func combine(_ p: (Words, Words), _ q: (Words, Words), _ a: Words, _ b: Words, _ base: Int16)
        -> Words
    {
        V.pack(
            (multiplyAdd(p.0, a) &+ multiplyAdd(p.1, b)) &>> 11, (multiplyAdd(q.0, a) &+ multiplyAdd(q.1, b)) &>> 11)
            &- Words(repeating: base)
    }

    @inline(__always)
    private static func convertColor(
        _ pixels: UnsafeRawPointer, _ step: Int, _ width: Int, _ order: Order, _ luma: UnsafeMutableRawPointer,
        _ cb: UnsafeMutableRawPointer, _ cr: UnsafeMutableRawPointer
    ) {
        // Factors that the compiler does not see stay factors: negative ones become subtractions otherwise, and two products and
        // their sum are no longer one instruction.
        let zero = V.opaqueZero(width)
        // The fourth word of each pair is 1: its factor is half a unit, for rounding.
        let isRed = order == .redFirst
        let y0 = V.pairs(isRed ? 9798 : 3735, 19235)
        let y1 = V.pairs(isRed ? 3735 : 9798, 1024)
        let b0 = V.pairs(isRed ? -5529 : 16384, -10855) &+ zero
        let b1 = V.pairs(isRed ? 16384 : -5529, 1024) &+ zero
        let r0 = V.pairs(isRed ? 16384 : -2664, -13720) &+ zero
        let r1 = V.pairs(isRed ? -2664 : 16384, 1024) &+ zero
        var x = 0
        // A group reads four bytes at the last of its pixels, which is one too many at the end of a row of three.
        let safeEnd = step == 3 ? width &- 1 : width
        while x &+ 8 <= safeEnd {
            // SAFETY: eight pixels from `x` on and one more byte lie in the row; words up to x + 8 lie in the workspace.
            let p = unsafe split(four(pixels + x &* step, step), zero)
            let q = unsafe split(four(pixels + (x &+ 4) &* step, step), zero)
            unsafe luma.storeBytes(of: combine(p, q, y0, y1, 2048), toByteOffset: 2 &* x, as: Words.self)
            unsafe cb.storeBytes(of: combine(p, q, b0, b1, 0), toByteOffset: 2 &* x, as: Words.self)
            unsafe cr.storeBytes(of: combine(p, q, r0, r1, 0), toByteOffset: 2 &* x, as: Words.self)
            x &+= 8
        }
        while x < width {
            // SAFETY: three bytes of pixel `x` lie in the row, word `x` in the workspace.
            let (first, second, third) = unsafe (
                Int32(pixels.load(fromByteOffset: x &* step, as: UInt8.self)),
                Int32(pixels.load(fromByteOffset: x &* step &+ 1, as: UInt8.self)),
                Int32(pixels.load(fromByteOffset: x &* step &+ 2, as: UInt8.self))
            )
            let color = isRed ? SIMD4(first, second, third, 1) : SIMD4(third, second, first, 1)
            let (y, b, r) = FineColor.samples(color)
            unsafe luma.storeBytes(of: y, toByteOffset: 2 &* x, as: Int16.self)
            unsafe cb.storeBytes(of: b, toByteOffset: 2 &* x, as: Int16.self)
            unsafe cr.storeBytes(of: r, toByteOffset: 2 &* x, as: Int16.self)
            x &+= 1
        }
    }
}
#endif

/// Y'CbCr of one pixel with 4 fractional bits.
///
/// - Source: ITU-T T.871 (2011) §7 "Conversion to and from RGB".
package enum FineColor {
    /// - Parameter color: Red, green, blue and 1.
    @inline(__always)
    package static func samples(_ color: SIMD4<Int32>) -> (y: Int16, cb: Int16, cr: Int16) {
        func sum(_ factors: SIMD4<Int32>) -> Int16 {
            let p = color &* factors
            return Int16(truncatingIfNeeded: (p[0] &+ p[1] &+ p[2] &+ p[3]) &>> 11)
        }
        return (
            sum(SIMD4(9798, 19235, 3735, 1024)) &- 2048, sum(SIMD4(-5529, -10855, 16384, 1024)),
            sum(SIMD4(16384, -13720, -2664, 1024))
        )
    }
}
