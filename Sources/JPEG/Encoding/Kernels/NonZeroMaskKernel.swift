// Which coefficients of a block are not zero, as 64 bits: entropy coding jumps from one to the next.

import ImageCodecsCore

#if !ReferenceKernels
/// Finds the coefficients that have something left above their lowest bits.
package enum NonZeroMaskKernel {
    /// Sets one mask a block: bit k where the coefficient at zig-zag position k is `1 << low` or more, of either sign.
    ///
    /// - Parameters:
    ///   - blocks: the masks that are set, one for each block of `coefficients`.
    ///   - coefficients: 64 `Int16` a block, -32767...32767.
    ///   - low: 0...13.
    /// - Precondition: `masks` holds `blocks`, and `coefficients` as many blocks.
    package static func fill(
        _ masks: inout MutableSpan<UInt64>, _ blocks: Range<Int>, from coefficients: RawSpan, low: Int
    ) {
        precondition(blocks.lowerBound >= 0 && blocks.upperBound <= masks.count && (0...13).contains(low))
        precondition(coefficients.byteCount >= blocks.count * 128)
        let bound = Words(repeating: 1 &<< Int16(truncatingIfNeeded: low) &- 1)
        unsafe coefficients.withUnsafeBytes { source in
            guard let source = source.baseAddress else { return }
            unsafe masks.withUnsafeMutableBufferPointer { masks in
                var index = 0
                while index < blocks.count {
                    // SAFETY: the block is in the span and its mask in the buffer, checked above.
                    unsafe masks[blocks.lowerBound &+ index] = mask(source + index &* 128, above: bound)
                    index &+= 1
                }
            }
        }
    }

    /// One lane a column of the block and one bit a row; then the 8x8 bits are transposed.
    @inline(__always)
    private static func mask(_ block: UnsafeRawPointer, above bound: Words) -> UInt64 {
        // SAFETY: a block is 128 bytes, which `fill` has checked.
        var lanes = unsafe bits(block, 0, bound) | bits(block, 1, bound)
        unsafe lanes |= bits(block, 2, bound) | bits(block, 3, bound)
        unsafe lanes |= bits(block, 4, bound) | bits(block, 5, bound)
        unsafe lanes |= bits(block, 6, bound) | bits(block, 7, bound)
        // Lanes are 0...255.
        var bytes = SIMD8<UInt8>()
        bytes[0] = UInt8(truncatingIfNeeded: lanes[0])
        bytes[1] = UInt8(truncatingIfNeeded: lanes[1])
        bytes[2] = UInt8(truncatingIfNeeded: lanes[2])
        bytes[3] = UInt8(truncatingIfNeeded: lanes[3])
        bytes[4] = UInt8(truncatingIfNeeded: lanes[4])
        bytes[5] = UInt8(truncatingIfNeeded: lanes[5])
        bytes[6] = UInt8(truncatingIfNeeded: lanes[6])
        bytes[7] = UInt8(truncatingIfNeeded: lanes[7])
        // SAFETY: eight bytes are 64 bits.
        return unsafe transposed(UInt64(littleEndian: unsafeBitCast(bytes, to: UInt64.self)))
    }

    /// Bit `row` of each lane whose magnitude is above the bound.
    @inline(__always)
    private static func bits(_ block: UnsafeRawPointer, _ row: Int, _ bound: Words) -> Words {
        // SAFETY: `row` is 0...7 and a block 128 bytes; a mask of eight words is eight words.
        let value = unsafe block.loadUnaligned(fromByteOffset: row &* 16, as: Words.self)
        let sign = value &>> 15
        let isAbove = unsafe unsafeBitCast(((value ^ sign) &- sign) .> bound, to: Words.self)
        return isAbove & Words(repeating: 1 &<< Int16(truncatingIfNeeded: row))
    }

    /// Bit 8 * i + j becomes bit 8 * j + i.
    @inline(__always)
    private static func transposed(_ bits: UInt64) -> UInt64 {
        var x = bits
        var t = (x ^ (x &>> 7)) & 0x00AA_00AA_00AA_00AA
        x ^= t ^ (t &<< 7)
        t = (x ^ (x &>> 14)) & 0x0000_CCCC_0000_CCCC
        x ^= t ^ (t &<< 14)
        t = (x ^ (x &>> 28)) & 0x0000_0000_F0F0_F0F0
        return x ^ t ^ (t &<< 28)
    }
}
#endif
