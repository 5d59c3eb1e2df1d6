// Kernels between straight and premultiplied alpha, eight bits a sample.
//
// Premultiply is round(c*a/255): t = c*a + 128; (t + (t >> 8)) >> 8. The way back is (c*255 + a/2) / a, at most
// 255, and 0 where a = 0.

enum PremultiplyKernels {
    /// Straight RGBA -> premultiplied RGBA or BGRA.
    static func premultiply(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            var x = 0
            switch redBlue {
            case .kept:
                while x < width {
                    unsafe store(to, 4 &* x, premultiplied(load(from, 4 &* x)))
                    x &+= 1
                }
            case .exchanged:
                while x < width {
                    unsafe store(to, 4 &* x, premultiplied(SwizzleKernels.exchanged(load(from, 4 &* x))))
                    x &+= 1
                }
            }
        }
    }

    /// Gray and straight alpha -> premultiplied RGBA or BGRA (the same bytes).
    static func premultiplyGrayAlpha(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let alpha = unsafe loadByte(from, 2 &* x &+ 1)
                let gray = unsafe scaled(loadByte(from, 2 &* x), by: alpha)
                unsafe store(to, 4 &* x, gray &* 0x01_0101 | alpha &<< 24)
                x &+= 1
            }
        }
    }

    /// Premultiplied RGBA -> straight RGBA; red and blue change places if asked.
    static func unpremultiply(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unpremultiply(source, into: &destination, width: width, redBlue, alphaOr: 0)
    }

    /// Premultiplied RGBA -> straight colour with alpha replaced by 255; red and blue change places if asked.
    static func unpremultiplyToOpaque(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unpremultiply(source, into: &destination, width: width, redBlue, alphaOr: 0xFF00_0000)
    }

    /// `alphaOr` is what is set in every result: nothing, or all bits of alpha.
    @inline(__always)
    private static func unpremultiply(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue, alphaOr: UInt32
    ) {
        let reciprocals = reciprocals
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            let (first, third): (UInt32, UInt32) = redBlue == .kept ? (0, 16) : (16, 0)
            var x = 0
            while x < width {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                let alpha = pixel &>> 24
                let reciprocal = reciprocals[Int(truncatingIfNeeded: alpha)]
                let c0 = divided(pixel & 0xFF, by: alpha, reciprocal)
                let c1 = divided((pixel &>> 8) & 0xFF, by: alpha, reciprocal)
                let c2 = divided((pixel &>> 16) & 0xFF, by: alpha, reciprocal)
                unsafe store(to, 4 &* x, c0 &<< first | c1 &<< 8 | c2 &<< third | alpha &<< 24 | alphaOr)
                x &+= 1
            }
        }
    }

    /// 2^24 / a rounded up, for every alpha; 0 for 0.
    ///
    /// Exact as long as n * (a * r - 2^24) < 2^24 for every dividend n: n <= 255.5 * 255 and the bracket is below a.
    static let reciprocals: [UInt32] = [0] + (1...255).map { ((1 << 24) + $0 - 1) / $0 }

    /// (c*255 + a/2) / a for c <= a, which bounds the product by 255.5 * a * (2^24 / a + 1) < 2^32. A larger c, which
    /// no premultiplied pixel has, counts as a and gives 255.
    @inline(__always)
    static func divided(_ color: UInt32, by alpha: UInt32, _ reciprocal: UInt32) -> UInt32 {
        let color = color < alpha ? color : alpha
        return ((color &* 255 &+ alpha &>> 1) &* reciprocal) &>> 24
    }

    /// round(c*a/255) for bytes.
    @inline(__always)
    static func scaled(_ color: UInt32, by alpha: UInt32) -> UInt32 {
        let t = color &* alpha &+ 128
        return (t &+ t &>> 8) &>> 8
    }

    /// One four-byte pixel, alpha in the top byte.
    @inline(__always)
    static func premultiplied(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel &>> 24
        let c0 = scaled(pixel & 0xFF, by: alpha)
        let c1 = scaled((pixel &>> 8) & 0xFF, by: alpha)
        let c2 = scaled((pixel &>> 16) & 0xFF, by: alpha)
        return c0 | c1 &<< 8 | c2 &<< 16 | alpha &<< 24
    }
}
