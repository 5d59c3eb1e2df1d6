import CodecTestSupport
import ImageCodecsCore
import ImageInspection
import Testing
import WebPCodec

/// What `imagetool inspect` prints of a file.
@Suite struct WebPChunkListingTests {
    private func parts(_ name: String) throws -> [FileListing.Part] {
        try FileListing(of: ImageData(AnimationFixture.named(name, "webp"))).parts
    }

    @Test func theChunksOfAStillAreListed() throws {
        let parts = try parts("metadata-behind.webp")
        #expect(parts.map(\.name) == ["RIFF", "VP8X", "ICCP", "VP8L", "EXIF", "XMP "])
        #expect(parts.map(\.offset).prefix(4) == [0, 12, 30, 166])
        #expect(parts[1].summary == "canvas of 36x26 pixels, color profile, EXIF, XMP")
        #expect(parts[3].summary.hasPrefix("36x26 pixels; "))
        #expect(parts[3].summary.hasSuffix("prefix code group") || parts[3].summary.hasSuffix("prefix code groups"))
    }

    @Test func chunksOfFramesStandBehindTheirHead() throws {
        let parts = try parts("blend-clear.webp")
        #expect(
            parts.map(\.name) == ["RIFF", "VP8X", "ANIM"] + Array(repeating: ["ANMF", "VP8L"], count: 5).joined())
        #expect(parts[2].summary == "played for ever")
        #expect(parts[5].summary.hasSuffix("80 ms, laid over, cleared afterwards"))
    }

    @Test func palettesAreTold() throws {
        #expect(try parts("palette-5.webp")[1].summary.contains("5 colors (2 pixels a byte)"))
    }

    @Test func alphaIsTold() throws {
        #expect(try parts("lossy-alpha-raw-gradient.webp")[2].summary == "not compressed, gradient filter")
        #expect(try parts("lossy-alpha-lossless-vertical.webp")[2].summary == "lossless, vertical filter")
        #expect(
            try parts("lossy-alpha-raw-reduced.webp")[2].summary == "not compressed, gradient filter, levels reduced")
    }

    @Test func whatIsCutOffIsToldSo() throws {
        #expect(try parts("cut.webp").map(\.damage) == ["cut off", "cut off"])
        #expect(try parts("picture-too-long.webp").last?.damage == "longer than what it is in")
    }

    @Test func bytesBehindTheEndAreCounted() throws {
        let listing = try FileListing(of: ImageData(AnimationFixture.named("trailing-bytes.webp", "webp")))
        #expect(listing.trailingByteCount == 10)
    }

    @Test func everyCutOfAFileIsListed() throws {
        let file = try AnimationFixture.named("blend-clear.webp", "webp")
        for count in 12..<file.count {
            let listing = try FileListing(of: ImageData(Array(file.prefix(count))))
            #expect(!listing.parts.isEmpty)
        }
    }
}
