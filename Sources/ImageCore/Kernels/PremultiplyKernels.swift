// Kernels between straight and premultiplied alpha, eight bits a sample.
//
// Premultiply is round(c*a/255): t = c*a + 128; (t + (t >> 8)) >> 8. The way back is (c*255 + a/2) / a, at most
// 255, and 0 if a = 0.
//
// SAFETY, for every load and store here: `withPixelRows` has checked that both rows hold the pixels, and loops stay
// below their number; a loop that touches more bytes than its pixels have stops early enough, and says so.

#if !ReferenceKernels
enum PremultiplyKernels {
    /// Straight RGBA -> premultiplied RGBA or BGRA.
    static func premultiply(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            switch redBlue {
            case .kept: unsafe premultiply(from, to, width, placing: .kept)
            case .exchanged: unsafe premultiply(from, to, width, placing: .exchanged)
            }
        }
    }

    @inline(__always)
    private static func premultiply(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, placing redBlue: RedBlue
    ) {
        var x = 0
        while x < width &- 15 {
            // Pictures mostly are opaque or clear over long stretches; the first pixel tells which one to look for.
            switch unsafe loadByte(from, 4 &* x &+ 3) {
            case 255 where unsafe alphas(from, x, combinedBy: &) == 0xFF00_0000_FF00_0000:
                for k in stride(from: x, to: x &+ 16, by: 4) {
                    unsafe store(to, 4 &* k, placedFour(load(from, 4 &* k), redBlue))
                }
            case 0 where unsafe alphas(from, x, combinedBy: |) == 0:
                for k in stride(from: x, to: x &+ 16, by: 4) {
                    unsafe store(to, 4 &* k, FourPixels())
                }
            default:
                for k in stride(from: x, to: x &+ 16, by: 4) {
                    unsafe store(to, 4 &* k, premultiplied(load(from, 4 &* k), redBlue))
                }
            }
            x &+= 16
        }
        while x < width &- 3 {
            unsafe store(to, 4 &* x, premultiplied(load(from, 4 &* x), redBlue))
            x &+= 4
        }
        while x < width {
            unsafe store(to, 4 &* x, premultiplied(FourPixels(repeating: load(from, 4 &* x)), redBlue)[0])
            x &+= 1
        }
    }

    /// The alphas of sixteen pixels, combined into two.
    @inline(__always)
    private static func alphas(
        _ row: UnsafeRawPointer, _ x: Int, combinedBy combine: (UInt64, UInt64) -> UInt64
    ) -> UInt64 {
        var combined: UInt64 = unsafe load(row, 4 &* x)
        for k in 1..<8 {
            combined = combine(combined, unsafe load(row, 4 &* x &+ 8 &* k))
        }
        return combined & 0xFF00_0000_FF00_0000
    }

    /// Four pixels, alpha in the top bytes. `redBlue` is a constant wherever this is called.
    ///
    /// Bytes 0 and 2 of a pixel are multiplied in one vector of words, bytes 1 and 3 in another, alpha by 255.
    @inline(__always)
    static func premultiplied(_ straight: FourPixels, _ redBlue: RedBlue) -> FourPixels {
        let alpha = straight &>> FourPixels(repeating: 24)
        let both = words(alpha | alpha &<< FourPixels(repeating: 16))
        let middle = words(alpha | FourPixels(repeating: 255 &<< 16))
        let outer = scaled(words(straight) & SIMD8(repeating: 0xFF), by: both) &>> SIMD8(repeating: 8)
        let inner = scaled(words(straight) &>> SIMD8(repeating: 8), by: middle) & SIMD8(repeating: 0xFF00)
        return pixels((redBlue == .exchanged ? wordsExchanged(outer) : outer) | inner)
    }

    /// round(c*a/255) in the high byte of each word.
    @inline(__always)
    private static func scaled(_ color: SIMD8<UInt16>, by alpha: SIMD8<UInt16>) -> SIMD8<UInt16> {
        let t = color &* alpha &+ SIMD8(repeating: 128)
        return t &+ t &>> SIMD8(repeating: 8)
    }

    /// Gray and straight alpha -> premultiplied RGBA or BGRA (the same bytes).
    static func premultiplyGrayAlpha(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                // Gray in the low, alpha in the high byte.
                let straight: UInt16 = unsafe load(from, 2 &* x)
                let t = (straight & 0xFF) &* (straight &>> 8) &+ 128
                let inHighByte = t &+ t &>> 8
                let gray = inHighByte &>> 8
                let low = UInt32(truncatingIfNeeded: inHighByte & 0xFF00 | gray)
                let high = UInt32(truncatingIfNeeded: straight & 0xFF00 | gray)
                unsafe store(to, 4 &* x, low | high &<< 16)
                x &+= 1
            }
        }
    }

    /// Premultiplied RGBA -> straight RGBA; red and blue change places if asked.
    static func unpremultiply(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            switch redBlue {
            case .kept: unsafe unpremultiply(from, to, width, .kept, alphaOr: 0)
            case .exchanged: unsafe unpremultiply(from, to, width, .exchanged, alphaOr: 0)
            }
        }
    }

    /// Premultiplied RGBA -> straight colour with alpha replaced by 255; red and blue change places if asked.
    static func unpremultiplyToOpaque(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            switch redBlue {
            case .kept: unsafe unpremultiply(from, to, width, .kept, alphaOr: 0xFF00_0000)
            case .exchanged: unsafe unpremultiply(from, to, width, .exchanged, alphaOr: 0xFF00_0000)
            }
        }
    }

    /// `alphaOr` is what is set in every result: nothing, or all bits of alpha. The compiler makes vectors of it.
    @inline(__always)
    private static func unpremultiply(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ redBlue: RedBlue, alphaOr: UInt32
    ) {
        var x = 0
        while x < width {
            let pixel: UInt32 = unsafe load(from, 4 &* x)
            let alpha = pixel &>> 24
            let divisor = Divisor(alpha)
            let c0 = divisor.divide(pixel & 0xFF)
            let c1 = divisor.divide((pixel &>> 8) & 0xFF) &<< 8
            let c2 = divisor.divide((pixel &>> 16) & 0xFF) &<< 16
            unsafe store(to, 4 &* x, placed(c0 | c1 | c2, redBlue) | pixel & 0xFF00_0000 | alphaOr)
            x &+= 1
        }
    }

    /// Divides by one alpha, in floating point and yet exactly.
    ///
    /// (c*255 + a/2) / a, both divisions whole, is c*255/a rounded to the nearest, halves up. A half occurs for even a
    /// only; adding 0.5/a there lifts it. What is rounded then is at least 0.5/255 away from any half, and the four
    /// roundings of the computation together move it by less than 0.0001.
    private struct Divisor {
        private let scale: Float
        private let lift: Float

        @inline(__always)
        init(_ alpha: UInt32) {
            let reciprocal: Float = alpha == 0 ? 0 : 1 / Float(Int32(truncatingIfNeeded: alpha))
            scale = 255 * reciprocal
            lift = alpha & 1 == 0 ? 0.5 * reciprocal : 0
        }

        @inline(__always)
        func divide(_ color: UInt32) -> UInt32 {
            let quotient = Float(Int32(truncatingIfNeeded: color)) * scale + lift
            // Colours above alpha, which no premultiplied pixel has, end at 255.
            let bounded = quotient < 255 ? quotient : 255
            // From 2^23 to 2^24 a Float has no fraction: the sum is rounded, its lowest bits are the result.
            return (bounded + 8_388_608).bitPattern & 0xFF
        }
    }
}
#endif
