import CodecTestSupport
import Foundation
import Testing

@Suite struct AnimateCommandTests {
    private let chain = Fixture.folder("gif").appendingPathComponent("restore-chain.gif").path
    private let still = Fixture.folder("png").appendingPathComponent("landscape.png").path

    /// What is the same in every format: all of a checksum but the file.
    private func summary(_ path: String, _ tool: borrowing Tool) throws -> String {
        let object = try #require(try tool.run("checksum", path).objects().first)
        let frames = try #require(object["frames"] as? [[String: Any]])
        let texts = frames.map { "\($0["durationMS"] ?? "") \($0["rgbaCRC32"] ?? "")" }
        return "\(object["loopCount"] ?? "") \(texts)"
    }

    @Test(arguments: ["movie.png", "movie.apng"])
    func convertKeepsFrames(_ name: String) throws {
        let tool = try Tool()
        let run = try tool.run("convert", chain, "-o", tool.path(name))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try summary(tool.path(name), tool) == summary(chain, tool))
    }

    @Test func theFirstFrameIsWrittenIfAskedFor() throws {
        let tool = try Tool()
        let run = try tool.run("convert", chain, "-o", tool.path("x.png"), "--first-frame")
        #expect(run.status == 0 && run.errors.isEmpty)
        let info = try #require(try tool.run("info", "--json", tool.path("x.png")).objects().first)
        #expect(info["frameCount"] as? Int == 1)
        let lossy = try tool.run("convert", chain, "-o", tool.path("x.jpg"))
        #expect(lossy.status == 0)
        #expect(lossy.errorLines == ["\(chain): warning: 11 frames, the first is written"])
    }

    @Test func picturesBecomeFrames() throws {
        let tool = try Tool()
        #expect(try tool.run("frames", chain, "-o", tool.path("all")).status == 0)
        let names = (0..<11).map { "restore-chain.\($0).png" }
        let run = try tool.run(
            ["animate"] + names.map { tool.path("all/\($0)") } + ["-o", tool.path("again.png"), "--delay", "70"])
        #expect(run.status == 0)
        #expect(try summary(tool.path("again.png"), tool) == summary(chain, tool))
    }

    @Test func picturesOfOtherSizesAreRefusedByName() throws {
        let tool = try Tool()
        #expect(try tool.run("convert", chain, "-o", tool.path("small.png"), "--first-frame").status == 0)
        let run = try tool.run("animate", still, tool.path("small.png"), "-o", tool.path("x.png"))
        #expect(run.status == 1)
        #expect(
            run.errorLines.first?.hasPrefix("\(tool.path("small.png")): 32x24 pixels; all pictures have to be") == true)
        #expect(!FileManager.default.fileExists(atPath: tool.path("x.png")))
    }

    @Test func formatsWithoutAnimationAreRefused() throws {
        let tool = try Tool()
        let run = try tool.run("animate", still, "-o", tool.path("x.jpg"))
        #expect(run.status == 2 && run.errors.contains("png"))
        #expect(try tool.run("animate", still, "-o", tool.path("x.png"), "--delay", "-1").status == 2)
        #expect(try tool.run("animate", still, "-o", tool.path("x.png"), "--loop", "-1").status == 2)
        #expect(try tool.run("animate", still, "-o", tool.path("x.png"), "--quality", "80").status == 2)
        #expect(try tool.run("animate", still, "-", "-o", tool.path("x.png")).status == 2)
    }

    @Test func filesFitIntoTheBytesThatAreAllowed() throws {
        let tool = try Tool()
        #expect(try tool.run("convert", chain, "-o", tool.path("x.png"), "--max-bytes", "900").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: tool.path("x.png"))).count <= 900)
        let timing = try tool.run("convert", chain, "-o", tool.path("y.png"), "--timing")
        #expect(timing.errorLines.map { $0.prefix(7) } == ["decode:", "encode:"])
    }
}
