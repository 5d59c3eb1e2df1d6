// Plain twin of VP8UpsamplingKernels: one pixel at a time, every access checked.

import ImageCodecsCore

/// See the functions of the same names in ``VP8UpsamplingKernels``.
package enum VP8UpsamplingKernelsReference: UpsamplingBuffers {
    package static func mix(near: RawSpan, far: RawSpan, count: Int, into sums: inout MutableSpan<UInt16>) {
        for index in 0..<count + 2 {
            let column = min(max(index - 1, 0), count - 1)
            sums[index] = 3 * UInt16(near.byte(at: column)) + UInt16(far.byte(at: column))
        }
    }

    package static func convert(
        luma: RawSpan, u: Span<UInt16>, v: Span<UInt16>, width: Int, into pixels: inout MutableRawSpan
    ) {
        for x in 0..<width {
            let color = ReconstructionReference.color(
                luma: Int(luma.byte(at: x + 1)), interpolated(u, x), interpolated(v, x))
            let place = 4 * x
            pixels.setByte(color.blue, at: place)
            pixels.setByte(color.green, at: place + 1)
            pixels.setByte(color.red, at: place + 2)
            pixels.setByte(255, at: place + 3)
        }
    }

    /// Three times the sum of a pixel's own column and once that of the nearer one beside it, in sixteenths.
    private static func interpolated(_ sums: Span<UInt16>, _ x: Int) -> Int {
        let column = x / 2 + 1
        return (3 * Int(sums[column]) + Int(sums[x % 2 == 0 ? column - 1 : column + 1]) + 8) >> 4
    }
}

#if ReferenceKernels
package typealias VP8UpsamplingKernels = VP8UpsamplingKernelsReference
#endif
