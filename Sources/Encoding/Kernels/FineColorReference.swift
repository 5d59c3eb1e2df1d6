// Plain twin of FineColorKernels: one pixel at a time.

import ImageCodecsCore

/// See the function of the same name in ``FineColorKernels``.
package enum FineColorReference {
    package static func convert(
        _ row: RawSpan, layout: FineColorLayout, width: Int, luma: Int, cb: Int, cr: Int,
        into workspace: inout MutableRawSpan
    ) {
        for x in 0..<width {
            let place = x * layout.bytesPerPixel
            func byte(_ index: Int) -> Int32 { Int32(row.byte(at: place + index)) }
            guard layout != .gray else {
                workspace.setWord(Int16(16 * (byte(0) - 128)), luma, x)
                continue
            }
            let color = layout == .bgrx ? SIMD4(byte(2), byte(1), byte(0), 1) : SIMD4(byte(0), byte(1), byte(2), 1)
            let samples = FineColor.samples(color)
            workspace.setWord(samples.y, luma, x)
            workspace.setWord(samples.cb, cb, x)
            workspace.setWord(samples.cr, cr, x)
        }
    }
}

#if ReferenceKernels
package typealias FineColorKernels = FineColorReference
#endif
