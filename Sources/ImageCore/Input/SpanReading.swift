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

    /// Whether the bytes at `offset` are those of `text`; `false` where the span is too short.
    package func hasBytes(_ text: StaticString, at offset: Int = 0) -> Bool {
        let wanted = String(describing: text).utf8
        guard offset >= 0, count - offset >= wanted.count else { return false }
        var at = offset
        for byte in wanted {
            if self[at] != byte { return false }
            at += 1
        }
        return true
    }
}

/// Walks through a short run of bytes, such as the body of a chunk or a marker segment.
package struct ByteReader: Sendable {
    private let bytes: [UInt8]
    /// Where the next read begins.
    package private(set) var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ bytes: Span<UInt8>) { self.bytes = Array(bytes) }

    /// Bytes not read yet.
    package var remainingCount: Int { bytes.count - position }

    /// The next byte, or `nil` at the end.
    package mutating func readUInt8() -> UInt8? {
        guard remainingCount >= 1 else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// The next two bytes, high byte first, or `nil` when there are fewer.
    package mutating func readBigEndianUInt16() -> UInt16? {
        guard remainingCount >= 2 else { return nil }
        defer { position += 2 }
        return bytes.span.bigEndianUInt16(at: position)
    }

    /// The next four bytes, high byte first, or `nil` when there are fewer.
    package mutating func readBigEndianUInt32() -> UInt32? {
        guard remainingCount >= 4 else { return nil }
        defer { position += 4 }
        return bytes.span.bigEndianUInt32(at: position)
    }

    /// The next `count` bytes, or `nil` when there are fewer.
    package mutating func readBytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, remainingCount >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// The bytes up to the next zero byte, which is skipped; `nil` when there is none.
    package mutating func readNullTerminated() -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: 0) else { return nil }
        defer { position = end + 1 }
        return bytes[position..<end]
    }

    /// Everything that is left.
    package mutating func readRest() -> ArraySlice<UInt8> {
        defer { position = bytes.count }
        return bytes[position...]
    }
}
