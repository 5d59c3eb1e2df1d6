import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import PNGCodec
import Testing

@Suite struct PNGChunkListingTests {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// PNG 3rd ed. §11.2.4 "IEND": length 0, type, CRC AE426082.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    @Test func aFileWithoutTheSignatureIsNotListed() {
        #expect(throws: ImageError.unknownFormat) { try PNGChunkListing(ImageData(Array("GIF89a".utf8))) }
    }

    @Test func bytesBehindTheEndAreCounted() throws {
        let listing = try PNGChunkListing(ImageData(Self.signature + Self.end + [1, 2, 3]))
        #expect(listing.chunks.map(\.type) == ["IEND"])
        #expect(listing.chunks.allSatisfy { $0.isSound && $0.offset == 8 && $0.byteCount == 0 })
        #expect(listing.trailingByteCount == 3)
    }

    @Test func aWrongChecksumIsNotSound() throws {
        var bytes = Self.signature + Self.end
        bytes[19] ^= 1
        let chunk = try #require(try PNGChunkListing(ImageData(bytes)).chunks.first)
        #expect(!chunk.isSound)
        #expect(chunk.checksum == 0xAE42_6083)
        #expect(chunk.computedChecksum == 0xAE42_6082)
    }

    @Test func aLengthBeyondTheFileEndsTheListing() throws {
        // A tEXt chunk of 2^31 - 1 bytes with three of them there.
        let bytes = Self.signature + [0x7F, 0xFF, 0xFF, 0xFF, 0x74, 0x45, 0x58, 0x74, 0x41, 0x42, 0x43]
        let listing = try PNGChunkListing(ImageData(bytes))
        #expect(listing.chunks.map(\.byteCount) == [0x7FFF_FFFF])
        #expect(listing.chunks.first?.checksum == nil)
        #expect(listing.trailingByteCount == 0)
    }

    @Test func bytesThatAreNoChunkEndTheListing() throws {
        let listing = try PNGChunkListing(ImageData(Self.signature + [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(listing.chunks.isEmpty)
        #expect(listing.trailingByteCount == 12)
    }

    @Test func theNumberOfChunksIsBounded() throws {
        // An empty private chunk "abCd", ten times; its checksum does not matter here.
        let chunk: [UInt8] = [0, 0, 0, 0, 0x61, 0x62, 0x43, 0x64, 0, 0, 0, 0]
        let bytes = Self.signature + (0..<10).flatMap { _ in chunk }
        let listing = try PNGChunkListing(ImageData(bytes), maxChunkCount: 4)
        #expect(listing.chunks.count == 4)
        #expect(listing.isCut)
    }

    @Test(arguments: Fixture.all("png"))
    func everyPrefixOfAFileIsListed(_ fixture: Fixture) throws {
        let bytes = Array(try Data(contentsOf: fixture.url))
        for count in stride(from: 8, to: min(bytes.count, 2000), by: 13) {
            let listing = try PNGChunkListing(ImageData(Array(bytes.prefix(count))))
            #expect(listing.chunks.allSatisfy { $0.offset < count })
        }
    }

    @Test func aListingTakesNoLongerThanAllowed() throws {
        let file = PNGBuilder.onePixel(chunks: (0..<2000).map { _ in ("abCd", []) })
        var limits = DecodingLimits.default
        limits.maxTime = .nanoseconds(1)
        #expect {
            try FileListing(of: ImageData(file), limits: limits)
        } throws: {
            guard case .limitExceeded(.time, _, _)? = $0 as? ImageError else { return false }
            return true
        }
    }

    @Test func aListingTakesNoMoreMemoryThanAllowed() throws {
        let file = PNGBuilder.onePixel(chunks: (0..<2000).map { _ in ("abCd", []) })
        var limits = DecodingLimits.default
        limits.maxMemoryByteCount = 1 << 18
        let listing = try FileListing(of: ImageData(file), limits: limits)
        #expect(listing.isCut && (100..<2000).contains(listing.parts.count))
        limits.maxMemoryByteCount = -1
        #expect(try FileListing(of: ImageData(file), limits: limits).parts.isEmpty)
        #expect(try FileListing(of: ImageData(file)).parts.count == 2003)
    }
}
