import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct SheetCommandTests {
    private let png = Fixture.folder("png")

    private func file(_ name: String) -> String { png.appendingPathComponent(name).path }

    @Test func picturesStandInTheMiddleOfTheirCells() throws {
        let tool = try Tool()
        let run = try tool.run(
            "sheet", file("landscape.png"), file("turned-exif6.png"), file("landscape.png"), "--size", "60x60", "--gap",
            "4", "--columns", "2", "--background", "0000ff", "-o", tool.path("sheet.png"))
        #expect(run.status == 0 && run.errors == "")
        let sheet = try RasterImage(contentsOfFile: tool.path("sheet.png")).bitmap
        #expect(sheet.size == PixelSize(width: 4 + 2 * 64, height: 4 + 2 * 64))
        // The thumbnail is 60x40: ten rows above it show the background, and so does the empty cell.
        let thumbnail = try RasterImage(
            contentsOfFile: file("landscape.png"), options: .thumbnail(width: 60, height: 60)
        ).bitmap
        #expect(thumbnail.size == PixelSize(width: 60, height: 40))
        let part = try sheet.cropped(to: PixelRect(x: 4, y: 14, width: 60, height: 40))
        #expect(try part.converted(to: .rgb) == thumbnail.converted(to: .rgb))
        let blue = PixelColor(rgba8: SIMD4(0, 0, 255, 255))
        #expect(sheet[4, 13] == blue && sheet[4, 54] == blue && sheet[100, 100] == blue && sheet[0, 0] == blue)
    }

    @Test func picturesAreScaledAsAsked() throws {
        let tool = try Tool()
        let run = try tool.run(
            "sheet", file("landscape.png"), "--size", "60x40", "--gap", "0", "--scaling", "linear", "-o",
            tool.path("sheet.png"))
        #expect(run.status == 0)
        let sheet = try RasterImage(contentsOfFile: tool.path("sheet.png")).bitmap.converted(to: .rgb)
        var options = DecodingOptions.thumbnail(width: 60, height: 40)
        let stored = try RasterImage(contentsOfFile: file("landscape.png"), options: options).bitmap
        options.scaling = .linear
        let linear = try RasterImage(contentsOfFile: file("landscape.png"), options: options).bitmap
        #expect(try sheet == linear.converted(to: .rgb))
        #expect(linear != stored)
    }

    @Test func aFileThatFailsLeavesItsCellEmpty() throws {
        let tool = try Tool()
        let run = try tool.run("sheet", file("truncated.png"), file("landscape.png"), "-o", tool.path("sheet.png"))
        #expect(run.status == 1)
        #expect(run.errorLines.last == "1 of 2 failed")
        let sheet = try RasterImage(contentsOfFile: tool.path("sheet.png")).bitmap
        #expect(sheet.size == PixelSize(width: 8 + 2 * 208, height: 216))
        #expect(sheet[100, 100] == PixelColor(rgba8: SIMD4(32, 32, 32, 255)))
        #expect(sheet[316, 108] != PixelColor(rgba8: SIMD4(32, 32, 32, 255)))
    }

    @Test(arguments: [
        ["--size", "50%"], ["--size", "100x"], ["--columns", "0"], ["--gap", "-1"], ["--fit", "outside"],
    ])
    func sheetsThatMakeNoSenseAreRefused(_ arguments: [String]) throws {
        let tool = try Tool()
        let run = try tool.run(["sheet", file("landscape.png"), "-o", tool.path("sheet.png")] + arguments)
        #expect(run.status == 2)
        #expect(!FileManager.default.fileExists(atPath: tool.path("sheet.png")))
    }

    @Test func aSheetTooLargeForMemoryIsAnError() throws {
        let tool = try Tool()
        let run = try tool.run(
            "sheet", file("landscape.png"), "--limits", "unlimited", "--size", "1000000000x1000000000", "-o",
            tool.path("sheet.png"))
        #expect(run.status == 1)
        #expect(run.errors.contains("memory"))
    }

    @Test(arguments: [("--max-pixels", "46655"), ("--max-dimension", "215"), ("--max-memory", "100K")])
    func limitsCountForTheSheet(_ option: String, _ value: String) throws {
        let tool = try Tool()
        let path = tool.path("sheet.png")
        let run = try tool.run("sheet", file("landscape.png"), option, value, "-o", path)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix(path + ": ") && run.errors.contains("(\(option) raises the limit)"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
