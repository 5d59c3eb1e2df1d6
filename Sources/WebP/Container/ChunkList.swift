// A file taken apart without decoding anything: which chunks it has, and where they lie.

package import ImageCodecsCore

/// The chunks of a whole WebP file.
///
/// Holds no bytes of the file.
package struct ChunkList: Sendable {
    /// The extended header, if the file has one.
    package let extended: ExtendedHeader?
    /// The other chunks, in their order.
    package let chunks: [RIFFChunk]

    /// Reads the heads of chunks; those within frames are not looked at.
    ///
    /// - Parameters:
    ///   - file: all of it.
    ///   - limits: bounds the memory for the list: chunks may have no payload.
    ///   - work: asked for every chunk.
    /// - Throws: `unknownFormat` for another signature; `corrupt` for chunks that do not fit, for a file that begins with something
    ///   else than a picture or an extended header, and for one without a picture; `truncated`; `limitExceeded`.
    package init(_ file: Span<UInt8>, limits: DecodingLimits, work: inout WorkGuard) throws(ImageError) {
        var (reader, position) = (RIFFReader(), 0)
        var extended: ExtendedHeader?
        var chunks: [RIFFChunk] = []
        var isFirst = true
        var isComplete = false
        while !isComplete, let step = try reader.next(in: file, from: &position, offset: 0, work: &work) {
            switch step {
            case .begins(let chunk):
                guard chunk.bodyEnd <= file.count else { throw .truncated(.webP, offset: file.count) }
                if isFirst {
                    guard chunk.type == .extended || PictureHeader.kind(of: chunk.type) != nil else {
                        throw .corrupt(
                            .webP, .webpChunkOrder, offset: chunk.offset, reason: "\(chunk.type.name) comes first")
                    }
                    if chunk.type == .extended { extended = try ExtendedHeader(file.extracting(chunk.body), chunk) }
                    isFirst = false
                }
                if chunk.type != .extended { chunks.append(chunk) }
                // The array holds twice as many at most.
                let byteCount = 2 * MemoryLayout<RIFFChunk>.stride * chunks.count
                guard byteCount <= limits.maxMemoryByteCount else {
                    throw .limitExceeded(.memory, requested: byteCount, allowed: limits.maxMemoryByteCount)
                }
            case .ends: isComplete = true
            case .file, .first, .frame, .frameEnds, .stream: break
            }
        }
        guard isComplete else { throw .truncated(.webP, offset: file.count) }
        let isAnimation = extended?.flags.contains(.animation) ?? false
        let hasPicture = chunks.contains { chunk in
            isAnimation ? chunk.type == .frame : PictureHeader.kind(of: chunk.type) != nil
        }
        guard hasPicture else {
            throw .corrupt(.webP, .webpImageMissing, offset: file.count, reason: "no picture")
        }
        (self.extended, self.chunks) = (extended, chunks)
    }

    /// The chunks in a frame that have a picture or a part of it.
    ///
    /// - Throws: `corrupt` for chunks that do not fit into it.
    package static func chunks(
        in frame: RIFFChunk, of file: Span<UInt8>, work: inout WorkGuard
    ) throws(ImageError) -> [RIFFChunk] {
        guard frame.byteCount >= FrameChunk.byteCount else {
            throw .corrupt(.webP, .webpChunkSize, offset: frame.offset, reason: "ANMF of \(frame.byteCount) bytes")
        }
        let start = frame.bodyOffset + FrameChunk.byteCount
        let bytes = file.extracting(start..<frame.bodyEnd)
        var (reader, position) = (RIFFReader(inFrameAt: start), 0)
        var chunks: [RIFFChunk] = []
        while let step = try reader.next(in: bytes, from: &position, offset: start, work: &work) {
            guard case .begins(let chunk) = step else { continue }
            guard chunk.bodyEnd <= frame.bodyEnd else {
                throw .corrupt(
                    .webP, .webpChunkSize, offset: chunk.offset, reason: "\(chunk.type.name) leaves its frame")
            }
            guard PictureHeader.kind(of: chunk.type) != nil || chunk.type == .alpha else { continue }
            // More than a picture and its alpha have no meaning.
            if chunks.count < 8 { chunks.append(chunk) }
        }
        return chunks
    }

    /// Whether the file is an animation.
    package var isAnimation: Bool { extended?.flags.contains(.animation) ?? false }

    /// The first chunk of a type.
    package func first(_ type: FourCC) -> RIFFChunk? { chunks.first { $0.type == type } }

    /// The payload of the chunk of metadata that is read; `nil` if none is.
    func metadata(_ type: FourCC, of file: Span<UInt8>) -> [UInt8]? {
        chunks.first { $0.type == type && WebPMetadataChunks.reads($0) }.map { Array(file.extracting($0.body)) }
    }
}

extension RIFFChunk {
    /// Where the payload is in the file.
    var body: Range<Int> { bodyOffset..<bodyEnd }
}
