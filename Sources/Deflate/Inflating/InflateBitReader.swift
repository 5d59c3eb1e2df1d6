// Bits of a deflate stream, consumed one syntax element at a time: the next bit is the lowest of the byte.
//
//   byte    0                 1
//   bit     7 6 5 4 3 2 1 0   7 6 5 4 3 2 1 0
//           ................  .........[ c b a     a is read first; c is the highest of a number of three bits

/// Bits that were read from the input and not used.
///
/// A byte is read only when a bit of it is needed, so that after the last element less than a byte is left over and the bytes
/// used so far do not depend on how the input was cut.
///
/// Source: RFC 1951 section 3.1.1 "Packing into bytes".
struct InflateBitReader: Sendable {
    /// The next one is lowest; zero from `bitCount` on.
    var bits: UInt64 = 0
    /// At most 48 and seven more: of a symbol with all that belongs to it.
    var bitCount = 0
    /// The next byte of the input.
    var position = 0

    /// Makes sure that there are `count` bits, at most 48; `false` where the input ends before.
    @inline(__always)
    mutating func need(_ count: Int, _ input: Span<UInt8>) -> Bool {
        while bitCount < count {
            guard readByte(input) else { return false }
        }
        return true
    }

    /// Reads one byte more, if there is one.
    @inline(__always)
    mutating func readByte(_ input: Span<UInt8>) -> Bool {
        guard position < input.count else { return false }
        bits |= UInt64(input[position]) &<< UInt64(truncatingIfNeeded: bitCount)
        bitCount &+= 8
        position &+= 1
        return true
    }

    /// The next `count` bits, at most 32, as a number.
    @inline(__always)
    func peek(_ count: Int) -> Int {
        Int(truncatingIfNeeded: bits & ((1 &<< UInt64(truncatingIfNeeded: count)) &- 1))
    }

    /// Uses up `count` bits, which are there.
    @inline(__always)
    mutating func drop(_ count: Int) {
        bits &>>= UInt64(truncatingIfNeeded: count)
        bitCount &-= count
    }

    /// The next `count` bits, at most 32, which are there.
    @inline(__always)
    mutating func readBits(_ count: Int) -> Int {
        defer { drop(count) }
        return peek(count)
    }

    /// Drops what is left of a byte.
    mutating func alignToByte() { drop(bitCount & 7) }
}
