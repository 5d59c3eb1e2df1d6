// The plain twin of the kernel that writes tokens.

import ImageCodecsCore

/// See `TokenWritingKernel`: one bit after another.
package enum TokenWritingKernelReference {
    package static func write(
        _ tokens: Span<UInt32>, codes: Span<UInt32>, pending: inout PendingBits,
        to output: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        var at = offset
        for index in 0..<tokens.count {
            let code = codes[Int(tokens[index] >> 21)]
            append(code >> 8, bitCount: Int(code & 0xFF), &pending, &output, &at)
            append(tokens[index] & 0xFFFF, bitCount: Int(tokens[index] >> 16 & 31), &pending, &output, &at)
        }
        return at
    }

    /// Whole words of 64 bits are written, as the kernel does it, once there is a bit for the next.
    private static func append(
        _ value: UInt32, bitCount: Int, _ pending: inout PendingBits, _ output: inout MutableSpan<UInt8>,
        _ at: inout Int
    ) {
        for place in (0..<bitCount).reversed() {
            if pending.freeCount == 0 {
                for shift in stride(from: 56, through: 0, by: -8) {
                    output[at] = UInt8(truncatingIfNeeded: pending.bits >> UInt64(shift))
                    at += 1
                    if output[at - 1] == 0xFF {
                        output[at] = 0
                        at += 1
                    }
                }
                pending.freeCount = 64
            }
            pending.bits = pending.bits << 1 | UInt64(value >> UInt32(place) & 1)
            pending.freeCount -= 1
        }
    }
}

#if ReferenceKernels
package typealias TokenWritingKernel = TokenWritingKernelReference
#endif
