// Plain twin of SampleStoringKernels.

import ImageCodecsCore
import ImageEncoding

/// See the functions of the same names in ``SampleStoringKernels``.
package enum SampleStoringReference {
    package static func luma(
        _ words: RawSpan, at row: Int, count: Int, into plane: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<count {
            // As PlaneColors.luma makes it of gray pixels.
            let sum = Int(words.word(row, x)) + 2048
            plane.setByte(UInt8(clamping: (sum * 28159 + 1_081_344 * 8) >> 19), at: offset + x)
        }
    }

    package static func chroma(
        _ words: RawSpan, at row: Int, count: Int, into plane: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<count {
            let sample = (Int(words.word(row, x)) * 225 + 2048) >> 12
            plane.setByte(UInt8(clamping: 128 + sample), at: offset + x)
        }
    }
}

#if ReferenceKernels
package typealias SampleStoringKernels = SampleStoringReference
#endif
