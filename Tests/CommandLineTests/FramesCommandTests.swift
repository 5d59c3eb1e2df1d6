import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// What imagetool frames does with a still, which has one frame; see GIFCommandTests for animations.
@Suite struct FramesCommandTests {
    private let badge = Fixture.folder("png").appendingPathComponent("badge@2x.png").path
    private let turned = Fixture.folder("png").appendingPathComponent("turned-exif6.png").path

    @Test func aRangeSelectsFrames() throws {
        let tool = try Tool()
        for range in [["--range", "0"], ["--range", "0-"], ["--range", "-0"], ["--range=0-0"]] {
            let run = try tool.run(["frames", badge, "-o", tool.path("out")] + range)
            #expect(run.status == 0 && run.lines == [tool.path("out/badge@2x.0.png")])
        }
        let run = try tool.run("frames", "--json", badge, "-o", tool.path("none"), "--range", "0-3")
        #expect(run.status == 1)
        #expect(run.errorLines == ["\(badge): --range 0-3: there is one frame, number 0"])
        let error = try #require(try run.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "invalidArgument")
        #expect(!FileManager.default.fileExists(atPath: tool.path("none")))
    }

    @Test func rawFramesAreNotTurnedAndSayWhereTheyLie() throws {
        let tool = try Tool()
        let run = try tool.run("frames", "--raw-frames", "--json", turned, "-o", tool.path("out"))
        let frame = try #require(try run.objects().first)
        let info = try ImageInfo(contentsOfFile: turned)
        #expect(frame["x"] as? Int == 0 && frame["y"] as? Int == 0)
        #expect(frame["width"] as? Int == info.size.width && frame["height"] as? Int == info.size.height)
        #expect(frame["blending"] as? String == "replace" && frame["disposal"] as? String == "keep")
        let written = try ImageInfo(contentsOfFile: tool.path("out/turned-exif6.0.png"))
        #expect(written.size == info.size && written.orientation == info.orientation)
        let text = try tool.run("frames", "--raw-frames", turned, "-o", tool.path("out"))
        #expect(text.lines.first?.hasSuffix("\t\(info.size)+0+0\treplace, then keep") == true)
    }

    @Test func aStillHasASheetOfOneFrame() throws {
        let tool = try Tool()
        let path = tool.path("new/sheet.png")
        let run = try tool.run("frames", badge, "--sheet", path, "--cell-size", "100x70", "--columns", "3")
        #expect(run.status == 0 && run.errors.isEmpty && run.output.isEmpty)
        let sheet = try RasterImage(contentsOfFile: path).bitmap
        #expect(sheet.size == PixelSize(width: 116, height: 8 + 70 + 4 + 30 + 8))
        // The picture has 64x64 pixels, and an outline in the column on its left.
        #expect(sheet[8 + 17, 20] == PixelColor(rgba8: SIMD4(255, 0, 128, 255)))
    }

    @Test func aSheetGoesToStandardOutputToo() throws {
        let tool = try Tool()
        let run = try tool.run("frames", "-", "--sheet", "-", input: URL(fileURLWithPath: badge))
        #expect(run.status == 0)
        #expect(try RasterImage(ImageData(Array(run.output))).size.width == 176)
    }

    @Test func aFrameThatCannotBeDecodedLeavesItsCellEmpty() throws {
        let tool = try Tool()
        let cut = Fixture.folder("png").appendingPathComponent("truncated.png").path
        let run = try tool.run("frames", cut, "--sheet", tool.path("sheet.png"))
        #expect(run.status == 1 && run.errorLines.count == 1)
        let tolerant = try tool.run("frames", "--tolerant", cut, "--sheet", tool.path("tolerant.png"))
        #expect(tolerant.status == 0)
        #expect(tolerant.errors.hasPrefix("\(cut): warning: frame 0: partial picture, "))
        #expect(FileManager.default.fileExists(atPath: tool.path("tolerant.png")))
    }

    @Test(arguments: [
        [], ["-o", "OUT", "--sheet", "SHEET"], ["-o", "OUT", "--columns", "2"], ["-o", "OUT", "--cell-size", "9x9"],
        ["--sheet", "SHEET", "--raw-frames"], ["--sheet", "-", "--json"], ["--sheet", "SHEET", "--format", "pam"],
        ["--sheet", "SHEET", "--no-clobber"], ["--sheet", "SHEET", "--columns", "0"], ["--sheet", "SHEET.xyz"],
        ["--sheet", "SHEET", "SECOND"], ["-o", "OUT", "--range", "3-1"], ["-o", "OUT", "--range", "x"],
        ["--sheet", "SHEET", "--cell-size", "100"],
    ])
    func commandLinesThatMakeNoSenseAreRefused(_ arguments: [String]) throws {
        let tool = try Tool()
        let places = ["OUT": "out", "SHEET": "sheet.png", "SHEET.xyz": "sheet.xyz", "SECOND": "second.png"]
        let run = try tool.run(["frames", badge] + arguments.map { places[$0].map { tool.path($0) } ?? $0 })
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: tool.path("out")))
        #expect(!FileManager.default.fileExists(atPath: tool.path("sheet.png")))
    }

    @Test func aSheetDoesNotReplaceItsInput() throws {
        let tool = try Tool()
        let copy = tool.path("badge.png")
        try FileManager.default.copyItem(atPath: badge, toPath: copy)
        let run = try tool.run("frames", copy, "--sheet", copy)
        #expect(run.status == 2 && run.errors.contains("--force allows it"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data(contentsOf: URL(fileURLWithPath: badge)))
    }

    @Test func limitsCountForTheSheet() throws {
        let tool = try Tool()
        let path = tool.path("sheet.png")
        let run = try tool.run("frames", badge, "--sheet", path, "--max-pixels", "10000")
        #expect(run.status == 1 && run.errorLines.count == 1)
        #expect(run.errors.hasPrefix(path + ": ") && run.errors.contains("(--max-pixels raises the limit)"))
    }

    @Test func infoListsTheFrameOfAStill() throws {
        let tool = try Tool()
        let object = try #require(try tool.run("info", "--json", "--frames", badge).objects().first)
        #expect(object["durationMS"] is NSNull)
        let frame = try #require((object["frames"] as? [[String: Any]])?.first)
        #expect(frame["width"] as? Int == 64 && frame["x"] as? Int == 0 && frame["durationMS"] is NSNull)
        #expect(frame["composedFrom"] as? Int == 0 && frame["isOpaque"] as? Bool == false)
        let text = try tool.run("info", "--frames", badge).text
        #expect(text.contains("\n  frame 0       64x64+0+0, replace, then keep, from itself\n"))
        #expect(try tool.run("info", badge).text.contains("frame 0") == false)
        #expect(try tool.run("info", "--frames", "--format", "{name}", badge).status == 2)
    }
}
