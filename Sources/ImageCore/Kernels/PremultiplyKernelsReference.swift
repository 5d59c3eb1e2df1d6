// Plain twin of PremultiplyKernels: what becomes of one pixel.

enum PremultiplyReference {
    /// Straight to premultiplied.
    static func premultiplied(_ p: PixelBytes, _ redBlue: RedBlue) -> PixelBytes {
        SwizzleReference.four(multiply(p[0], p[3]), multiply(p[1], p[3]), multiply(p[2], p[3]), p[3], redBlue)
    }

    /// Premultiplied to straight, with `alpha` in place of its own.
    static func straight(_ p: PixelBytes, alpha: UInt8, _ redBlue: RedBlue) -> PixelBytes {
        SwizzleReference.four(divide(p[0], p[3]), divide(p[1], p[3]), divide(p[2], p[3]), alpha, redBlue)
    }

    /// Gray and alpha to premultiplied colour.
    static func premultipliedGray(_ p: PixelBytes) -> PixelBytes {
        let gray = multiply(p[0], p[1])
        return PixelBytes(gray, gray, gray, p[1])
    }

    /// c*a/255, rounded.
    package static func multiply(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
        let t = Int(color) * Int(alpha) + 128
        return UInt8((t + t >> 8) >> 8)
    }

    /// c*255/a, rounded, at most 255; 0 if a is 0.
    package static func divide(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
        alpha == 0 ? 0 : UInt8(min(255, (Int(color) * 255 + Int(alpha) / 2) / Int(alpha)))
    }
}
