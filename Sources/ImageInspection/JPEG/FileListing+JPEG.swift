// A marker listing in the words that all formats share.

import ImageCodecsCore
import JPEGBaselineCodec

extension FileListing {
    /// The marker segments of a JPEG file.
    init(jpeg data: ImageData, limits: DecodingLimits) throws(ImageError) {
        self.init(try JPEGMarkerListing(data, maxSegmentCount: Self.maxPartCount(limits), limits: limits))
    }

    private init(_ listing: JPEGMarkerListing) {
        let stray = listing.strayByteCount
        self.init(
            format: .jpeg, vocabulary: Vocabulary(part: "segment", name: "marker"),
            parts: listing.segments.map(Part.init),
            notes: [
                Detail("scanCount", .count(listing.script.scanCount), remark: listing.script.summary),
                Detail(
                    "strayByteCount", .count(stray),
                    remark: stray > 0 ? "\(stray) bytes between segments belong to none" : ""),
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
            details: [
                FileListing.Detail(
                    "codedByteCount", .count(coded), remark: coded > 0 ? "\(coded) bytes of coded data" : ""),
                FileListing.Detail(
                    "restartCount", .count(restarts), remark: restarts > 0 ? "\(restarts) restart markers" : ""),
            ])
    }
}
