// Plain twin of ScatterKernels.

package enum ScatterKernelsReference {
    /// See `ScatterKernels.scatter`; byte by byte.
    package static func scatter(
        _ source: RawSpan, into row: inout MutableRawSpan, start: Int, step: Int, count: Int, bytesPerPixel: Int
    ) {
        for index in 0..<count {
            let (from, to) = (index * bytesPerPixel, (start + index * step) * bytesPerPixel)
            for byte in 0..<bytesPerPixel { row.setByte(source.byte(at: from + byte), at: to + byte) }
        }
    }
}

#if ReferenceKernels
package typealias ScatterKernels = ScatterKernelsReference
#endif
