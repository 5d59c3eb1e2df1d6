import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import JPEGBaselineCodec
import Testing

@Suite struct JPEGMarkerListingTests {
    private func listing(_ bytes: [UInt8]) throws -> JPEGMarkerListing { try JPEGMarkerListing(ImageData(bytes)) }

    @Test func aFileWithoutStartOfImageIsNotListed() {
        #expect(throws: ImageError.unknownFormat) { try listing([0xFF, 0xC0]) }
        #expect(throws: ImageError.unknownFormat) { try listing([]) }
    }

    @Test func segmentsAreListedWithTheirOffsets() throws {
        // SOI, COM "abc", DRI 5, two bytes that belong to nothing, EOI, one byte after it.
        let listing = try listing(
            [0xFF, 0xD8, 0xFF, 0xFE, 0, 5, 0x61, 0x62, 0x63, 0xFF, 0xDD, 0, 4, 0, 5, 1, 2, 0xFF, 0xD9, 9])
        #expect(listing.segments.map(\.name) == ["SOI", "COM", "DRI", "EOI"])
        #expect(listing.segments.map(\.offset) == [0, 2, 9, 17])
        #expect(listing.segments.map(\.byteCount) == [nil, 3, 2, nil])
        #expect(listing.segments.map(\.summary) == ["", "abc", "every 5 MCUs", ""])
        #expect(listing.strayByteCount == 2)
        #expect(listing.trailingByteCount == 1)
    }

    @Test func codedDataEndAtTheNextMarkerThatIsNoRestart() throws {
        // SOS of component 1, then 1 2 RST0 3 FF00 RST1 4, then EOI.
        let listing = try listing(
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
                + [1, 2, 0xFF, 0xD0, 3, 0xFF, 0x00, 0xFF, 0xD1, 4, 0xFF, 0xD9])
        let scan = try #require(listing.segments.first { $0.name == "SOS" })
        #expect(scan.codedByteCount == 10)
        #expect(scan.restartCount == 2)
        #expect(scan.summary == "components 1; coefficients 0...63; bits 0 to 0")
        #expect(listing.segments.last?.offset == 22)
    }

    @Test func aSegmentBeyondTheFileEndsTheListing() throws {
        let listing = try listing([0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 1, 2, 3])
        #expect(listing.segments.map(\.name) == ["SOI", "APP1"])
        #expect(listing.segments.last?.isWhole == false)
    }

    @Test func aLengthBelowTwoIsAnEmptySegment() throws {
        let listing = try listing([0xFF, 0xD8, 0xFF, 0xFE, 0, 0, 0xFF, 0xD9])
        #expect(listing.segments.map(\.name) == ["SOI", "COM", "EOI"])
        #expect(listing.segments[1].byteCount == 0)
    }

    @Test func theNumberOfSegmentsIsBounded() throws {
        let comment: [UInt8] = [0xFF, 0xFE, 0, 2]
        let bytes: [UInt8] = [0xFF, 0xD8] + (0..<10).flatMap { _ in comment }
        let listing = try JPEGMarkerListing(ImageData(bytes), maxSegmentCount: 4)
        #expect(listing.segments.count == 4)
        #expect(listing.isCut)
    }

    @Test(arguments: Fixture.all("jpeg"))
    func everyPrefixOfAFileIsListed(_ fixture: Fixture) throws {
        let bytes = Array(try Data(contentsOf: fixture.url))
        for count in stride(from: 2, to: bytes.count, by: 7) {
            let listing = try listing(Array(bytes.prefix(count)))
            #expect(listing.segments.allSatisfy { $0.offset < count })
        }
    }

    @Test func aListingTakesNoLongerThanAllowed() throws {
        let restartInterval: [UInt8] = [0xFF, 0xDD, 0, 4, 0, 5]
        let file: [UInt8] = [0xFF, 0xD8] + (0..<2000).flatMap { _ in restartInterval }
        var limits = DecodingLimits.default
        limits.maxTime = .nanoseconds(1)
        #expect {
            try JPEGMarkerListing(ImageData(file), limits: limits)
        } throws: {
            guard case .limitExceeded(.time, _, _)? = $0 as? ImageError else { return false }
            return true
        }
    }

    /// Bytes without a marker, before the scan or in it, are many.
    @Test(arguments: [[], [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]] as [[UInt8]])
    func bytesWithoutMarkersAskTheClock(_ head: [UInt8]) {
        var limits = DecodingLimits.default
        limits.maxTime = .zero
        let file = [0xFF, 0xD8] + head + [UInt8](repeating: 1, count: 100_000)
        let error = #expect(throws: ImageError.self) { try JPEGMarkerListing(ImageData(file), limits: limits) }
        guard case .limitExceeded(.time, _, _)? = error else { return _ = Issue.record("\(error as Any)") }
    }

    /// What a segment takes in a listing is bounded, however many tables it has.
    @Test(arguments: [0xC4, 0xDB] as [UInt8])
    func manyTablesAreNotAllNamed(_ marker: UInt8) throws {
        let segment = [0xFF, marker, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65_533)
        let summary = try listing([0xFF, 0xD8] + segment).segments[1].summary
        #expect(summary.hasSuffix(", ...") && summary.utf8.count < 280)
    }

    /// Nor are those of more components than a frame has.
    @Test func manyComponentsAreNotAllNamed() throws {
        let frame: [UInt8] = [0xFF, 0xC0, 0x03, 0x05, 8, 0, 1, 0, 1, 255] + Array(repeating: 0xFF, count: 3 * 255)
        let scan: [UInt8] = [0xFF, 0xDA, 0x02, 0x04, 255] + Array(repeating: 0xFF, count: 2 * 255) + [0, 63, 0]
        let segments = try listing([0xFF, 0xD8] + frame + scan).segments
        #expect(segments.map(\.name) == ["SOI", "SOF0", "SOS"])
        #expect(segments[1].summary.hasPrefix("1x1 pixels, 8 bits, components 255: 15x15, 255: 15x15, "))
        #expect(segments[2].summary.hasSuffix(", 255, ...; coefficients 0...63; bits 0 to 0"))
        #expect(segments.allSatisfy { $0.summary.utf8.count < 160 })
    }
}
