import CodecTestSupport
import Foundation
import ImageCodecs
import ImageInspection
import Testing
import WebPLossyCodec
import imagetool

/// `imagetool inspect --picture`.
@Suite struct MacroblockPictureTests {
    private func path(_ name: String) -> String { Fixture.folder("webp").appendingPathComponent(name).path }

    /// Draws a fixture; straight red, green, blue, alpha by column and row.
    private func picture(_ name: String, _ options: String...) throws -> Bitmap {
        let tool = try Tool()
        let run = try tool.run(["inspect", path(name), "--picture", tool.path("out.png")] + options)
        #expect(run.status == 0 && run.errors == "" && run.text == "")
        return try RasterImage(contentsOfFile: tool.path("out.png")).bitmap
    }

    @Test func smallPicturesAreMagnifiedUpToEightTimes() throws {
        // 7x5 macroblocks of 128 pixels, and the margins beside them.
        #expect(try picture("lossy/several-macroblocks.webp").width == 7 * 128 + 24)
        #expect(try picture("lossy/several-macroblocks.webp", "--scale", "9").width == 7 * 144 + 24)
        // 19 macroblocks in a row: five times is all that fits.
        #expect(try picture("lossy/wide.webp").width == 19 * 16 * 5 + 24)
    }

    @Test func aPictureThatIsNarrowIsAsWideAsItsLegend() throws {
        let bitmap = try picture("lossy/one-pixel.webp", "--scale", "1")
        #expect(bitmap.width == 784 && bitmap.height > 16 + 36)
    }

    @Test func edgesHaveTheColourOfTheLevelThatTheyAreFilteredWith() throws {
        // One segment, one level: between all macroblocks the same line, two pixels wide at four times.
        let bitmap = try picture("lossy/one-segment.webp", "--layer", "filter", "--scale", "4")
        let line = bitmap[12 + 64, 12 + 8]
        #expect(bitmap[12 + 65, 12 + 8] == line && bitmap[12 + 66, 12 + 8] != line)
        #expect(bitmap[12 + 8, 12 + 64] == line && bitmap[12 + 128, 12 + 100] == line)
        #expect(max(line.red, line.green) > 0xC000 && line.blue < 0x9000)
        // The picture's own edge is not filtered, and without a filter there is no such line.
        #expect(bitmap[12, 12 + 40] != line)
        let unfiltered = try picture("lossy/no-filter.webp", "--layer", "filter", "--scale", "4")
        #expect(unfiltered[12 + 64, 12 + 8] != line)
    }

    @Test func segmentsAreTinted() throws {
        // Each layer for itself leaves the middle of a macroblock alone, but for what it draws.
        let plain = try picture("lossy/four-segments.webp", "--layer", "filter", "--scale", "2")
        let tinted = try picture("lossy/four-segments.webp", "--layer", "segments", "--scale", "2")
        for index in 0..<30 {
            let (x, y) = (12 + 5 + 32 * (index % 6), 12 + 5 + 32 * (index / 6))
            #expect(plain[x, y] != tinted[x, y])
        }
        let one = try picture("lossy/one-segment.webp", "--layer", "filter", "--scale", "2")
        let same = try picture("lossy/one-segment.webp", "--layer", "segments", "--scale", "2")
        #expect(one[12 + 5, 12 + 5] == same[12 + 5, 12 + 5])
    }

    @Test func modesAreWhiteSigns() throws {
        // The first subblock of even-sides is predicted by its mean: a dot in the middle of 32 pixels.
        let bitmap = try picture("lossy/even-sides.webp", "--layer", "modes")
        let white = PixelColor(rgba8: SIMD4(255, 255, 255, 255))
        #expect(bitmap[12 + 16, 12 + 16] == white)
        #expect(bitmap[12 + 4, 12 + 16] != white)
        // The second by TrueMotion: a cross.
        #expect(bitmap[12 + 32 + 16, 12 + 16] == white && bitmap[12 + 32 + 9, 12 + 16] == white)
        #expect(bitmap[12 + 32 + 16, 12 + 9] == white && bitmap[12 + 32 + 9, 12 + 9] != white)
    }

    @Test func alphaIsLaidOverACheckerboard() throws {
        let opaque = try picture("lossy.webp", "--layer", "segments")
        let transparent = try picture("lossy-alpha.webp", "--layer", "segments")
        #expect(opaque.size == transparent.size && opaque != transparent)
    }

