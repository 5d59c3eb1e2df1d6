import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// What the commands make of an animation: five frames of 120 ms, played for ever.
@Suite struct GIFCommandTests {
    private let path = Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif").path

    /// What an independent decoder makes of it.
    private struct Expectation: Decodable {
        var width: Int
        var height: Int
        var durationsMS: [Int]
        var frameCRC32: [String]
    }

    private func expectation() throws -> Expectation {
        let file = Fixture.folder("gif").appendingPathComponent("expected.json")
        let table = try JSONDecoder().decode([String: PartialExpectation].self, from: Data(contentsOf: file))
        return try #require(table["five-frames-120ms.gif"]?.expectation)
    }

    /// Other files of the table need not have frames.
    private struct PartialExpectation: Decodable {
        var expectation: Expectation?
        init(from decoder: any Decoder) throws { expectation = try? Expectation(from: decoder) }
    }

    @Test func checksumsAreThoseOfAnIndependentDecoderHoweverTheFileIsFed() throws {
        let expected = try expectation()
        let frames = zip(0..., zip(expected.durationsMS, expected.frameCRC32)).map { index, frame in
            #"{"index":\#(index),"durationMS":\#(frame.0),"rgbaCRC32":"\#(frame.1)"}"#
        }
        let line =
            #"{"path":"\#(path)","format":"gif","width":\#(expected.width),"height":\#(expected.height),"loopCount":0,"#
            + #""frames":[\#(frames.joined(separator: ","))]}"#
        #expect(frames.count == 5 && expected.durationsMS == [120, 120, 120, 120, 120])
        #expect(try Tool().run("checksum", path).lines == [line])
        for size in ["1", "7", "4096"] { #expect(try Tool().run("checksum", "--chunk", size, path).lines == [line]) }
    }

    @Test func infoTellsOfTheAnimationAndOfItsFrames() throws {
        let plain = try #require(try Tool().run("info", "--json", path).objects().first)
        #expect(plain["frameCount"] as? Int == 5 && plain["loopCount"] as? Int == 0 && plain["frames"] == nil)
        let object = try #require(try Tool().run("info", "--json", "--frames", path).objects().first)
        #expect(object["durationMS"] as? Int == 600)
        let frames = try #require(object["frames"] as? [[String: Any]])
        #expect(frames.map { $0["index"] as? Int } == [0, 1, 2, 3, 4])
        #expect(frames.allSatisfy { $0["durationMS"] as? Int == 120 })
        #expect(frames.first?["composedFrom"] as? Int == 0)
        let text = try Tool().run("info", "--frames", path).text
        #expect(text.contains("\n  duration      600 ms\n") && text.contains("\n  frame 4       "))
    }

    @Test func aRangeOfFramesIsWritten() throws {
        let tool = try Tool()
        let run = try tool.run("frames", "--json", path, "-o", tool.path("out"), "--range", "1-3", "--format", "raw")
        #expect(run.status == 0)
        #expect(try run.objects().map { $0["index"] as? Int } == [1, 2, 3])
        let names = (1...3).map { "five-frames-120ms.\($0).raw" }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("out")).sorted() == names)
        let expected = try expectation()
        for index in 1...3 {
            let bytes = try tool.contents("out/five-frames-120ms.\(index).raw")
            #expect(PixelDigest.crc32(Array(bytes)) == expected.frameCRC32[index])
        }
        let outside = try tool.run("frames", path, "-o", tool.path("out"), "--range", "2-5")
        #expect(outside.errorLines == ["\(path): --range 2-5: there are 5 frames, 0 to 4"])
    }

    @Test func rawFramesHaveTheSizeOfTheirRectangles() throws {
        let tool = try Tool()
        let run = try tool.run("frames", "--json", "--raw-frames", path, "-o", tool.path("out"))
        let frames = try run.objects()
        #expect(frames.count == 5)
        for frame in frames {
            let output = try #require(frame["output"] as? String)
            let size = try ImageInfo(contentsOfFile: output).size
            #expect(frame["width"] as? Int == size.width && frame["height"] as? Int == size.height)
            #expect(frame["x"] is Int && frame["y"] is Int && frame["durationMS"] as? Int == 120)
        }
    }

    @Test func allFramesGoOnOneSheet() throws {
        let tool = try Tool()
        let sheet = tool.path("sheet.png")
        let run = try tool.run("frames", path, "--sheet", sheet, "--cell-size", "64x64", "--columns", "3")
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try ImageInfo(contentsOfFile: sheet).size == PixelSize(width: 8 + 3 * 72, height: 8 + 2 * (98 + 8)))
        let part = try tool.run("frames", path, "--sheet", sheet, "--cell-size", "64x64", "--range", "-1")
        #expect(part.status == 0)
        #expect(try ImageInfo(contentsOfFile: sheet).size == PixelSize(width: 8 + 2 * 72, height: 8 + 98 + 8))
    }

    @Test func convertWritesTheFirstFrameAndSaysSoIfTheFormatHasNoMore() throws {
        let tool = try Tool()
        let lossy = try tool.run("convert", path, "-o", tool.path("first.jpg"))
        #expect(lossy.status == 0)
        #expect(lossy.errorLines == ["\(path): warning: 5 frames, the first is written"])
        let run = try tool.run("convert", path, "-o", tool.path("first.png"), "--first-frame")
        #expect(run.status == 0 && run.errors.isEmpty)
        let frames = try tool.run("frames", path, "-o", tool.path("out"), "--range", "0")
        #expect(frames.status == 0)
        #expect(
            try RasterImage(contentsOfFile: tool.path("first.png")).bitmap
                == RasterImage(contentsOfFile: tool.path("out/five-frames-120ms.0.png")).bitmap)
    }

    @Test func streamTellsHowManyFramesAreWhole() throws {
        let tool = try Tool()
        let run = try tool.run("stream", "--json", "--chunk", "64", path, "-o", tool.path("s"), "--format", "raw")
        #expect(run.status == 0)
        let counts = try run.objects().compactMap { $0["frames"] as? Int }
        #expect(counts == counts.sorted() && counts.last == 5)
        let text = try tool.run("stream", path, "-o", tool.path("s"), "--format", "raw")
        #expect(text.lines.last?.contains(", 5 whole frames -> ") == true)
    }

    @Test func benchDecodesEveryFrame() throws {
        let object = try #require(try Tool().run("bench", "--seconds", "0.01", path).objects().first)
        #expect(object["frames"] as? Int == 5)
    }

    @Test func inspectFindsNothingWrong() throws {
        let run = try Tool().run("inspect", path)
        #expect(run.status == 0 && run.errors.isEmpty)
    }
}
