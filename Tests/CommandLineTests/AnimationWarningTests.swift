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

    @Test func stillsAreNotWarnedAbout() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let run = try Tool().run("checksum", path)
        #expect(run.errors.isEmpty)
        let info = try #require(try Tool().run("info", "--json", path).objects().first)
        #expect(info["hasUndecodedAnimation"] as? Bool == false)
    }
}
