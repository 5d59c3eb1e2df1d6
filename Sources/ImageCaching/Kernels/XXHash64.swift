// XXH64: a checksum of 64 bits that takes a tenth of the time that reading takes. It finds what an accident changed, not what somebody
// forged.

/// The XXH64 of bytes.
///
/// Source: Yann Collet, "xxHash fast digest algorithm", version 0.1.1, "XXH64 Algorithm Description".
package enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    #if !ReferenceKernels
    /// The hash of some bytes, with a start value.
    package static func hash(of bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { buffer in
            hash(bytes, seed: seed) { offset in
                // SAFETY: `hash` asks for words that end within the bytes, and the buffer is those.
                UInt64(littleEndian: unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
    }
    #else
    /// The hash of some bytes, with a start value.
    package static func hash(of bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        hashByteForByte(of: bytes, seed: seed)
    }
    #endif

    /// The hash of some bytes, with a start value.
    package static func hash(of bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
        hash(of: bytes.span, seed: seed)
    }

    /// The same with words put together of their bytes.
    package static func hashByteForByte(of bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        hash(bytes, seed: seed) { offset in
            var word: UInt64 = 0
            for index in 0..<8 { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
            return word
        }
    }

    /// - Parameter word: the eight bytes from an offset on, the first one the lowest; they end within the bytes.
    @inline(__always)
    private static func hash(_ bytes: Span<UInt8>, seed: UInt64, _ word: (_ offset: Int) -> UInt64) -> UInt64 {
        let count = bytes.count
        var (offset, sum) = (0, seed &+ prime5)
        if count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            repeat {
                lane1 = round(lane1, word(offset))
                lane2 = round(lane2, word(offset + 8))
                lane3 = round(lane3, word(offset + 16))
                lane4 = round(lane4, word(offset + 24))
                offset += 32
            } while count - offset >= 32
            sum = rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
            sum = merged(merged(merged(merged(sum, lane1), lane2), lane3), lane4)
        }
        sum &+= UInt64(count)
        while count - offset >= 8 {
            sum = rotated(sum ^ round(0, word(offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if count - offset >= 4 {
            var half: UInt64 = 0
            for index in 0..<4 { half |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
            sum = rotated(sum ^ half &* prime1, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < count {
            sum = rotated(sum ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
            offset += 1
        }
        sum = (sum ^ sum &>> 33) &* prime2
        sum = (sum ^ sum &>> 29) &* prime3
        return sum ^ sum &>> 32
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merged(_ sum: UInt64, _ lane: UInt64) -> UInt64 { (sum ^ round(0, lane)) &* prime1 &+ prime4 }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word &<< count | word &>> (64 &- count) }
}
