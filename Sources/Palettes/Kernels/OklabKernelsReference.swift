// Pixel by pixel. Plain twin of OklabKernels.

import ImageCodecsCore

package enum OklabKernelsReference {
    /// See ``OklabKernels/convert(_:into:width:)``.
    package static func convert(_ row: RawSpan, into points: inout MutableRawSpan, width: Int) {
        for x in 0..<width { points.setPoint(Oklab.point(row.nativeUInt32(at: 4 * x)), at: 16 * x) }
    }
}

#if ReferenceKernels
package typealias OklabKernels = OklabKernelsReference
#endif
