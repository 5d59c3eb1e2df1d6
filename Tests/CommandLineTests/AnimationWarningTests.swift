import CodecTestSupport
import Foundation
import Testing

/// Animations that are decoded as stills say so.
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

    private static let warning = "warning: the file is animated; only its still picture is decoded"

    @Test(arguments: [
        ["convert", "--format", "raw", "-o", "/dev/null"],
        ["thumbnail", "--size", "1x1", "--format", "raw", "-o", "/dev/null"], ["checksum"],
        ["checksum", "--chunk", "9"],
        ["frames", "-o", "."], ["stream", "-o", "."],
    ])
    func oneLineForEachFile(_ command: [String]) throws {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("movie.png")
        try Data(Self.file).write(to: input)
        let arguments = command.map { $0 == "." ? tool.path("out") : $0 }
        let run = try tool.run(arguments + [input.path])
        #expect(run.status == 0)
        #expect(run.errorLines == ["\(input.path): \(Self.warning)"])
    }

    @Test func infoTellsIt() throws {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("movie.png")
        try Data(Self.file).write(to: input)
        #expect(try tool.run("info", input.path).text.contains("only the still picture is"))
        #expect(try tool.run("info", "--json", input.path).objects().first?["hasUndecodedAnimation"] as? Bool == true)
    }

    @Test func stillsAreNotWarnedAbout() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let run = try Tool().run("checksum", path)
        #expect(run.errors.isEmpty)
        let info = try #require(try Tool().run("info", "--json", path).objects().first)
        #expect(info["hasUndecodedAnimation"] as? Bool == false)
    }
}
