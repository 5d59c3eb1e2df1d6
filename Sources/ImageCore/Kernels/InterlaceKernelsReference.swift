// Plain twin of InterlaceKernels.

package enum InterlaceKernelsReference {
    /// See `InterlaceKernels.replicate`; byte by byte.
    package static func replicate(_ row: inout MutableRawSpan, width: Int, step: Int, bytesPerPixel: Int) {
        for x in 0..<width where x % step != 0 {
            let (from, to) = ((x - x % step) * bytesPerPixel, x * bytesPerPixel)
            for byte in 0..<bytesPerPixel { row.setByte(row.byte(at: from + byte), at: to + byte) }
        }
    }
}

#if ReferenceKernels
package typealias InterlaceKernels = InterlaceKernelsReference
#endif
