// The traits of a row, one pixel after another, bounds-checked. Plain twin of PixelSurveyKernels.

import ImageCodecsCore

package enum PixelSurveyKernelsReference {
    /// See ``PixelSurveyKernels/traits(rgba:width:)``.
    package static func traits(rgba row: RawSpan, width: Int) -> PixelTraits {
        traits(width: width, channels: 4, maximum: 255) { UInt16(row.byte(at: $0)) }
    }

    /// See ``PixelSurveyKernels/traits(rgba16:width:)``.
    package static func traits(rgba16 row: RawSpan, width: Int) -> PixelTraits {
        traits(width: width, channels: 4, maximum: 65535) { row.nativeUInt16(at: 2 * $0) }
    }

    /// See ``PixelSurveyKernels/traits(gray16:width:)``.
    package static func traits(gray16 row: RawSpan, width: Int) -> PixelTraits {
        traits(width: width, channels: 1, maximum: 65535) { row.nativeUInt16(at: 2 * $0) }
    }

    private static func traits(
        width: Int, channels: Int, maximum: UInt16, _ sample: (Int) -> UInt16
    ) -> PixelTraits {
        var traits = PixelTraits()
        for x in 0..<width {
            let first = x * channels
            if maximum > 255 {
                for index in first..<first + channels where sample(index) >> 8 != sample(index) & 0xFF {
                    traits.fitsEightBits = false
                }
            }
            guard channels == 4 else { continue }
            if sample(first + 3) != maximum { traits.isOpaque = false }
            if sample(first) != sample(first + 1) || sample(first + 1) != sample(first + 2) { traits.isGray = false }
        }
        return traits
    }
}

#if ReferenceKernels
package typealias PixelSurveyKernels = PixelSurveyKernelsReference
#endif
