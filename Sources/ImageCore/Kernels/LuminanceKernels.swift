// Kernels between colour models: gray out of colour, and Adobe's inverted CMYK to RGB.
//
// Gray is (19595*R + 38470*G + 7471*B + 32768) >> 16, the weights 0.299, 0.587, 0.114 of ITU-R BT.601-7 §2.5.1
// "Construction of luminance and colour-difference signals" in sixteen fraction bits; they add up to 65536, so
// gray of gray is itself.
//
// SAFETY, for every load and store here: `withPixelRows` has checked that both rows hold the pixels, and loops stay
// below their number; a loop that touches more bytes than its pixels have stops early enough, and says so.

#if !ReferenceKernels
enum LuminanceKernels {
    /// RGB -> gray.
    static func rgbToGray(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 3 * width, &destination, width) { from, to in
            var x = 0
            // Six bytes are read as eight: only while a pixel more than four is left.
            while x < width &- 4 {
                let first = unsafe spread(load(from, 3 &* x), .kept)
                let second = unsafe spread(load(from, 3 &* x &+ 6), .kept)
                let four = fourPixels(first, second)
                let byte = FourPixels(repeating: 0xFF)
                let red = four & byte
                let green = (four &>> FourPixels(repeating: 8)) & byte
                let blue = four &>> FourPixels(repeating: 16)
                var sum = red &* FourPixels(repeating: 19595) &+ FourPixels(repeating: 32768)
                // Half the weight of green fits a signed word, which the multiplication of words needs.
                let halfGreen = green &* FourPixels(repeating: 19235)
                sum = sum &+ halfGreen &+ halfGreen
                sum = sum &+ blue &* FourPixels(repeating: 7471)
                let gray = sum &>> FourPixels(repeating: 16)
                unsafe store(to, x, SIMD4<UInt8>(truncatingIfNeeded: gray))
                x &+= 4
            }
            while x < width {
                let (r, g) = unsafe (loadByte(from, 3 &* x), loadByte(from, 3 &* x &+ 1))
                unsafe storeByte(to, x, luminance(r, g, loadByte(from, 3 &* x &+ 2)))
                x &+= 1
            }
        }
    }

    /// RGB -> gray and alpha 255.
    static func rgbToGrayAlpha(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 3 * width, &destination, 2 * width) { from, to in
            var x = 0
            while x < width {
                let (r, g) = unsafe (loadByte(from, 3 &* x), loadByte(from, 3 &* x &+ 1))
                let gray = unsafe luminance(r, g, loadByte(from, 3 &* x &+ 2))
                unsafe store(to, 2 &* x, UInt16(truncatingIfNeeded: gray | 0xFF00))
                x &+= 1
            }
        }
    }

    /// RGBA or BGRA (red and blue exchanged) -> gray, whatever alpha says.
    static func fourToGray(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, width) { from, to in
            let (red, blue): (UInt32, UInt32) = redBlue == .kept ? (0, 16) : (16, 0)
            var x = 0
            while x < width {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                let (r, b) = ((pixel &>> red) & 0xFF, (pixel &>> blue) & 0xFF)
                unsafe storeByte(to, x, luminance(r, (pixel &>> 8) & 0xFF, b))
                x &+= 1
            }
        }
    }

    /// RGBA -> gray and alpha.
    static func rgbaToGrayAlpha(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 4 * width, &destination, 2 * width) { from, to in
            var x = 0
            while x < width {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                let gray = luminance(pixel & 0xFF, (pixel &>> 8) & 0xFF, (pixel &>> 16) & 0xFF)
                unsafe store(to, 2 &* x, UInt16(truncatingIfNeeded: gray | (pixel &>> 24) &<< 8))
                x &+= 1
            }
        }
    }

    /// RGBA -> gray of sixteen bits; samples are widened before they are weighed.
    static func rgbaToGray16(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 4 * width, &destination, 2 * width) { from, to in
            var x = 0
            while x < width {
                let r = unsafe loadByte(from, 4 &* x) &* 257
                let g = unsafe loadByte(from, 4 &* x &+ 1) &* 257
                let b = unsafe loadByte(from, 4 &* x &+ 2) &* 257
                unsafe store(to, 2 &* x, UInt16(truncatingIfNeeded: luminance(r, g, b)))
                x &+= 1
            }
        }
    }

    /// RGBA of sixteen bits -> gray of sixteen bits, native byte order.
    static func rgba16ToGray16(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 8 * width, &destination, 2 * width) { from, to in
            var x = 0
            while x < width {
                let r = unsafe UInt32(truncatingIfNeeded: load(from, 8 &* x, as: UInt16.self))
                let g = unsafe UInt32(truncatingIfNeeded: load(from, 8 &* x &+ 2, as: UInt16.self))
                let b = unsafe UInt32(truncatingIfNeeded: load(from, 8 &* x &+ 4, as: UInt16.self))
                unsafe store(to, 2 &* x, UInt16(truncatingIfNeeded: luminance(r, g, b)))
                x &+= 1
            }
        }
    }

    /// Inverted CMYK (255 is no ink) -> RGBA or BGRA with alpha 255; R = (C*K + 127) / 255.
    static func cmykToFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            switch redBlue {
            case .kept: unsafe cmykToFour(from, to, width, placing: .kept)
            case .exchanged: unsafe cmykToFour(from, to, width, placing: .exchanged)
            }
        }
    }

    /// (C*K + 127) / 255 is the same as round(C*K/255), which has no halves: K takes the place of alpha.
    @inline(__always)
    private static func cmykToFour(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, placing redBlue: RedBlue
    ) {
        let opaque = FourPixels(repeating: 0xFF00_0000)
        var x = 0
        while x < width &- 3 {
            unsafe store(to, 4 &* x, PremultiplyKernels.premultiplied(load(from, 4 &* x), redBlue) | opaque)
            x &+= 4
        }
        while x < width {
            let pixel = unsafe FourPixels(repeating: load(from, 4 &* x))
            unsafe store(to, 4 &* x, (PremultiplyKernels.premultiplied(pixel, redBlue) | opaque)[0])
            x &+= 1
        }
    }

    /// The weighted sum of samples of up to sixteen bits: at most 65535 * 65536 + 32768 < 2^32.
    @inline(__always)
    static func luminance(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
        (19595 &* red &+ 38470 &* green &+ 7471 &* blue &+ 32768) &>> 16
    }
}
#endif
