import CodecTestSupport
import Foundation
import Testing

/// Commands that keep one frame of many say so.
@Suite struct AnimationWarningTests {
    /// Two frames of one pixel, the first of which is the default image.
    ///
    /// Source: PNG 3rd ed. §11.3.6 "Animation information".
    private static let file: [UInt8] = {
        func control(_ number: UInt8) -> [UInt8] {
            // Sequence number, 1x1 at 0,0, a tenth of a second, nothing disposed of or blended.
            [0, 0, 0, number, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0]
        }
        return PNGBuilder.onePixel(
            chunks: [("acTL", [0, 0, 0, 2, 0, 0, 0, 0]), ("fcTL", control(0))],
            late: [("fcTL", control(1)), ("fdAT", [0, 0, 0, 2] + PNGBuilder.stored([0, 90]))])
    }()

    private func run(_ command: [String]) throws -> (run: ToolRun, path: String) {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("movie.png")
        try Data(Self.file).write(to: input)
        let run = try tool.run(command.map { $0 == "." ? tool.path("out") : $0 } + [input.path])
        #expect(run.status == 0)
        return (run, input.path)
    }

    @Test func whatKeepsOneFrameOfManySaysSo() throws {
        let (run, path) = try run(["convert", "--format", "raw", "-o", "/dev/null"])
        #expect(run.errorLines == ["\(path): warning: 2 frames, the first is written"])
    }

    @Test func anAnimationAsAFrameGivesItsFirst() throws {
        let (run, path) = try run(["animate", "-o", "/dev/null", "--format", "webp"])
        #expect(run.errorLines == ["\(path): warning: 2 frames, the first is written"])
    }

    @Test(arguments: [
        ["thumbnail", "--size", "1x1", "--format", "raw", "-o", "/dev/null"], ["checksum"],
        ["checksum", "--chunk", "9"], ["frames", "-o", "."], ["stream", "-o", "."],
    ])
    func whatDecodesTheFramesSaysNothing(_ command: [String]) throws {
        #expect(try run(command).run.errors.isEmpty)
    }

    @Test func infoTellsTheFrames() throws {
        #expect(try run(["info"]).run.text.contains("frames        2, played for ever"))
        let info = try #require(try run(["info", "--json"]).run.objects().first)
        #expect(info["hasUndecodedAnimation"] as? Bool == false && info["frameCount"] as? Int == 2)
    }

    /// Two gray frames of one pixel for this fraction of a second.
    private func movie(_ numerator: UInt8, _ denominator: UInt16, plays: [UInt8], alpha: UInt8 = 255) -> [UInt8] {
        func control(_ number: UInt8) -> [UInt8] {
            [0, 0, 0, number, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
                + [0, numerator, UInt8(denominator >> 8), UInt8(denominator & 255), 0, 0]
        }
        return PNGBuilder.file(
            width: 1, height: 1, colorType: 4, chunks: [("acTL", [0, 0, 0, 2] + plays), ("fcTL", control(0))],
            scanlines: [0, 128, alpha],
            late: [("fcTL", control(1)), ("fdAT", [0, 0, 0, 2] + PNGBuilder.stored([0, 90, alpha]))])
    }

    @Test(arguments: [("webp", 65_535), ("gif", 65_536), ("apng", 2_147_483_647)])
    func morePlaysThanAFormatHasAreTheMostItHas(_ format: String, _ most: Int) throws {
        let tool = try Tool()
        let path = tool.path("movie.png")
        try Data(movie(1, 10, plays: [0xFF, 0xFF, 0xFF, 0xFF])).write(to: URL(fileURLWithPath: path))
        let run = try tool.run("convert", path, "-o", tool.path("out.\(format)"))
        #expect(run.status == 0)
        #expect(
            run.errorLines == [
                "\(path): warning: there are more plays than the format can say, the file asks for as many as it can"
            ])
        let info = try #require(try tool.run("info", "--json", tool.path("out.\(format)")).objects().first)
        #expect(info["loopCount"] as? Int == most)
    }

    @Test func fractionsOfASecondStayInPNGAndAreRoundedElsewhere() throws {
        let tool = try Tool()
        let path = tool.path("movie.png")
        try Data(movie(1, 30, plays: [0, 0, 0, 0])).write(to: URL(fileURLWithPath: path))
        #expect(try tool.run("convert", path, "-o", tool.path("out.png")).errors.isEmpty)
        let text = try tool.run("inspect", tool.path("out.png")).text
        #expect(text.split(separator: "\n").filter { $0.contains(" 1/30 s,") }.count == 2)
        for (format, sum) in [("webp", 67), ("gif", 70)] {
            let run = try tool.run("convert", path, "-o", tool.path("out.\(format)"))
            #expect(run.errorLines == ["\(path): warning: 2 of 2 durations are rounded, their sum stays"])
            let info = try #require(
                try tool.run("info", "--json", "--frames", tool.path("out.\(format)")).objects().first)
            #expect(info["durationMS"] as? Int == sum)
        }
    }

    @Test func losslessGIFOfTranslucentFramesIsRefused() throws {
        let tool = try Tool()
        let path = tool.path("movie.png")
        try Data(movie(1, 10, plays: [0, 0, 0, 0], alpha: 100)).write(to: URL(fileURLWithPath: path))
        for frame in [[], ["--frame", "0"]] {
            let run = try tool.run(["convert", path, "-o", tool.path("out.gif"), "--lossless"] + frame)
            #expect(run.status == 1)
            #expect(run.errors.contains("translucent pixels without loss"))
            #expect(try tool.run(["convert", path, "-o", tool.path("lossy.gif"), "--force"] + frame).status == 0)
        }
    }

    @Test func stillsAreNotWarnedAbout() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let run = try Tool().run("checksum", path)
        #expect(run.errors.isEmpty)
        let info = try #require(try Tool().run("info", "--json", path).objects().first)
        #expect(info["hasUndecodedAnimation"] as? Bool == false)
    }
}
