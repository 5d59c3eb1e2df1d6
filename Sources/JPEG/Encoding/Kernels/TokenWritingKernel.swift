// Tokens to entropy-coded bytes.

import ImageCodecsCore

/// Bits that are not in the output yet: a plain value.
package struct PendingBits: Hashable, Sendable {
    /// The bits, the last one lowest; what is above them has no meaning.
    package var bits: UInt64 = 0
    /// Bits of ``bits`` that are free: 0...64.
    package var freeCount = 64

    package init() {}
}

#if !ReferenceKernels
/// Writes the codes of tokens and the bits after them.
package enum TokenWritingKernel {
    /// Writes tokens; a byte 0xFF is followed by 0x00.
    ///
    /// - Parameters:
    ///   - codes: of each symbol (see ``EntropyToken``) its code times 256, plus the length of the code, 0...16.
    ///   - pending: bits that were left over, and are now.
    ///   - offset: where the bytes go in `output`.
    /// - Returns: One past the last byte that was written.
    /// - Precondition: `output` has room for eight bytes a token and sixteen more.
    /// - Source: ITU-T T.81 (1992) §F.1.2.3 "Byte stuffing".
    package static func write(
        _ tokens: Span<UInt32>, codes: Span<UInt32>, pending: inout PendingBits,
        to output: inout MutableSpan<UInt8>, at offset: Int
    ) -> Int {
        precondition(codes.count >= EntropyToken.symbolCount && offset >= 0)
        precondition(output.count - offset >= tokens.count * 8 + 16)
        var (bits, free) = (pending.bits, Int64(pending.freeCount))
        var at = offset
        unsafe tokens.withUnsafeBufferPointer { tokens in
            unsafe codes.withUnsafeBufferPointer { codes in
                unsafe output.withUnsafeMutableBytes { output in
                    guard let target = output.baseAddress, let codes = codes.baseAddress else { return }
                    var index = 0
                    while index < tokens.count {
                        // SAFETY: `index` is in the buffer; a token's highest eleven bits are an index of the codes.
                        let token = unsafe tokens[index]
                        let code = unsafe codes[Int(token &>> 21)]
                        let extra = UInt64((token &>> 16) & 31)
                        let value = UInt64(code &>> 8) &<< extra | UInt64(token & 0xFFFF)
                        let length = Int64(code & 0xFF) &+ Int64(bitPattern: extra)
                        free &-= length
                        if free < 0 {
                            // `length` is at most 32, so that 64 bits are there, and at most 31 remain.
                            let word = bits &<< UInt64(bitPattern: length &+ free) | value &>> UInt64(bitPattern: -free)
                            // SAFETY: every word had two tokens or more, or bits that were left over: sixteen bytes
                            // of room a word.
                            unsafe append(word, to: target, at: &at)
                            bits = value
                            free &+= 64
                        } else {
                            bits = bits &<< UInt64(bitPattern: length) | value
                        }
                        index &+= 1
                    }
                }
            }
        }
        (pending.bits, pending.freeCount) = (bits, Int(free))
        return at
    }

    /// Eight bytes, the highest first, and a zero after each 0xFF.
    @inline(__always)
    private static func append(_ word: UInt64, to target: UnsafeMutableRawPointer, at offset: inout Int) {
        // A byte 0xFF is one that is zero in the complement.
        let zeros = ~word
        if (zeros &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
            // SAFETY: the caller has left room.
            unsafe target.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
            return
        }
        var rest = word
        var count = 0
        while count < 8 {
            let byte = UInt8(truncatingIfNeeded: rest &>> 56)
            // SAFETY: as above; two bytes for each of the word.
            unsafe target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
            if byte == 0xFF {
                unsafe target.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
                offset &+= 1
            }
            rest &<<= 8
            count &+= 1
        }
    }
}
#endif
