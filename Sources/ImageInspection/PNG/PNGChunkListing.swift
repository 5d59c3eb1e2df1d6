// The chunks of a file as they lie in it, damaged or not: what `imagetool inspect` prints.

public import ImageCodecsCore
import PNGCodec

/// The chunks of a PNG file in file order.
///
/// Made for looking at damaged files too: nothing but a missing signature is an error. The walk ends after
/// IEND, at a chunk that does not fit into the file, or at bytes that cannot be a chunk.
public struct PNGChunkListing: Sendable {
    /// One chunk.
    public struct Chunk: Hashable, Sendable {
        /// The four letters of the chunk type; hexadecimal if they are no letters.
        public let type: String
        /// Where the chunk starts in the file, with its length field.
        public let offset: Int
        /// Bytes of the body as the length field has it, whether or not they are there.
        public let byteCount: Int
        /// The checksum stored after the body; `nil` if the file ends before it.
        public let checksum: UInt32?
        /// The checksum that type and body have; `nil` if the file ends before the body does.
        public let computedChecksum: UInt32?
        /// What the body says in a few words; empty for chunks that are not described.
        public let summary: String

        /// Whether the stored checksum is there and right.
        public var isSound: Bool { checksum != nil && checksum == computedChecksum }
    }

    /// The chunks, those that are cut off or damaged included.
    public private(set) var chunks: [Chunk] = []
    /// Bytes after the last chunk listed.
    public private(set) var trailingByteCount = 0
    /// Whether the walk stopped because there were more chunks than asked for.
    public private(set) var isCut = false

    /// Lists the chunks of a file.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - maxChunkCount: chunks after which the listing stops.
    ///   - limits: of which time counts.
    /// - Throws: `unknownFormat` when the file does not start with PNG's signature; `limitExceeded(.time)`, `cancelled`.
    public init(
        _ data: ImageData, maxChunkCount: Int = 1 << 20, limits: DecodingLimits = .default
    ) throws(ImageError) {
        guard data.withBytes({ FormatSignature.png.match($0) == .whole }) else { throw .unknownFormat }
        var work = WorkGuard(limits: limits)
        work.begin()
        try data.withBytes { (bytes) throws(ImageError) in try walk(bytes, maxChunkCount: maxChunkCount, &work) }
    }

    /// - Precondition: `bytes` starts with the signature.
    private mutating func walk(
        _ bytes: Span<UInt8>, maxChunkCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        var reader = ChunkReader()
        var position = 0
        do throws(ImageError) {
            while let step = try reader.next(in: bytes, from: &position, offset: 0, work: &work) {
                switch step {
                case .begins(let header):
                    guard chunks.count < maxChunkCount else {
                        isCut = true
                        trailingByteCount = bytes.count - header.offset
                        return
                    }
                    reader.accept(header, .pieces())
                case .ends(let header, let checksums):
                    list(header, bytes, checksum: checksums.stored, computed: checksums.computed)
                    if header.type == .imageEnd {
                        trailingByteCount = bytes.count - position
                        return
                    }
                case .whole, .piece: break
                }
            }
            if let (header, computed) = reader.unfinished {
                list(header, bytes, checksum: nil, computed: computed)
                return
            }
        } catch {
            // Bytes that cannot be a chunk end the listing.
            guard error.isDamage else { throw error }
        }
        trailingByteCount = bytes.count - position
    }

    /// - Parameter computed: `nil` if the body is not all there.
    private mutating func list(_ header: ChunkHeader, _ bytes: Span<UInt8>, checksum: UInt32?, computed: UInt32?) {
        var summary = ""
        if computed != nil {
            let body = bytes.extracting(header.bodyOffset..<header.checksumOffset)
            summary = PNGChunkSummary.text(header.type, body, offset: header.bodyOffset)
        }
        chunks.append(
            Chunk(
                type: header.type.name, offset: header.offset, byteCount: header.length, checksum: checksum,
                computedChecksum: computed, summary: summary))
    }
}
