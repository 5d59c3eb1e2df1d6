// A chunk listing in the words that all formats share.

import ImageCodecsCore
import PNGCodec

extension FileListing {
    /// The chunks of a PNG or APNG file.
    init(png data: ImageData, limits: DecodingLimits) throws(ImageError) {
        self.init(try PNGChunkListing(data, maxChunkCount: Self.maxPartCount(limits), limits: limits))
    }

    private init(_ listing: PNGChunkListing) {
        self.init(
            format: .png, vocabulary: Vocabulary(part: "chunk", name: "type"),
            columns: [Column(key: "crc", title: "CRC")], parts: listing.chunks.map(Part.init),
            trailingByteCount: listing.trailingByteCount, isCut: listing.isCut)
    }
}

extension FileListing.Part {
    fileprivate init(_ chunk: PNGChunkListing.Chunk) {
        let damage: String? = chunk.checksum == nil ? "cut off" : chunk.isSound ? nil : "wrong checksum"
        self.init(
            name: chunk.type, offset: chunk.offset, byteCount: chunk.byteCount, damage: damage, summary: chunk.summary,
            details: [FileListing.Detail("crc", chunk.checksum.map(FileListing.Detail.Value.checksum) ?? .missing)])
    }
}
