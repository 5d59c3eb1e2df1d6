// The eight bytes before every chunk: length and type.

import ImageCodecsCore

/// Length and type of a chunk.
///
/// Source: PNG 3rd ed. §5.3 "Chunk layout".
package struct ChunkHeader: Hashable, Sendable {
    /// Bytes of the body, without type and checksum.
    package let length: Int
    package let type: ChunkType
    /// Where the length field starts in the file.
    package let offset: Int

    /// Bytes of a chunk header, and of the checksum after the body.
    static let byteCount = 8
    static let checksumByteCount = 4

    /// Where the body starts in the file.
    package var bodyOffset: Int { offset + Self.byteCount }
    /// Where the checksum starts in the file.
    package var checksumOffset: Int { bodyOffset + length }

    /// Where the next chunk starts in the file.
    package var end: Int { checksumOffset + Self.checksumByteCount }

    /// Reads the first eight bytes of `bytes`. The type of an ancillary chunk may be no four letters: whoever reads on may skip it.
    ///
    /// - Precondition: there are eight.
    init(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) {
        let length = bytes.bigEndianUInt32(at: 0)
        type = ChunkType(code: bytes.bigEndianUInt32(at: 4))
        self.length = Int(length)
        self.offset = offset
        guard type.isWellFormed || !type.isCritical else {
            throw .corrupt(.png, .pngChunkType, offset: offset + 4, reason: "\(type.name) is not a chunk type")
        }
        guard length <= 0x7FFF_FFFF else {
            throw .corrupt(.png, .pngChunkLength, offset: offset, reason: "\(type.name) chunk of \(length) bytes")
        }
    }
}
