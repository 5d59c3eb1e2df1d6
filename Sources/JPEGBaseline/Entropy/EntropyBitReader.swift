// Bits of an entropy-coded segment: byte stuffing removed, most significant bit first, never past a marker.
//
// In: the bytes that are there so far. Out: a reservoir of up to 64 bits for table look-ups.

import ImageCodecsCore

/// Reads the bits of entropy-coded segments.
///
/// A plain value without a reference to the input, so that a copy is a checkpoint; the input is handed to every
/// refill, and `position` counts from its start.
///
///     reservoir   |b b b b b b b b|0 0 0 0 0 …|     the next bit is the top bit
///                 |<-- count ---->|
///                      |<padding->|                 zero bits appended where the input ended
///
/// At a marker, and at the end of the bytes that are there, zero bits are appended as often as they are asked for: once
/// there are some, nothing is looked at until ``restart(at:)`` or ``rebase(droppingFirst:)``. Whether any was used shows
/// afterwards: ``hasOverrun``. The caller then goes back to its checkpoint, and waits for more bytes or treats the
/// segment as ended.
///
/// Both attributes on the type and `@inlinable` on its members are needed for module `JPEGCodec` to inline them.
///
/// - Source: ITU-T T.81 (1992) §F.2.2.5 "The NEXTBIT procedure", §B.1.1.5 "Entropy-coded data segments".
@usableFromInline
package struct EntropyBitReader: Sendable, Hashable {
    /// The next bits, at the top. Below `count` they are zero or repeat the byte at `position`.
    @usableFromInline package var reservoir: UInt64 = 0
    /// Bits of `reservoir` that may be used.
    @usableFromInline package var count = 0
    /// How many zero bits were appended since the last ``restart(at:)``; if there are some, the input has no byte of
    /// data at `position`.
    @usableFromInline package var padding = 0
    /// The next byte to read.
    @usableFromInline package var position = 0

    /// A longer run of `0xFF` ends the segment like a marker, so that looking at one costs little however often.
    @inlinable package static var maximumFill: Int { 256 }
    /// The most bytes of the input that a byte of data takes: ``maximumFill`` times `0xFF`, and the zero after them.
    @inlinable package static var largestBytesPerDataByte: Int { maximumFill + 1 }
    /// Bits that a refill may read ahead of those that are used.
    @inlinable package static var readAheadBitCount: Int { 64 }

    /// A reader at the start of the input.
    package init() {}

    /// Whether bits were used that are not in the input.
    @inlinable package var hasOverrun: Bool { count < padding }

    /// Fills the reservoir to 56 bits or more.
    ///
    /// - Precondition: It is not full: a bit was used since the last time.
    @inlinable @inline(__always)
    package mutating func refill(_ input: RawSpan) {
        if input.byteCount &- position >= 8 {
            let word = input.bigEndianWord(at: position)
            // No byte of it is 0xFF: no byte has its top bit set and becomes 0 when 1 is added.
            if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
                reservoir |= word &>> UInt64(truncatingIfNeeded: count)
                position &+= (63 &- count) &>> 3
                count |= 56
                return
            }
        }
        // Values in, values out: a mutating call would pin the reader of the caller in memory, and every symbol would
        // wait for a store and a load.
        self = refilledByBytes(input)
    }

    /// The next `bitCount` bits, 1...16, as a number; the reservoir must hold them.
    @inlinable @inline(__always)
    package func peek(_ bitCount: Int) -> Int {
        Int(truncatingIfNeeded: reservoir &>> UInt64(truncatingIfNeeded: 64 &- bitCount))
    }

    /// Drops bits that were looked at.
    @inlinable @inline(__always)
    package mutating func skip(_ bitCount: Int) {
        reservoir &<<= UInt64(truncatingIfNeeded: bitCount)
        count &-= bitCount
    }

    /// Puts bits back that were skipped last.
    ///
    /// - Precondition: They are 1...16, and no refill came after they were skipped.
    @inlinable
    package mutating func putBack(_ bits: Int, bitCount: Int) {
        let count64 = UInt64(truncatingIfNeeded: bitCount)
        reservoir = reservoir &>> count64 | UInt64(truncatingIfNeeded: bits) &<< (64 &- count64)
        count &+= bitCount
    }

    /// One bit; the reservoir must hold it.
    @inlinable @inline(__always)
    package mutating func readBit() -> Int {
        let bit = Int(truncatingIfNeeded: reservoir &>> 63)
        skip(1)
        return bit
    }

    /// `bitCount` bits, 1...16, as the signed number that they stand for; the reservoir must hold them.
    ///
    /// - Source: T.81 §F.2.2.1 "Huffman decoding of DC coefficients", figure F.12 "EXTEND".
    @inlinable @inline(__always)
    package mutating func readSigned(_ bitCount: Int) -> Int32 {
        let value = Int64(bitPattern: reservoir &>> UInt64(truncatingIfNeeded: 64 &- bitCount))
        // All ones when the top bit is 0: then the number is `value - (2^bitCount - 1)`.
        let isNegative = Int64(bitPattern: ~reservoir) &>> 63
        skip(bitCount)
        return Int32(truncatingIfNeeded: value &+ (isNegative & (1 &- (1 &<< Int64(bitCount)))))
    }

    /// Goes on in an input of which the first `byteCount` bytes are gone and more bytes may have come.
    ///
    /// - Precondition: No padding was used.
    package mutating func rebase(droppingFirst byteCount: Int) {
        position -= byteCount
        count -= padding
        padding = 0
    }

    /// Forgets all bits and goes on at `position`.
    package mutating func restart(at position: Int) {
        self = EntropyBitReader()
        self.position = position
    }

    /// Where in the input the byte of data begins that holds the next bit, with its fill bytes; if no bit is left, what
    /// ends the segment, or the end of the bytes that are there.
    ///
    /// Says how far the bits were used, however far they were read ahead: that depends on how the input was cut.
    ///
    /// - Precondition: `input` still has that byte.
    package func nextBitPosition(in input: RawSpan) -> Int {
        var start = position
        for _ in 0..<(max(0, count - padding) + 7) / 8 where start > 0 {
            start -= 1
            // A zero after 0xFF is stuffed: every 0xFF before it belongs to the same byte of data.
            guard input.byte(at: start) == 0 else { continue }
            while start > 0, input.byte(at: start - 1) == 0xFF { start -= 1 }
        }
        return start
    }

    /// Whether a marker, and not only the end of the bytes that are there, ends the segment.
    package func isAtMarker(_ input: RawSpan) -> Bool {
        if case .marker = nextByte(input) { true } else { false }
    }

    /// The marker that ends the segment, unless it is longer fill or only the end of the bytes that are there.
    package func marker(in input: RawSpan) -> Marker? {
        guard isAtMarker(input) else { return nil }
        var end = position
        while input.byte(at: end) == 0xFF, end - position < Self.maximumFill, end + 1 < input.byteCount { end += 1 }
        return Marker(rawValue: input.byte(at: end))
    }

    /// Fills the reservoir byte by byte: over stuffed zeros, up to a marker or the end. After those are zeros, without
    /// another look: there may be 256 fill bytes before the marker, and refills by the hundred before the MCU ends.
    @inline(never) @usableFromInline
    package func refilledByBytes(_ input: RawSpan) -> EntropyBitReader {
        var result = self
        while result.count <= 56 {
            guard result.padding == 0, case .byte(let value, let end) = result.nextByte(input) else {
                // Whole bytes, as many as there is room for. Nothing repeats what is at `position`, which is no data.
                let missing = (64 &- result.count) & ~7
                result.padding &+= missing
                result.count &+= missing
                break
            }
            result.position = end
            result.reservoir |= UInt64(value) &<< UInt64(56 &- result.count)
            result.count &+= 8
        }
        return result
    }

    /// What the input holds at `position`.
    private enum Next {
        case byte(UInt8, end: Int)
        case marker
        case endOfInput
    }

    private func nextByte(_ input: RawSpan) -> Next {
        guard position < input.byteCount else { return .endOfInput }
        let byte = input.byte(at: position)
        guard byte == 0xFF else { return .byte(byte, end: position + 1) }
        // Any number of 0xFF before the zero is one data byte; before anything else they are fill.
        var end = position + 1
        while end < input.byteCount, input.byte(at: end) == 0xFF {
            end += 1
            if end - position > Self.maximumFill { return .marker }
        }
        guard end < input.byteCount else { return .endOfInput }
        return input.byte(at: end) == 0 ? .byte(0xFF, end: end + 1) : .marker
    }
}
