// Kernels that move the channels of eight-bit pixels: reorder, repeat, drop, add an opaque alpha.
//
// `exchange` names go both ways (RGBA <-> BGRA). A "four" is a four-byte pixel of either order.
//
// SAFETY, for every load and store here: `withPixelRows` has checked that both rows hold the pixels, and loops stay
// below their number; a loop that touches more bytes than its pixels have stops early enough, and says so.

#if !ReferenceKernels
enum SwizzleKernels {
    /// `byteCount` bytes as they are.
    static func copy(_ source: RawSpan, into destination: inout MutableRawSpan, byteCount: Int) {
        unsafe withPixelRows(source, byteCount, &destination, byteCount) { from, to in
            // SAFETY: both rows hold `byteCount` bytes, checked by `withPixelRows`.
            unsafe to.copyMemory(from: from, byteCount: byteCount)
        }
    }

    /// RGBA <-> BGRA; alpha stays.
    static func exchangeRedBlue(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                unsafe store(to, 4 &* x, placed(load(from, 4 &* x), .exchanged))
                x &+= 1
            }
        }
    }

    /// Four-byte pixels with the last byte replaced by 255.
    static func fourToOpaqueFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 4 * width) { from, to in
            var x = 0
            switch redBlue {
            case .kept:
                while x < width {
                    unsafe store(to, 4 &* x, load(from, 4 &* x, as: UInt32.self) | 0xFF00_0000)
                    x &+= 1
                }
            case .exchanged:
                while x < width {
                    unsafe store(to, 4 &* x, placed(load(from, 4 &* x), .exchanged) | 0xFF00_0000)
                    x &+= 1
                }
            }
        }
    }

    /// RGB -> RGBA or BGRA with alpha 255.
    static func rgbToFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 3 * width, &destination, 4 * width) { from, to in
            switch redBlue {
            case .kept: unsafe rgbToFour(from, to, width, placing: .kept)
            case .exchanged: unsafe rgbToFour(from, to, width, placing: .exchanged)
            }
        }
    }

    @inline(__always)
    private static func rgbToFour(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, placing redBlue: RedBlue
    ) {
        var x = 0
        // Six bytes are read as eight: only while a pixel more than four is left.
        while x < width &- 4 {
            unsafe store(to, 4 &* x, spread(load(from, 3 &* x), redBlue) | 0xFF00_0000_FF00_0000)
            unsafe store(to, 4 &* x &+ 8, spread(load(from, 3 &* x &+ 6), redBlue) | 0xFF00_0000_FF00_0000)
            x &+= 4
        }
        while x < width {
            unsafe store(to, 4 &* x, placed(loadThree(from, 3 &* x), redBlue) | 0xFF00_0000)
            x &+= 1
        }
    }

    /// RGBA or BGRA -> RGB, whatever alpha says.
    static func fourToRGB(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 3 * width) { from, to in
            switch redBlue {
            case .kept: unsafe fourToRGB(from, to, width, placing: .kept)
            case .exchanged: unsafe fourToRGB(from, to, width, placing: .exchanged)
            }
        }
    }

    @inline(__always)
    private static func fourToRGB(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, placing redBlue: RedBlue
    ) {
        var x = 0
        // Six bytes are written as eight, the next store mends them: only while a pixel more than four is left.
        while x < width &- 4 {
            unsafe store(to, 3 &* x, packed(load(from, 4 &* x), redBlue))
            unsafe store(to, 3 &* x &+ 6, packed(load(from, 4 &* x &+ 8), redBlue))
            x &+= 4
        }
        while x < width {
            unsafe storeThree(to, 3 &* x, placed(load(from, 4 &* x), redBlue))
            x &+= 1
        }
    }

    /// Gray -> RGBA or BGRA (the same bytes) with alpha 255.
    static func grayToFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width &- 7 {
                let gray: SIMD8<UInt8> = unsafe load(from, x)
                let twice = zipped(gray, gray)
                let opaque = zipped(gray, SIMD8(repeating: 255))
                unsafe store(to, 4 &* x, zippedLow(twice, opaque))
                unsafe store(to, 4 &* x &+ 16, zippedHigh(twice, opaque))
                x &+= 8
            }
            while x < width {
                unsafe store(to, 4 &* x, loadByte(from, x) &* 0x01_0101 | 0xFF00_0000)
                x &+= 1
            }
        }
    }

    /// Gray -> RGB.
    static func grayToRGB(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, width, &destination, 3 * width) { from, to in
            var x = 0
            // Four bytes are written for three; the last pixel, if that would leave the row, goes alone.
            while x < width &- 1 {
                unsafe store(to, 3 &* x, loadByte(from, x) &* 0x01_0101)
                x &+= 1
            }
            if x < width { unsafe storeThree(to, 3 &* x, loadByte(from, x) &* 0x01_0101) }
        }
    }

    /// Gray -> gray and alpha 255.
    static func grayToGrayAlpha(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, width, &destination, 2 * width) { from, to in
            var x = 0
            while x < width {
                unsafe store(to, 2 &* x, UInt16(truncatingIfNeeded: loadByte(from, x)) | 0xFF00)
                x &+= 1
            }
        }
    }

    /// Gray and alpha -> gray.
    static func grayAlphaToGray(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, width) { from, to in
            var x = 0
            while x < width {
                unsafe storeByte(to, x, loadByte(from, 2 &* x))
                x &+= 1
            }
        }
    }

    /// Gray and alpha -> RGB, whatever alpha says.
    static func grayAlphaToRGB(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 3 * width) { from, to in
            var x = 0
            // Four bytes are written for three; the last pixel, if that would leave the row, goes alone.
            while x < width &- 1 {
                unsafe store(to, 3 &* x, loadByte(from, 2 &* x) &* 0x01_0101)
                x &+= 1
            }
            if x < width { unsafe storeThree(to, 3 &* x, loadByte(from, 2 &* x) &* 0x01_0101) }
        }
    }

    /// Gray and alpha -> RGBA or BGRA (the same bytes), alpha kept.
    static func grayAlphaToFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                // Gray in the low, alpha in the high byte.
                let pixel = unsafe UInt32(truncatingIfNeeded: load(from, 2 &* x, as: UInt16.self))
                let gray = pixel & 0xFF
                unsafe store(to, 4 &* x, gray | gray &<< 8 | pixel &<< 16)
                x &+= 1
            }
        }
    }

    /// Gray and alpha -> RGBA or BGRA (the same bytes) with alpha 255.
    static func grayAlphaToOpaqueFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe UInt32(truncatingIfNeeded: load(from, 2 &* x, as: UInt16.self)) & 0xFF
                unsafe store(to, 4 &* x, gray | gray &<< 8 | gray &<< 16 | 0xFF00_0000)
                x &+= 1
            }
        }
    }

    /// RGB with a colour key -> RGBA or BGRA; alpha is 0 if the pixel equals the key, else 255.
    ///
    /// - Parameters:
    ///   - key: Red in the lowest byte, then green, blue; the top byte 0.
    ///   - alpha: What a pixel that equals the key becomes: straight keeps its colour, premultiplied has zero.
    static func keyedRGBToFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue,
        key: UInt32, _ alpha: PixelFormat.Alpha
    ) {
        unsafe withPixelRows(source, 3 * width, &destination, 4 * width) { from, to in
            switch (redBlue, alpha) {
            case (.kept, .premultiplied): unsafe keyedRGBToFour(from, to, width, .kept, key, keepsColor: false)
            case (.kept, _): unsafe keyedRGBToFour(from, to, width, .kept, key, keepsColor: true)
            case (.exchanged, .premultiplied):
                unsafe keyedRGBToFour(from, to, width, .exchanged, key, keepsColor: false)
            case (.exchanged, _): unsafe keyedRGBToFour(from, to, width, .exchanged, key, keepsColor: true)
            }
        }
    }

    @inline(__always)
    private static func keyedRGBToFour(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int,
        _ redBlue: RedBlue, _ key: UInt32, keepsColor: Bool
    ) {
        let key = UInt64(truncatingIfNeeded: placed(key, redBlue)) &* 0x1_0000_0001
        var x = 0
        // Six bytes are read as eight: only while a pixel more than two is left.
        while x < width &- 2 {
            let two = unsafe spread(load(from, 3 &* x), redBlue)
            unsafe store(to, 4 &* x, keyed(two, key, keepsColor: keepsColor))
            x &+= 2
        }
        while x < width {
            let one = unsafe UInt64(truncatingIfNeeded: placed(loadThree(from, 3 &* x), redBlue))
            unsafe store(to, 4 &* x, UInt32(truncatingIfNeeded: keyed(one, key, keepsColor: keepsColor)))
            x &+= 1
        }
    }

    /// Gives alpha 255 to those of two pixels that differ from the key.
    @inline(__always)
    private static func keyed(_ two: UInt64, _ key: UInt64, keepsColor: Bool) -> UInt64 {
        // A difference of 1...0xFFFFFF carries into bit 24, none does not.
        let differs = ((two ^ key) &+ 0x00FF_FFFF_00FF_FFFF) & 0x0100_0000_0100_0000
        let color = keepsColor ? two : two & (differs &- differs &>> 24)
        return color | differs &* 255
    }
}
#endif
