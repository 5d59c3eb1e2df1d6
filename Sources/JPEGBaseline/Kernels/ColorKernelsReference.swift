// Plain twin of ColorKernels: one pixel at a time, with the arithmetic of `YCbCrConversion` and `CMYKConversion`.

import ImageCodecsCore

/// See the functions of the same names in ``ColorKernels``.
package enum ColorKernelsReference {
    private typealias Color = (red: UInt8, green: UInt8, blue: UInt8)

    package static func convertYCbCr(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        write(width, order, into: &pixels, at: offset) { x in
            YCbCrConversion.rgb(y: luma.byte(at: x), cb: cb.byte(at: x), cr: cr.byte(at: x))
        }
    }

    package static func convertYCbCrH2V2(
        luma: RawSpan, cbSums: RawSpan, crSums: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        write(width, order, into: &pixels, at: offset) { x in
            YCbCrConversion.rgb(
                y: luma.byte(at: x), cb: UpsamplingKernelsReference.interpolated(sums: cbSums, x),
                cr: UpsamplingKernelsReference.interpolated(sums: crSums, x))
        }
    }

    package static func convertYCbCrH2V1(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        write(width, order, into: &pixels, at: offset) { x in
            YCbCrConversion.rgb(
                y: luma.byte(at: x), cb: UpsamplingKernelsReference.interpolated(samples: cb, x),
                cr: UpsamplingKernelsReference.interpolated(samples: cr, x))
        }
    }

    package static func convertYCCK(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, black: RawSpan, width: Int, into pixels: inout MutableRawSpan,
        at offset: Int = 0
    ) {
        for x in 0..<width {
            let inks = CMYKConversion.cmy(y: luma.byte(at: x), cb: cb.byte(at: x), cr: cr.byte(at: x))
            let place = offset + 4 * x
            pixels.setByte(inks.cyan, at: place)
            pixels.setByte(inks.magenta, at: place + 1)
            pixels.setByte(inks.yellow, at: place + 2)
            pixels.setByte(black.byte(at: x), at: place + 3)
        }
    }

    package static func interleave(
        red: RawSpan, green: RawSpan, blue: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        write(width, order, into: &pixels, at: offset) { x in
            (red.byte(at: x), green.byte(at: x), blue.byte(at: x))
        }
    }

    package static func interleave(
        cyan: RawSpan, magenta: RawSpan, yellow: RawSpan, black: RawSpan, width: Int, into pixels: inout MutableRawSpan,
        at offset: Int = 0
    ) {
        for x in 0..<width {
            pixels.setByte(cyan.byte(at: x), at: offset + 4 * x)
            pixels.setByte(magenta.byte(at: x), at: offset + 4 * x + 1)
            pixels.setByte(yellow.byte(at: x), at: offset + 4 * x + 2)
            pixels.setByte(black.byte(at: x), at: offset + 4 * x + 3)
        }
    }

    /// Writes the pixels that `color` gives.
    @inline(__always)
    private static func write(
        _ width: Int, _ order: PixelOrder, into pixels: inout MutableRawSpan, at offset: Int, _ color: (Int) -> Color
    ) {
        for x in 0..<width {
            let (color, place) = (color(x), offset + x * order.bytesPerPixel)
            pixels.setByte(order == .bgrx ? color.blue : color.red, at: place)
            pixels.setByte(color.green, at: place + 1)
            pixels.setByte(order == .bgrx ? color.red : color.blue, at: place + 2)
            if order != .rgb { pixels.setByte(255, at: place + 3) }
        }
    }
}

#if ReferenceKernels
package typealias ColorKernels = ColorKernelsReference
#endif
