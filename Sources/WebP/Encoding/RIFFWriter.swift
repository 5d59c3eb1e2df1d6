// The container put together: the head of a file, chunks with their heads and padding.
//
//   RIFF, size, WEBP ─▶ FourCC, size, payload, 0 if the size is odd ─▶ ...

package import ImageCodecsCore

/// Chunks one after the other.
///
/// - Source: RFC 9649 §2.3 "RIFF File Format", §2.4 "WebP File Header".
package struct RIFFWriter: Sendable {
    /// The chunks so far.
    package private(set) var bytes: [UInt8] = []

    /// The largest size that the head of a file can state: what follows its first eight bytes.
    package static let largestFileSize = 0xFFFF_FFF6

    package init() {}

    /// Appends a chunk.
    ///
    /// - Precondition: `body` is shorter than 2^32 bytes.
    package mutating func append(_ type: FourCC, _ body: [UInt8]) {
        appendHead(type, byteCount: body.count)
        bytes += body
        appendPadding(byteCount: body.count)
    }

    /// Appends bytes of a payload, or whole chunks.
    package mutating func append(_ part: Span<UInt8>) { bytes.append(contentsOf: part) }

    /// Appends a chunk that may be long.
    ///
    /// - Parameter work: asked now and then while its payload is copied.
    /// - Precondition: `body` is shorter than 2^32 bytes.
    package mutating func append(_ type: FourCC, _ body: Span<UInt8>, work: WorkGuard) throws(ImageError) {
        appendHead(type, byteCount: body.count)
        var rest = body
        while !rest.isEmpty {
            let piece = rest.extracting(first: WorkGuard.stepByteCount)
            append(piece)
            rest = rest.extracting(droppingFirst: piece.count)
            try work.check()
        }
        appendPadding(byteCount: body.count)
    }

    /// Makes a file of the chunks.
    ///
    /// - Throws: `invalidArgument` if no head can say how long the file is.
    package consuming func file() throws(ImageError) -> [UInt8] {
        let head = try Self.fileHead(chunksByteCount: bytes.count)
        bytes.insert(contentsOf: head, at: 0)
        return bytes
    }

    /// Makes room for this many bytes.
    package mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Appends the head of a chunk whose payload is elsewhere.
    ///
    /// - Precondition: `byteCount` is below 2^32.
    package mutating func appendHead(_ type: FourCC, byteCount: Int) {
        precondition(byteCount >> 32 == 0, "a chunk cannot be that long")
        bytes += type.bytes + Self.littleEndian(byteCount)
    }

    /// Appends what follows a payload of this many bytes.
    package mutating func appendPadding(byteCount: Int) {
        if byteCount % 2 == 1 { bytes.append(0) }
    }

    /// Bytes of a chunk with this many bytes of payload. Saturates.
    package static func byteCount(ofPayload byteCount: Int) -> Int {
        byteCount.addingSaturated(RIFFChunk.headerByteCount).addingSaturated(byteCount % 2)
    }

    /// The head of a file.
    ///
    /// - Parameter byteCount: of all its chunks together.
    /// - Throws: `invalidArgument` if no head can say how long the file is.
    package static func fileHead(chunksByteCount byteCount: Int) throws(ImageError) -> [UInt8] {
        try check(chunksByteCount: byteCount)
        var head = FormatSignature.webP.bytes
        head.replaceSubrange(4..<8, with: littleEndian(byteCount + formByteCount))
        return head
    }

    /// Refuses a file that is too long.
    ///
    /// - Parameter byteCount: of all its chunks together, or of some.
    /// - Throws: `invalidArgument`.
    package static func check(chunksByteCount byteCount: Int) throws(ImageError) {
        let size = byteCount.addingSaturated(formByteCount)
        guard size <= largestFileSize else {
            throw .invalidArgument("a WebP file of \(size) bytes or more; its head can say \(largestFileSize)")
        }
    }

    /// Bytes of `WEBP`, which the size in the head counts.
    private static let formByteCount = 4

    private static func littleEndian(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
