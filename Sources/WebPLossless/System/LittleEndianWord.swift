// Eight bytes of a span as one number.

extension RawSpan {
    /// The little-endian number in the eight bytes at `offset`; bytes after the span's end count as zeros.
    ///
    /// - Precondition: `offset` is in `0...byteCount`.
    @inline(__always)
    func littleEndianWord(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= byteCount, "outside the span")
        if byteCount &- offset >= 8 {
            // SAFETY: the eight bytes are in the span (checked above); every bit pattern is a number.
            return unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
        }
        return lastLittleEndianWord(at: offset)
    }

    private func lastLittleEndianWord(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        var shift: UInt64 = 0
        for position in offset..<byteCount {
            // SAFETY: the position is in the span.
            let byte = unsafe unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
            word |= UInt64(byte) << shift
            shift += 8
        }
        return word
    }
}
