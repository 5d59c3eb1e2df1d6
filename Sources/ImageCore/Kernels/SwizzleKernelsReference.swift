// Plain twin of SwizzleKernels: what becomes of one pixel.

enum SwizzleReference {
    /// Colour in either order, and alpha.
    @inline(__always)
    static func four(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8, _ redBlue: RedBlue) -> PixelBytes {
        redBlue == .kept ? PixelBytes(red, green, blue, alpha) : PixelBytes(blue, green, red, alpha)
    }

    /// A pixel of three bytes with a colour key.
    static func keyed(
        _ p: PixelBytes, _ redBlue: RedBlue, key: UInt32, _ alpha: PixelFormat.Alpha
    ) -> PixelBytes {
        let isKey = UInt32(p[0]) | UInt32(p[1]) << 8 | UInt32(p[2]) << 16 == key
        if isKey && alpha == .premultiplied { return PixelBytes() }
        return four(p[0], p[1], p[2], isKey ? 0 : 255, redBlue)
    }
}
