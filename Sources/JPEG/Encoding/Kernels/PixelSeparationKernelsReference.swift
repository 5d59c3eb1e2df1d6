// Rows of pixels to rows of samples, plain.

import ImageCodecsCore
package import JPEGBaselineCodec

/// The plain twin of `PixelSeparationKernels`.
package enum PixelSeparationKernelsReference {
    /// See `PixelSeparationKernels.convertToYCbCr`.
    package static func convertToYCbCr(
        _ row: RawSpan, width: Int, order: PixelOrder, into samples: inout MutableRawSpan, at places: SIMD3<Int>
    ) {
        for x in 0..<width {
            let pixel = x * order.bytesPerPixel
            let (first, second, third) = (row.byte(at: pixel), row.byte(at: pixel + 1), row.byte(at: pixel + 2))
            let color =
                order == .bgrx
                ? RGBConversion.yCbCr(red: third, green: second, blue: first)
                : RGBConversion.yCbCr(red: first, green: second, blue: third)
            samples.setByte(color.y, at: places[0] + x)
            samples.setByte(color.cb, at: places[1] + x)
            samples.setByte(color.cr, at: places[2] + x)
        }
    }

    /// See `PixelSeparationKernels.separateInks`.
    package static func separateInks(
        _ row: RawSpan, width: Int, into samples: inout MutableRawSpan, at places: SIMD4<Int>
    ) {
        for x in 0..<width {
            for ink in 0..<4 { samples.setByte(row.byte(at: 4 * x + ink), at: places[ink] + x) }
        }
    }
}

#if ReferenceKernels
package typealias PixelSeparationKernels = PixelSeparationKernelsReference
#endif
