// The plain twin of the kernel that finds coefficients other than zero.

import ImageCodecsCore

/// See `NonZeroMaskKernel`: one coefficient after another.
package enum NonZeroMaskKernelReference {
    package static func fill(
        _ masks: inout MutableSpan<UInt64>, _ blocks: Range<Int>, from coefficients: RawSpan, low: Int
    ) {
        for block in 0..<blocks.count {
            var mask: UInt64 = 0
            for position in 0..<64 {
                let bits = coefficients.nativeUInt16(at: block * 128 + position * 2)
                if Int16(bitPattern: bits).magnitude >> UInt16(low) != 0 { mask |= 1 << UInt64(position) }
            }
            masks[blocks.lowerBound + block] = mask
        }
    }
}

#if ReferenceKernels
package typealias NonZeroMaskKernel = NonZeroMaskKernelReference
#endif
