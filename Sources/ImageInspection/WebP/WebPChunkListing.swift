// The chunks of a file as they lie in it, damaged or not: what `imagetool inspect` prints.

import ImageCodecsCore
import WebPCodec
import WebPLosslessCodec

extension FileListing {
    /// The chunks of a WebP file; those of a frame come after the frame's own. The way a picture is coded is read from its
    /// headers, and no pixel is decoded.
    init(webP data: ImageData, limits: DecodingLimits) throws(ImageError) {
        self = try data.withBytes { (bytes) throws(ImageError) in
            var listing = WebPChunkListing(limits)
            try listing.walk(bytes)
            return listing.result
        }
    }
}

/// Walks through a file and lists its chunks.
private struct WebPChunkListing {
    private typealias Part = FileListing.Part
    private typealias Detail = FileListing.Detail

    private let limits: DecodingLimits
    private let maxPartCount: Int
    private var parts: [FileListing.Part] = []
    private var fileEnd: Int?
    private var trailingByteCount = 0
    private var isCut = false
    /// Memory that reading how lossless pictures are coded may take, besides what their bytes allow.
    private var freeByteCount = 1 << 24

    init(_ limits: DecodingLimits) {
        self.limits = limits
        maxPartCount = FileListing.maxPartCount(limits)
    }

    var result: FileListing {
        FileListing(
            format: .webP, vocabulary: FileListing.Vocabulary(part: "chunk", name: "type"), parts: parts,
            trailingByteCount: trailingByteCount, isCut: isCut)
    }

    /// Lists the chunks up to the end that the file says it has, or to what cannot be a chunk.
    mutating func walk(_ bytes: Span<UInt8>) throws(ImageError) {
        var work = WorkGuard(limits: limits)
        work.begin()
        var reader = RIFFReader()
        var position = 0
        // After the last chunk listed.
        var listedEnd = 0
        do throws(ImageError) {
            while let step = try reader.next(in: bytes, from: &position, offset: 0, work: &work) {
                switch step {
                case .file(let end):
                    listFile(bytes, end: end)
                    listedEnd = RIFFReader.fileHeaderByteCount
                case .begins(let chunk):
                    guard parts.count < maxPartCount else {
                        isCut = true
                        trailingByteCount = bytes.count - chunk.offset
                        return
                    }
                    try list(chunk, bytes, &work)
                    listedEnd = min(chunk.end, bytes.count)
                    if chunk.type == .frame, chunk.byteCount >= FrameChunk.byteCount { reader.accept(chunk, .frame) }
                case .first, .frame, .frameEnds, .stream, .ends: break
                }
            }
        } catch {
            // A chunk that does not fit ends the listing.
            guard error.isDamage else { throw error }
            if bytes.count - position >= RIFFChunk.headerByteCount {
                let chunk = RIFFChunk(bytes.extracting(droppingFirst: position), offset: position)
                add(chunk, damage: "longer than what it is in", "", [])
                listedEnd = bytes.count
            }
        }
        trailingByteCount = max(0, bytes.count - min(max(listedEnd, 0), fileEnd ?? bytes.count))
    }

    private mutating func listFile(_ bytes: Span<UInt8>, end: Int) {
        fileEnd = end
        let size = end - RIFFChunk.headerByteCount
        parts.append(
            FileListing.Part(
                name: "RIFF", offset: 0, byteCount: size, damage: end > bytes.count ? "cut off" : nil,
                summary: "WEBP", details: []))
    }

    private mutating func add(_ chunk: RIFFChunk, damage: String?, _ summary: String, _ details: [FileListing.Detail]) {
        parts.append(
            FileListing.Part(
                name: chunk.type.name, offset: chunk.offset, byteCount: chunk.byteCount, damage: damage,
                summary: summary, details: details))
    }

    private mutating func list(
        _ chunk: RIFFChunk, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) {
        let body = bytes.extracting(min(chunk.bodyOffset, bytes.count)..<min(chunk.bodyEnd, bytes.count))
        let damage = body.count < chunk.byteCount ? "cut off" : nil
        let (summary, details) = try WebPChunkSummary.words(
            chunk, body, limits, freeByteCount: &freeByteCount, &work)
        add(chunk, damage: damage, summary, details)
    }
}
