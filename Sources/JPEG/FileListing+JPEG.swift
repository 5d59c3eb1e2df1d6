// A marker listing in the words that all formats share.

public import ImageCodecsCore
import JPEGBaselineCodec

extension JPEGCoder: ListingCoder {
    /// The marker segments of a file; `JPEGMarkerListing` of module JPEGBaseline has them as values of their own.
    public func listParts(of data: ImageData, limits: DecodingLimits) throws(ImageError) -> FileListing {
        FileListing(
            try JPEGMarkerListing(data, maxSegmentCount: FileListing.maxPartCount(limits), limits: limits))
    }
}

extension FileListing {
    fileprivate init(_ listing: JPEGMarkerListing) {
        let stray = listing.strayByteCount
        self.init(
            format: .jpeg, vocabulary: Vocabulary(part: "segment", name: "marker"),
            parts: listing.segments.map(Part.init),
            notes: [
                Fact(
                    "strayByteCount", .count(stray),
                    remark: stray > 0 ? "\(stray) bytes between segments belong to none" : "")
            ],
            trailingByteCount: listing.trailingByteCount, isCut: listing.isCut)
    }
}

extension FileListing.Part {
    fileprivate init(_ segment: JPEGMarkerListing.Segment) {
        let (coded, restarts) = (segment.codedByteCount, segment.restartCount)
        self.init(
            name: segment.name, offset: segment.offset, byteCount: segment.byteCount,
            damage: segment.isWhole ? nil : "cut off", summary: segment.summary,
            facts: [
                FileListing.Fact(
                    "codedByteCount", .count(coded), remark: coded > 0 ? "\(coded) bytes of coded data" : ""),
                FileListing.Fact(
                    "restartCount", .count(restarts), remark: restarts > 0 ? "\(restarts) restart markers" : ""),
            ])
    }
}
