// The head of a chunk: its code, its size, and where it lies in the file.
//
//   ┌─────────────┬──────────────────────┬──────────────────┬─────────────────┐
//   │ FourCC (4)  │ size, little endian  │ payload (size)   │ 0 if size is odd │
//   └─────────────┴──────────────────────┴──────────────────┴─────────────────┘
//   offset                               bodyOffset         bodyEnd           end

import ImageCodecsCore

/// A chunk of the container.
///
/// - Source: RFC 9649 §2.3 "RIFF File Format".
package struct RIFFChunk: Hashable, Sendable {
    /// What it holds.
    package let type: FourCC
    /// Where it begins in the file.
    package let offset: Int
    /// Bytes of its payload, as its size says: below 2^32.
    package let byteCount: Int

    /// Bytes of the code and the size.
    package static let headerByteCount = 8

    /// Reads the head of a chunk.
    ///
    /// - Parameters:
    ///   - bytes: ``headerByteCount`` bytes or more.
    ///   - offset: where they stand in the file.
    package init(_ bytes: Span<UInt8>, offset: Int) {
        type = FourCC(bytes, at: 0)
        byteCount = Int(bytes.littleEndianUInt32(at: 4))
        self.offset = offset
    }

    /// Where the payload begins in the file.
    package var bodyOffset: Int { offset + Self.headerByteCount }

    /// Where the payload ends.
    package var bodyEnd: Int { bodyOffset + byteCount }

    /// Where the next chunk begins: payloads of odd sizes are padded.
    package var end: Int { bodyEnd + byteCount % 2 }
}
