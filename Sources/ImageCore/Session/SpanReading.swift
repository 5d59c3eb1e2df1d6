// Reads integers of either byte order out of spans, with every access checked.

extension Span<UInt8> {
    /// The 16-bit big-endian integer at `offset`.
    ///
    /// - Precondition: both bytes are in the span, as for every function of this file.
    package func bigEndianUInt16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// The 32-bit big-endian integer at `offset`.
    package func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(bigEndianUInt16(at: offset)) << 16 | UInt32(bigEndianUInt16(at: offset + 2))
    }

    /// The 16-bit little-endian integer at `offset`.
    package func littleEndianUInt16(at offset: Int) -> UInt16 { bigEndianUInt16(at: offset).byteSwapped }

    /// The 32-bit little-endian integer at `offset`.
    package func littleEndianUInt32(at offset: Int) -> UInt32 { bigEndianUInt32(at: offset).byteSwapped }

    /// Whether the bytes at `offset` are those of `text`; `false` if the span is too short.
    package func hasBytes(_ text: String, at offset: Int = 0) -> Bool {
        let wanted = text.utf8
        guard offset >= 0, count - offset >= wanted.count else { return false }
        var at = offset
        for byte in wanted {
            if self[at] != byte { return false }
            at += 1
        }
        return true
    }
}
