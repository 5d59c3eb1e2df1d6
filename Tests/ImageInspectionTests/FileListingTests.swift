import CodecTestSupport
import ImageCodecs
import ImageInspection
import Testing

@Suite struct FileListingTests {
    private func listing(_ bytes: [UInt8]) throws -> FileListing {
        try FileListing(of: ImageData(bytes))
    }

    @Test func chunksAreParts() throws {
        var png = PNGBuilder()
        png.addHeader(width: 3, height: 2)
        png.add("tIME", [7, 0xE9, 1, 2, 3, 4, 5], flippedChecksumBits: 1)
        // A chunk of nine bytes with two of them there.
        png.add(raw: [0, 0, 0, 9, 0x49, 0x44, 0x41, 0x54, 1, 2])
        let listing = try listing(png.bytes)
        #expect(listing.format == .png && listing.trailingByteCount == 0 && !listing.isCut)
        #expect(listing.vocabulary == FileListing.Vocabulary(part: "chunk", name: "type"))
        #expect(listing.parts.map(\.name) == ["IHDR", "tIME", "IDAT"])
        #expect(listing.parts.map(\.offset) == [8, 33, 52])
        #expect(listing.parts.map(\.byteCount) == [13, 7, 9])
        #expect(listing.parts.map(\.damage) == [nil, "wrong checksum", "cut off"])
        #expect(listing.parts.map(\.summary) == ["3x2 pixels, RGB, 8 bits", "2025-1-2 3:4:5 UTC", ""])
        #expect(listing.columns.map(\.key) == ["crc"])
        #expect(listing.parts.allSatisfy { $0.details.map(\.key) == ["crc"] })
        #expect(listing.parts.last?.details.first?.value == .missing)
    }

    @Test func markerSegmentsAreParts() throws {
        // SOI; SOS of component 1, then 1 2 RST0 3; DRI 5; two bytes of nobody's; DHT of 255 bytes, cut off.
        let listing = try listing(
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 0xFF, 0xD0, 3]
                + [0xFF, 0xDD, 0, 4, 0, 5, 1, 2, 0xFF, 0xC4, 1, 1, 9])
        #expect(listing.format == .jpeg && listing.columns.isEmpty && !listing.isCut)
        #expect(listing.vocabulary == FileListing.Vocabulary(part: "segment", name: "marker"))
        #expect(listing.parts.map(\.name) == ["SOI", "SOS", "DRI", "DHT"])
        #expect(listing.parts.map(\.byteCount) == [nil, 6, 2, 255])
        #expect(listing.parts.map(\.damage) == [nil, nil, nil, "cut off"])
        #expect(listing.parts[1].details.map(\.remark) == ["5 bytes of coded data", "1 restart markers"])
        #expect(listing.notes.map(\.value) == [.count(1), .count(2)])
        #expect(listing.notes.map(\.remark) == ["sequential, 1 scan", "2 bytes between segments belong to none"])
    }

    @Test func otherFilesAreNotListed() {
        #expect(throws: ImageError.unsupported(.tiff, feature: "listing its parts")) {
            try listing([0x49, 0x49, 0x2A, 0x00])
        }
        #expect(throws: ImageError.unknownFormat) { try listing([1, 2, 3]) }
        #expect(throws: ImageError.unknownFormat) { try listing([]) }
    }
}
