// The plain twin of PixelWriteKernel.

import ImageCodecsCore

/// Writes pixels, a bit at a time.
package enum PixelWriteKernelReference {
    package static let pixelByteCount = 8

    /// See `PixelWriteKernel`.
    package static func write(
        _ pixels: Span<UInt32>, codes: Span<UInt32>, red: Int, blue: Int, alpha: Int, to output: inout MutableRawSpan,
        position: inout Int, bits: inout UInt64, count: inout Int
    ) {
        for index in pixels.indices {
            let pixel = pixels[index]
            let symbols = [
                Int(pixel >> 8 & 255), red + Int(pixel >> 16 & 255), blue + Int(pixel & 255), alpha + Int(pixel >> 24),
            ]
            for symbol in symbols {
                for place in 0..<codes[symbol] >> 24 {
                    bits |= UInt64(codes[symbol] >> place & 1) << UInt64(count)
                    count += 1
                    guard count == 8 else { continue }
                    output.setByte(UInt8(truncatingIfNeeded: bits), at: position)
                    (position, bits, count) = (position + 1, 0, 0)
                }
            }
        }
    }
}

#if ReferenceKernels
package typealias PixelWriteKernel = PixelWriteKernelReference
#endif
