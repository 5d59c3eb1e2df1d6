import CodecTestSupport
import Foundation
import Testing

/// Which metadata goes with a thumbnail.
@Suite struct ThumbnailMetadataTests {
    /// An RGB profile of no meaning but of the right form.
    private static let profile: [UInt8] =
        [UInt8](repeating: 0, count: 16) + Array("RGB XYZ ".utf8) + [UInt8](repeating: 0, count: 104)

    /// Two pixels with colour information and a title.
    private static let file = PNGBuilder.file(
        width: 2, height: 1,
        chunks: [
            ("cICP", [1, 13, 0, 1]), ("gAMA", [0, 0, 0xB1, 0x8F]),
            (
                "cHRM",
                [0, 0, 0x7A, 0x26, 0, 0, 0x80, 0x84, 0, 0, 0xFA, 0, 0, 0, 0x80, 0xE8, 0, 0, 0x75, 0x30, 0, 0, 0xEA]
                    + [0x60, 0, 0, 0x3A, 0x98, 0, 0, 0x17, 0x70]
            ),
            ("iCCP", Array("A name".utf8) + [0, 0] + PNGBuilder.stored(profile)),
            ("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0]), ("tEXt", Array("Title\0Secret".utf8)),
        ], scanlines: [0, 1, 2, 3, 200, 100, 50])

    private func chunks(_ arguments: String...) throws -> [String] {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("in.png")
        try Data(Self.file).write(to: input)
        let run = try tool.run(["thumbnail", input.path, "--size", "2x1", "-o", tool.path("out.png")] + arguments)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let listing = try #require(try tool.run("inspect", "--json", tool.path("out.png")).objects().first)
        let chunks = try #require(listing["chunks"] as? [[String: Any]])
        return chunks.compactMap { $0["type"] as? String }
    }

    @Test func colorsAreConvertedAndNothingIsKept() throws {
        #expect(try chunks() == ["IHDR", "IDAT", "IEND"])
    }

    @Test func whatSaysHowTheyAreMeantIsKeptIfTheyAreNot() throws {
        #expect(try chunks("--no-srgb") == ["IHDR", "cICP", "iCCP", "gAMA", "cHRM", "IDAT", "IEND"])
    }

    @Test func everythingIsKeptOnRequest() throws {
        #expect(try chunks("--keep-metadata") == ["IHDR", "pHYs", "tEXt", "IDAT", "IEND"])
        #expect(
            try chunks("--keep-metadata", "--no-srgb") == [
                "IHDR", "cICP", "iCCP", "gAMA", "cHRM", "pHYs", "tEXt", "IDAT", "IEND",
            ])
    }

    @Test func everythingIsDroppedOnRequest() throws {
        #expect(try chunks("--strip-metadata") == ["IHDR", "IDAT", "IEND"])
    }

    @Test func keepingAndStrippingExcludeEachOther() throws {
        let run = try Tool().run(
            "thumbnail", "x.png", "--size", "2x1", "-o", "y.png", "--keep-metadata", "--strip-metadata")
        #expect(run.status == 2)
    }
}
