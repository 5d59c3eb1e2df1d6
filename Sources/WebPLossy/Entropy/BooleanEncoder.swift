// The boolean entropy encoder, the decoder's counterpart.
//
// The number that is written lies in an interval whose lower end is `bottom` and whose length is `range`, 128...255 of the unit
// of the lowest bit. Each bool takes one of its two parts. What of `bottom` cannot change any more but by a carry becomes bytes.

import ImageCodecsCore

/// Encodes bools, each of which is 0 with a probability in 256ths.
///
/// - Source: RFC 6386 section 7.3 "Actual Implementation"
package struct BooleanEncoder: Sendable {
    /// The bytes so far.
    package private(set) var bytes: [UInt8]
    private var range: UInt32 = 255
    /// The bits that are not bytes yet, above them a carry.
    private var bottom: UInt64 = 0
    /// Bits of ``bottom`` beyond the first eight.
    private var count = 0

    /// - Parameter bytes: what stands before the partition.
    package init(after bytes: consuming [UInt8] = []) { self.bytes = bytes }

    /// Encodes one bool.
    ///
    /// - Parameters:
    ///   - isSet: the bool.
    ///   - probability: of `false`, 1...255 in 256ths.
    @inline(__always)
    package mutating func append(_ isSet: Bool, _ probability: UInt8) {
        let split = 1 &+ (((range &- 1) &* UInt32(probability)) &>> 8)
        bottom &+= isSet ? UInt64(split) : 0
        range = isSet ? range &- split : split
        let shift = range.leadingZeroBitCount &- 24
        range &<<= UInt32(truncatingIfNeeded: shift)
        bottom &<<= UInt64(truncatingIfNeeded: shift)
        count &+= shift
        if count >= 40 { flush() }
    }

    /// Makes bytes of all bits beyond the eight that the next bool may change.
    @inline(never)
    private mutating func flush() {
        // `bottom` has count + 8 bits, and above them a carry.
        if bottom &>> UInt64(count &+ 8) != 0 { carry() }
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bottom &>> UInt64(count)))
            count &-= 8
        }
        bottom &= (1 &<< UInt64(count &+ 8)) &- 1
    }

    /// Adds one to the number that the bytes are.
    private mutating func carry() {
        var index = bytes.count - 1
        while index >= 0, bytes[index] == 255 {
            bytes[index] = 0
            index -= 1
        }
        // The number is below one, so that there is a byte to add to.
        if index >= 0 { bytes[index] += 1 }
    }

    /// Encodes a flag, L(1).
    package mutating func append(flag: Bool) { append(flag, 128) }

    /// Encodes an unsigned number of `bitCount` bits, L(n).
    package mutating func append(literal value: Int, _ bitCount: Int) {
        for bit in stride(from: bitCount - 1, through: 0, by: -1) { append(flag: value >> bit & 1 == 1) }
    }

    /// Encodes a number of `bitCount` bits and its sign, after a flag that says that it is there; of zero, that it is not.
    package mutating func append(optionalSigned value: Int, _ bitCount: Int) {
        append(flag: value != 0)
        guard value != 0 else { return }
        append(literal: abs(value), bitCount)
        append(flag: value < 0)
    }

    /// Ends the partition.
    ///
    /// - Returns: its bytes, after those before it.
    package consuming func finish() -> [UInt8] {
        // A decoder looks at the eight bits that follow those that are settled, and at no more.
        let missing = (8 - count % 8) % 8
        bottom <<= UInt64(missing)
        count += missing
        flush()
        if bottom >> 8 != 0 { carry() }
        bytes.append(UInt8(truncatingIfNeeded: bottom))
        return bytes
    }
}
