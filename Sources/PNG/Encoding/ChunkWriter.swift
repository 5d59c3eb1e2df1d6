// The container: signature and chunks, each with its length and checksum.

import DeflateCodec
import ImageCodecsCore
package import ImageEncoding

/// A PNG file being put together.
package struct ChunkWriter: Sendable {
    /// Chunks that wait for the sink.
    package var pending = PendingBytes()

    /// The file so far, if nothing of it was handed on.
    package var bytes: [UInt8] { pending.bytes }

    /// Starts a file with the signature.
    package init() { pending.bytes = FormatSignature.png.bytes }

    /// Appends a chunk.
    ///
    /// - Precondition: `body` is shorter than 2^31 bytes.
    /// - Source: PNG 3rd ed. §5.3 "Chunk layout".
    package mutating func append(_ type: ChunkType, _ body: RawSpan) {
        appendChunk(type, byteCount: body.byteCount) { $0.append(body) }
    }

    /// Appends a chunk.
    ///
    /// - Precondition: `body` is shorter than 2^31 bytes.
    package mutating func append(_ type: ChunkType, _ body: [UInt8] = []) {
        appendChunk(type, byteCount: body.count) { $0 += body }
    }

    /// Appends a chunk whose body begins with a number of four bytes.
    ///
    /// - Precondition: `body` is shorter than 2^31 - 4 bytes.
    package mutating func append(_ type: ChunkType, number: UInt32, _ body: RawSpan) {
        appendChunk(type, byteCount: body.byteCount + 4) { bytes in
            bytes.appendBigEndian(number)
            bytes.append(body)
        }
    }

    private mutating func appendChunk(_ type: ChunkType, byteCount: Int, _ appendBody: (inout [UInt8]) -> Void) {
        precondition(byteCount <= Self.largestBody, "a chunk cannot be that long")
        pending.bytes.appendBigEndian(UInt32(byteCount))
        let start = pending.bytes.count
        pending.bytes += type.bytes
        appendBody(&pending.bytes)
        var checksum = CRC32()
        checksum.add(pending.bytes[start...])
        pending.bytes.appendBigEndian(checksum.value)
    }

    /// The most bytes a chunk's body may have.
    package static let largestBody = 0x7FFF_FFFF
}

extension Array where Element == UInt8 {
    /// Appends two bytes, high byte first.
    package mutating func appendBigEndian(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends four bytes, high byte first.
    package mutating func appendBigEndian(_ value: UInt32) {
        appendBigEndian(UInt16(truncatingIfNeeded: value >> 16))
        appendBigEndian(UInt16(truncatingIfNeeded: value))
    }
}
