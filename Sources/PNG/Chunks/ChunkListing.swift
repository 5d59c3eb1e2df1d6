// The chunks of a file as they lie in it, sound or not: what `imagetool inspect` prints.

public import ImageCore

/// The chunks of a PNG file in file order.
///
/// Made for looking at damaged files too: nothing but a missing signature is an error. The walk ends behind
/// IEND, at a chunk that does not fit into the file, or at bytes that cannot be a chunk.
public struct PNGChunkListing: Sendable {
    /// One chunk.
    public struct Chunk: Hashable, Sendable {
        /// The four letters of the chunk type; hexadecimal where they are no letters.
        public let type: String
        /// Where the chunk starts in the file, with its length field.
        public let offset: Int
        /// Bytes of the body as the length field has it, whether or not they are there.
        public let byteCount: Int
        /// The checksum stored behind the body; `nil` where the file ends before it.
        public let checksum: UInt32?
        /// The checksum that type and body have; `nil` where the file ends before the body does.
        public let computedChecksum: UInt32?
        /// What the body says in a few words; empty for chunks that are not described.
        public let summary: String

        /// Whether the stored checksum is there and right.
        public var isSound: Bool { checksum != nil && checksum == computedChecksum }
    }

    /// The chunks, those that are cut off or damaged included.
    public private(set) var chunks: [Chunk] = []
    /// Bytes behind the last chunk listed.
    public private(set) var trailingByteCount = 0
    /// Whether the walk stopped because there were more chunks than asked for.
    public private(set) var isCut = false

    /// Lists the chunks of a file.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - maxChunkCount: chunks after which the listing stops.
    /// - Throws: `unknownFormat` when the file does not start with PNG's signature.
    public init(_ data: ImageData, maxChunkCount: Int = 1 << 20) throws(ImageError) {
        guard data.withBytes({ FormatSignature.png.match($0) == .whole }) else { throw .unknownFormat }
        data.withBytes { walk($0, maxChunkCount: maxChunkCount) }
    }

    /// - Precondition: `bytes` starts with the signature.
    private mutating func walk(_ bytes: Span<UInt8>, maxChunkCount: Int) {
        var offset = FormatSignature.png.byteCount
        while bytes.count - offset >= ChunkHeader.byteCount {
            guard chunks.count < maxChunkCount else {
                isCut = true
                break
            }
            guard let header = try? ChunkHeader(bytes.extracting(offset...), offset: offset) else { break }
            let available = bytes.count - header.bodyOffset
            let body = bytes.extracting(header.bodyOffset..<header.bodyOffset + min(header.length, available))
            chunks.append(Self.chunk(header, body, behind: bytes.extracting((header.bodyOffset + body.count)...)))
            let end = header.length.addingReportingOverflow(ChunkHeader.checksumByteCount).partialValue
            guard end <= available else { return }
            offset = header.bodyOffset + end
            if header.type == .imageEnd { break }
        }
        trailingByteCount = bytes.count - offset
    }

    private static func chunk(_ header: ChunkHeader, _ body: Span<UInt8>, behind: Span<UInt8>) -> Chunk {
        let isWhole = body.count == header.length
        var computed = Checksum(header.type)
        computed.add(body)
        let hasChecksum = isWhole && behind.count >= ChunkHeader.checksumByteCount
        return Chunk(
            type: header.type.name, offset: header.offset, byteCount: header.length,
            checksum: hasChecksum ? behind.bigEndianUInt32(at: 0) : nil,
            computedChecksum: isWhole ? computed.value : nil,
            summary: isWhole ? ChunkSummary.text(header.type, body, offset: header.bodyOffset) : "")
    }
}
