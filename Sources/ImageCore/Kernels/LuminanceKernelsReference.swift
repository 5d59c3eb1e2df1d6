// Plain twin of LuminanceKernels: what becomes of one pixel.

enum LuminanceReference {
    /// Gray of a colour whose samples have up to sixteen bits.
    static func gray(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16
    }

    /// Gray of a colour.
    static func gray(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
        UInt8(gray(Int(red), Int(green), Int(blue)))
    }

    /// Gray of sixteen bits, of samples of eight.
    static func widenedGray(_ p: PixelBytes) -> PixelBytes {
        SampleDepthReference.native(UInt16(gray(257 * Int(p[0]), 257 * Int(p[1]), 257 * Int(p[2]))))
    }

    /// Gray of native samples of sixteen bits.
    static func deepGray(_ p: PixelBytes) -> PixelBytes {
        SampleDepthReference.native(
            UInt16(gray(Int(p[0]) | Int(p[1]) << 8, Int(p[2]) | Int(p[3]) << 8, Int(p[4]) | Int(p[5]) << 8)))
    }

    /// Inverted CMYK.
    static func color(cmyk p: PixelBytes, _ redBlue: RedBlue) -> PixelBytes {
        func scaled(_ ink: UInt8) -> UInt8 { UInt8((Int(ink) * Int(p[3]) + 127) / 255) }
        return SwizzleReference.four(scaled(p[0]), scaled(p[1]), scaled(p[2]), 255, redBlue)
    }
}
