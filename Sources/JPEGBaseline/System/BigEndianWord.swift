// Eight bytes of a span as one number.

extension RawSpan {
    /// The big-endian number in the eight bytes at `offset`.
    ///
    /// - Precondition: They lie in the span.
    @inlinable @inline(__always)
    package func bigEndianWord(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && byteCount &- offset >= 8, "outside the span")
        // SAFETY: the eight bytes are in the span (checked above); every bit pattern is a number.
        return unsafe UInt64(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}