    @Test func theFirstLossyFrameIsDrawnOrTheOneThatIsAskedFor() throws {
        let tool = try Tool()
        let file = path("mixed-lossy.webp")
        let whole = try tool.run("inspect", file)
        let kinds = whole.lines.compactMap { line in
            line.contains(" VP8L ") ? "lossless" : line.contains(" VP8  ") ? "lossy" : nil
        }
        let lossy = try #require(kinds.firstIndex(of: "lossy"))
        let lossless = try #require(kinds.firstIndex(of: "lossless"))
        #expect(try tool.run("inspect", file, "--picture", tool.path("a.png")).status == 0)
        #expect(try tool.run("inspect", file, "--picture", tool.path("b.png"), "--frame", "\(lossy)").status == 0)
        #expect(try tool.contents("a.png") == tool.contents("b.png"))
        let refused = try tool.run("inspect", file, "--picture", tool.path("c.png"), "--frame", "\(lossless)")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("frame \(lossless) is lossless: lossless pictures have no macroblocks"))
        let missing = try tool.run("inspect", file, "--picture", tool.path("c.png"), "--frame", "99")
        #expect(missing.status == 1 && missing.errors.contains("frame 99: there are"))
    }

    @Test func whatHasNoMacroblocksIsRefused() throws {
        let tool = try Tool()
        let lossless = try tool.run("inspect", path("lossless.webp"), "--picture", tool.path("a.png"))
        #expect(lossless.status == 1 && lossless.errorLines.count == 1)
        #expect(lossless.errors.contains("nothing in the file is lossy"))
        let png = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let other = try tool.run("inspect", png, "--picture", tool.path("a.png"))
        #expect(other.status == 1 && other.errors.contains("PNG has no macroblocks that could be drawn"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("a.png")))
    }

    @Test func damagedPicturesAreDrawnAsFarAsTheyGo() throws {
        let tool = try Tool()
        let file = try FixtureBytes.read("webp/lossy/several-macroblocks.webp")
        try Data(file.prefix(700)).write(to: URL(fileURLWithPath: tool.path("cut.webp")))
        let run = try tool.run("inspect", tool.path("cut.webp"), "--picture", tool.path("a.png"))
        #expect(run.status == 1 && run.errors.contains("cut off at byte 700"))
        #expect(try RasterImage(contentsOfFile: tool.path("a.png")).size.width == 7 * 128 + 24)
        try Data(file.prefix(60)).write(to: URL(fileURLWithPath: tool.path("head.webp")))
        let nothing = try tool.run("inspect", tool.path("head.webp"), "--picture", tool.path("b.png"))
        #expect(nothing.status == 1 && !FileManager.default.fileExists(atPath: tool.path("b.png")))
    }

    @Test func limitsCountForThePicture() throws {
        let tool = try Tool()
        let file = path("lossy/several-macroblocks.webp")
        let run = try tool.run("inspect", file, "--picture", tool.path("a.png"), "--max-dimension", "400")
        #expect(run.status == 1 && run.errors.contains("--max-dimension"))
        #expect(try tool.run("inspect", file, "--picture", tool.path("a.png"), "--max-memory", "64K").status == 1)
    }

    @Test(arguments: [
        ["--layer", "modes"], ["--frame", "1"], ["--scale", "2"], ["--picture", "a.png", "--scale", "0"],
        ["--picture", "-", "--json"], ["--picture", "a.xyz"], ["--picture", "a.png", "--layer", "colour"],
        ["--picture", "a.png", "--frame", "-1"],
    ])
    func optionsThatMakeNoSenseAreWrongUsage(_ options: [String]) throws {
        #expect(try Tool().run(["inspect", path("lossy.webp")] + options).status == 2)
    }

    @Test func oneFileIsDrawn() throws {
        #expect(try Tool().run("inspect", path("lossy.webp"), path("lossy.webp"), "--picture", "a.png").status == 2)
    }
}

@Suite struct ModeGlyphTests {
    private func rows(_ glyph: ModeGlyph) -> [String] {
        let mask = glyph.mask(side: 11, stroke: 1)
        return (0..<11).map { y in
            String((0..<11).map { x in mask.coverage[11 * y + x] > 127 ? "#" : "." as Character })
        }
    }

    @Test func linesGoWhereSamplesAreRepeated() {
        #expect(rows(ModeGlyph(.vertical))[2...8].allSatisfy { $0 == ".....#....." })
        #expect(rows(ModeGlyph(.horizontal))[5].contains("#######"))
        // To the lower left, and to the lower right.
        #expect(rows(ModeGlyph(.leftDown))[3] == ".......#..." && rows(ModeGlyph(.leftDown))[7] == "...#.......")
        #expect(rows(ModeGlyph(.rightDown))[3] == "...#......." && rows(ModeGlyph(.rightDown))[7] == ".......#...")
    }

    @Test func everyModeHasASignOfItsOwn() {
        let signs = VP8Macroblock.SubblockMode.allCases.map { rows(ModeGlyph($0)) }
        #expect(Set(signs).count == 10)
        #expect(Set(VP8Macroblock.Mode.allCases.map { rows(ModeGlyph(luma: $0)) }).count == 4)
    }
}
