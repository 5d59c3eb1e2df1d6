// Bits to bytes: what coding carries from one piece of entropy-coded data to the next.

/// Bits that do not fill a byte yet.
///
/// A plain value: kernels copy it into registers and give it back. They write whole bytes without stuffing into a buffer
/// of their own; ``ByteStuffingKernels`` inserts the zero after each 0xFF on the way to the file. That keeps tests for
/// 0xFF out of the loops that write bits.
///
///     bits    ........ ........ ........ .....bbb     the low `count` bits are still to be written, the others are
///                                                     of the past
///
/// - Source: ITU-T T.81 (1992) §F.1.2.3 "Byte stuffing", §C.3 "Bit ordering within bytes".
package struct EntropyBitWriter: Hashable, Sendable {
    /// The last bits written are the lowest.
    package var bits: UInt64 = 0
    /// Bits that are not in a byte yet: 0...7 between pieces.
    package var count = 0

    package init() {}

    /// Appends `length` bits.
    ///
    /// - Precondition: `length` is at most 32, `value` has no more bits, and bytes have been taken out since the count
    ///   exceeded 32.
    package mutating func put(_ value: UInt32, _ length: Int) {
        bits = bits &<< UInt64(truncatingIfNeeded: length) | UInt64(value)
        count &+= length
    }

    /// Appends whole bytes, unstuffed, to `bytes`.
    package mutating func flushWholeBytes(into bytes: inout [UInt8]) {
        while count >= 8 {
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(count)))
        }
    }

    /// Fills the last byte with ones and appends it, as before each marker; nothing remains.
    ///
    /// - Source: T.81 §F.1.2.3.
    package mutating func alignWithOnes(into bytes: inout [UInt8]) {
        flushWholeBytes(into: &bytes)
        guard count > 0 else { return }
        put(1 << UInt32(8 - count) - 1, 8 - count)
        flushWholeBytes(into: &bytes)
    }
}
