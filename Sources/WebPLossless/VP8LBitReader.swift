// Bits of a bitstream, the lowest of each byte first: what headers, code lengths and all that is not a pixel is read with.
//
// Only a position: a read that lacks bits changes nothing, so that an incomplete syntax element is read again when
// more bytes have come.

import ImageCodecsCore

/// A place in a bitstream, to the bit.
///
/// Source: RFC 9649 section 3.3 "Introduction", on ReadBits.
struct VP8LBitReader: Sendable {
    /// Bits from the first one of the bytes that are there.
    var position: Int
    /// Where those bytes begin in the file.
    let fileOffset: Int

    /// The next `count` bits, passed over; `nil` if there are fewer.
    ///
    /// - Parameter count: at most 32.
    mutating func read(_ count: Int, _ bytes: RawSpan) -> Int? {
        guard position + count <= bytes.byteCount * 8 else { return nil }
        let value = peek(bytes) & ((1 << UInt64(count)) - 1)
        position += count
        return Int(value)
    }

    /// At least 57 bits from here on, zeros where the bytes end.
    @inline(__always)
    func peek(_ bytes: RawSpan) -> UInt64 {
        bytes.littleEndianWord(at: position &>> 3) &>> UInt64(truncatingIfNeeded: position & 7)
    }

    /// Damage at this place.
    func damage(_ code: DamageCode, _ reason: String) -> ImageError {
        .corrupt(.webP, code, offset: fileOffset + position / 8, reason: reason)
    }
}
