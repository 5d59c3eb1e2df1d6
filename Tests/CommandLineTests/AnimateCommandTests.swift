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
        let names = (0..<11).map { "restore-chain.\($0 < 10 ? "0" : "")\($0).png" }
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

    @Test func damageInFramesIsWarnedAboutOnce() throws {
        let tool = try Tool()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: chain))
        // A code without a string, in row 4 of frame 2.
        bytes[419] ^= 0xFF
        let path = tool.path("damaged.gif")
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try tool.run("convert", path, "-o", tool.path("x.png")).status == 1)
        let run = try tool.run("convert", "--tolerant", path, "-o", tool.path("x.png"))
        #expect(run.status == 0 && run.errorLines.count == 1)
        let warning = "\(path): warning: partial picture, 24 rows, 10 of 11 frames: damaged GIF at byte 419"
        #expect(run.errors.hasPrefix(warning))
        let cut = Fixture.folder("png").appendingPathComponent("truncated.png").path
        let animate = try tool.run("animate", "--tolerant", cut, cut, "-o", tool.path("y.png"))
        #expect(animate.status == 0 && animate.errorLines.count == 1)
        #expect(animate.errors.hasPrefix("\(cut): warning: partial picture, 48 rows"))
    }

    @Test func whatIsLostIsNamed() throws {
        let tool = try Tool()
        let deep = Fixture.folder("png").appendingPathComponent("heights-gray16.png").path
        let output = tool.path("x.png")
        let run = try tool.run("animate", deep, "-o", output, "--delay", "70000.5")
        #expect(
            run.errorLines == [
                "\(output): warning: frames have eight bits a sample, 16 bits of the file are rounded",
                "\(output): warning: 1 of 1 duration is rounded",
            ])
        let outside = Fixture.folder("apng").appendingPathComponent("default-outside.png").path
        let converted = try tool.run("convert", outside, "-o", output)
        #expect(converted.errorLines == ["\(outside): warning: the default image, which is no frame, is left out"])
        let interlaced = try tool.run(
            "convert", chain, still, "-o", tool.path("many"), "--format", "png", "--interlace")
        #expect(interlaced.errorLines == ["\(chain): warning: animations are not interlaced"])
    }

    @Test func allFramesOfAnimationsAreCutAndTurned() throws {
        let tool = try Tool()
        func frames(_ path: String) throws -> [[String: Any]] {
            let object = try #require(try tool.run("checksum", path).objects().first)
            return try #require(object["frames"] as? [[String: Any]])
        }
        let count = try frames(chain).count
        let jobs = tool.folder.appendingPathComponent("jobs.jsonl")
        let job = { (operation: String, name: String, more: String) in
            #"{"operation": "\#(operation)", "path": "\#(chain)", "size": "9", "fit": "fill", "#
                + #""output": "\#(tool.path(name))"\#(more)}"#
        }
        let lines = [
            job("convert", "a.png", ""), job("convert", "b.png", #", "firstFrame": true"#),
            job("thumbnail", "c.png", ""), job("thumbnail", "d.png", #", "firstFrame": false"#),
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: jobs)
        let answers = try tool.run(["batch"], input: jobs).objects()
        #expect(answers.map { $0["width"] as? Int } == [9, 9, 9, 9])
        #expect(answers.map { $0["height"] as? Int } == [9, 9, 9, 9])
        #expect(
            try count > 1
                && ["a", "b", "c", "d"].map { try frames(tool.path($0 + ".png")).count } == [count, 1, 1, count])

        // Four quarter turns are none.
        var path = chain
        for name in ["1.png", "2.png", "3.png", "4.png"] {
            let run = try tool.run("convert", path, "-o", tool.path(name), "--rotate", "90")
            #expect(run.status == 0 && run.errorLines == [])
            path = tool.path(name)
            #expect(try (summary(path, tool) == summary(chain, tool)) == (name == "4.png"), "\(name)")
        }

        let small = try tool.run(
            "thumbnail", chain, "--size", "9x5", "--fit", "fill", "--all-frames", "-o", tool.path("e.gif"))
        #expect(small.status == 0)
        #expect(try frames(tool.path("e.gif")).count == count)
        #expect(try tool.run("info", tool.path("e.gif"), "--json").objects().first?["width"] as? Int == 9)
    }

    @Test func theLimitOnFramePixelsIsForAllFrames() throws {
        let tool = try Tool()
        let refused = try tool.run("convert", chain, "-o", tool.path("x.png"), "--max-frame-pixels", "1000")
        #expect(refused.status == 1 && refused.errors.contains("--max-frame-pixels"))
        #expect(try tool.run("convert", chain, "-o", tool.path("x.png"), "--max-frame-pixels", "2000").status == 0)
    }

    @Test func filesFitIntoTheBytesThatAreAllowed() throws {
        let tool = try Tool()
        #expect(try tool.run("convert", chain, "-o", tool.path("x.png"), "--max-bytes", "900").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: tool.path("x.png"))).count <= 900)
        let timing = try tool.run("convert", chain, "-o", tool.path("y.png"), "--timing")
        #expect(timing.errorLines.map { $0.prefix(7) } == ["decode:", "encode:"])
    }
}
