// Kernels that move the channels of eight-bit pixels: reorder, repeat, drop, add an opaque alpha.
//
// `exchange` names go both ways (RGBA <-> BGRA). A "four" is a four-byte pixel of either order.

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
                unsafe store(to, 4 &* x, exchanged(load(from, 4 &* x)))
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
                    unsafe store(to, 4 &* x, exchanged(load(from, 4 &* x)) | 0xFF00_0000)
                    x &+= 1
                }
            }
        }
    }

    /// RGB -> RGBA or BGRA with alpha 255.
    static func rgbToFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        guard width > 0 else { return }
        unsafe withPixelRows(source, 3 * width, &destination, 4 * width) { from, to in
            // Four bytes are read for three: the last pixel, where that would leave the row, goes alone.
            let last = width &- 1
            var x = 0
            switch redBlue {
            case .kept:
                while x < last {
                    unsafe store(to, 4 &* x, load(from, 3 &* x, as: UInt32.self) | 0xFF00_0000)
                    x &+= 1
                }
                unsafe store(to, 4 &* last, loadThree(from, 3 &* last) | 0xFF00_0000)
            case .exchanged:
                while x < last {
                    unsafe store(to, 4 &* x, load(from, 3 &* x, as: UInt32.self).byteSwapped &>> 8 | 0xFF00_0000)
                    x &+= 1
                }
                unsafe store(to, 4 &* last, loadThree(from, 3 &* last).byteSwapped &>> 8 | 0xFF00_0000)
            }
        }
    }

    /// RGBA or BGRA -> RGB, whatever alpha says.
    static func fourToRGB(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue
    ) {
        unsafe withPixelRows(source, 4 * width, &destination, 3 * width) { from, to in
            let red = redBlue == .kept ? 0 : 2
            var x = 0
            while x < width {
                unsafe storeByte(to, 3 &* x, loadByte(from, 4 &* x &+ red))
                unsafe storeByte(to, 3 &* x &+ 1, loadByte(from, 4 &* x &+ 1))
                unsafe storeByte(to, 3 &* x &+ 2, loadByte(from, 4 &* x &+ (2 &- red)))
                x &+= 1
            }
        }
    }

    /// Gray -> RGBA or BGRA (the same bytes) with alpha 255.
    static func grayToFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, width, &destination, 4 * width) { from, to in
            var x = 0
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
            while x < width {
                let gray = unsafe loadByte(from, x)
                unsafe storeByte(to, 3 &* x, gray)
                unsafe storeByte(to, 3 &* x &+ 1, gray)
                unsafe storeByte(to, 3 &* x &+ 2, gray)
                x &+= 1
            }
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
            while x < width {
                let gray = unsafe loadByte(from, 2 &* x)
                unsafe storeByte(to, 3 &* x, gray)
                unsafe storeByte(to, 3 &* x &+ 1, gray)
                unsafe storeByte(to, 3 &* x &+ 2, gray)
                x &+= 1
            }
        }
    }

    /// Gray and alpha -> RGBA or BGRA (the same bytes), alpha kept.
    static func grayAlphaToFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe loadByte(from, 2 &* x)
                unsafe store(to, 4 &* x, gray &* 0x01_0101 | loadByte(from, 2 &* x &+ 1) &<< 24)
                x &+= 1
            }
        }
    }

    /// Gray and alpha -> RGBA or BGRA (the same bytes) with alpha 255.
    static func grayAlphaToOpaqueFour(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                unsafe store(to, 4 &* x, loadByte(from, 2 &* x) &* 0x01_0101 | 0xFF00_0000)
                x &+= 1
            }
        }
    }

    /// RGB with a colour key -> RGBA or BGRA, alpha 0 where a pixel equals the key and 255 elsewhere.
    ///
    /// - Parameters:
    ///   - key: Red in the lowest byte, then green, blue; the top byte 0.
    ///   - keyedPixel: What takes the place of a pixel that equals the key (straight formats keep its colour,
    ///     premultiplied ones have zero).
    static func keyedRGBToFour(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ redBlue: RedBlue,
        key: UInt32, keyedPixel: UInt32
    ) {
        unsafe withPixelRows(source, 3 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let rgb = unsafe loadThree(from, 3 &* x)
                let opaque = (redBlue == .kept ? rgb : exchanged(rgb)) | 0xFF00_0000
                unsafe store(to, 4 &* x, rgb == key ? keyedPixel : opaque)
                x &+= 1
            }
        }
    }

    /// Exchanges the first and the third byte of a four-byte pixel.
    @inline(__always)
    static func exchanged(_ pixel: UInt32) -> UInt32 {
        pixel & 0xFF00_FF00 | (pixel &>> 16) & 0xFF | (pixel & 0xFF) &<< 16
    }

    /// Three bytes, the first one lowest.
    @inline(__always)
    private static func loadThree(_ row: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        let low = unsafe UInt32(truncatingIfNeeded: load(row, offset, as: UInt16.self))
        return unsafe low | loadByte(row, offset &+ 2) &<< 16
    }
}
