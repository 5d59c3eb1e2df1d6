// The other side of VP8's boolean decoder.

/// Writes booleans, each of which has a probability of its own.
///
/// - Source: RFC 6386 section 7.3 "Actual Implementation".
package struct BooleanWriter {
    /// The bytes that are settled but for a carry.
    package private(set) var bytes: [UInt8] = []
    /// The lower end of the interval: eight bits that the next split is added to, and those shifted out above them.
    private var low = 0
    private var range = 255
    /// Bits that were shifted out since the last byte.
    private var shiftedCount = 0

    package init() {}

    /// - Parameter probability: of `false`, times 256; 0 is as little as there can be.
    package mutating func write(_ value: Bool, probability: UInt8 = 128) {
        let split = 1 + ((range - 1) * Int(probability)) >> 8
        if value {
            low += split
            range -= split
        } else {
            range = split
        }
        while range < 128 {
            range <<= 1
            shift()
        }
    }

    /// Writes the low `count` bits of a number, the highest first.
    package mutating func write(_ number: Int, bitCount: Int) {
        for bit in (0..<bitCount).reversed() { write(number >> bit & 1 == 1) }
    }

    /// Writes a flag and, if there is a number, its magnitude and its sign.
    package mutating func write(optional number: Int?, bitCount: Int) {
        write(number != nil)
        guard let number else { return }
        write(abs(number), bitCount: bitCount)
        write(number < 0)
    }

    /// Writes what is left. Whatever bytes follow are read as more booleans.
    package mutating func finish() {
        for _ in 0..<16 { shift() }
    }

    private mutating func shift() {
        low <<= 1
        shiftedCount += 1
        guard shiftedCount == 8 else { return }
        if low >> 16 != 0 { carry() }
        bytes.append(UInt8(low >> 8 & 255))
        (low, shiftedCount) = (low & 255, 0)
    }

    private mutating func carry() {
        var index = bytes.count - 1
        while bytes[index] == 255 {
            bytes[index] = 0
            index -= 1
        }
        bytes[index] += 1
    }
}
