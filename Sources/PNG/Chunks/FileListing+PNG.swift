// A chunk listing in the words that all formats share.

public import ImageCodecsCore

extension PNGCoder: ListingCoder {
    /// The chunks of a file; ``PNGChunkListing`` has their checksums as numbers.
    public func listParts(of data: ImageData, limits: DecodingLimits) throws(ImageError) -> FileListing {
        FileListing(
            try PNGChunkListing(data, maxChunkCount: FileListing.maxPartCount(limits), limits: limits))
    }
}

extension FileListing {
    /// The chunks of a PNG file as parts.
    fileprivate init(_ listing: PNGChunkListing) {
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
            facts: [FileListing.Fact("crc", chunk.checksum.map(FileListing.Fact.Value.checksum) ?? .missing)])
    }
}
