import CodecTestSupport
import Foundation
import Testing

/// What a target cannot hold of pixels, metadata and durations is said, and refused with --lossless.
@Suite struct LossWarningTests {
    private func write(_ file: [UInt8], _ tool: borrowing Tool, _ name: String = "x.png") throws -> String {
        let path = tool.path(name)
        try Data(file).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A pixel of gray and alpha.
    private func gray(alpha: UInt8) -> [UInt8] {
        PNGBuilder.file(width: 1, height: 1, colorType: 4, scanlines: [0, 128, alpha])
    }

    @Test func alphaThatRawPixelsHaveNoPlaceForIsSaid() throws {
        let tool = try Tool()
        let path = try write(gray(alpha: 0), tool)
        let run = try tool.run("convert", path, "--pixel-format", "rgb", "-o", tool.path("out.raw"))
        #expect(
            run.errorLines == ["\(path): warning: translucent pixels are laid over white: such raw files have no alpha"]
        )
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: tool.path("out.raw")))) == [255, 255, 255])
        #expect(try tool.run("convert", path, "-o", tool.path("rgba.raw")).errors.isEmpty)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: tool.path("rgba.raw")))) == [128, 128, 128, 0])
    }

    @Test(arguments: ["jpg", "ppm", "pgm"]) func alphaThatIsLostIsSaid(_ name: String) throws {
        let tool = try Tool()
        let output = tool.path("out.\(name)")
        for (alpha, isLost) in [(0, true), (100, true), (255, false)] as [(UInt8, Bool)] {
            let path = try write(gray(alpha: alpha), tool)
            let format = name == "jpg" ? "jpeg" : name
            let warning = "\(path): warning: translucent pixels are laid over white: \(format) files have no alpha"
            for command in [["convert"], ["thumbnail", "--size", "1"]] {
                let run = try tool.run(command + [path, "-o", output])
                #expect(run.status == 0 && run.errorLines == (isLost ? [warning] : []))
            }
        }
        let path = try write(gray(alpha: 100), tool)
        for kept in ["pam", "webp", "png"] {
            #expect(try tool.run("convert", path, "-o", tool.path("kept.\(kept)")).errors.isEmpty)
        }
        let job = #"{"operation":"convert","path":"\#(path)","output":"\#(output)"}"#
        let input = tool.folder.appendingPathComponent("jobs")
        try Data(job.utf8).write(to: input)
        let answer = try #require(try tool.run(["batch", "--json"], input: input).objects().first)
        #expect((answer["warnings"] as? [String])?.count == 1)
        guard name != "jpg" else { return }
        let refused = try tool.run("convert", "--lossless", path, "-o", tool.path("refused.\(name)"))
        #expect(refused.status == 1 && refused.errors.contains("translucent pixels without loss"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("refused.\(name)")))
    }

    @Test(arguments: ["gif", "webp"]) func losslessSamplesOfSixteenBitsAreRefused(_ name: String) throws {
        let tool = try Tool()
        for (low, isLost) in [(0x12, false), (0x13, true)] as [(UInt8, Bool)] {
            for (type, samples) in [(0, [0x12, low]), (2, [0x12, low, 1, 1, 0, 0])] as [(UInt8, [UInt8])] {
                let path = try write(
                    PNGBuilder.file(width: 1, height: 1, depth: 16, colorType: type, scanlines: [0] + samples), tool)
                let output = tool.path("out.\(name)")
                let refused = try tool.run("convert", "--lossless", path, "-o", output)
                #expect(refused.status == (isLost ? 1 : 0))
                #expect(refused.errors.contains("samples of 16 bits without loss") == isLost)
                let run = try tool.run("convert", path, "-o", output)
                #expect(run.errorLines == (isLost ? ["\(path): warning: samples of 16 bits are rounded to 8"] : []))
            }
        }
    }

    @Test func whatIsAboutMeasuresAndSamplesIsSaid() throws {
        let tool = try Tool()
        let path = try write(
            PNGBuilder.onePixel(chunks: [
                ("sBIT", [5]), ("bKGD", [0, 1]), ("sCAL", [1] + Array("1\u{0}1".utf8)),
                ("pCAL", Array("heat\u{0}".utf8) + [0, 0, 0, 0, 0, 0, 0, 9, 0, 2] + Array("K\u{0}0\u{0}1".utf8)),
            ]), tool)
        for format in ["jpeg", "gif", "webp"] {
            let run = try tool.run("convert", path, "--format", format, "-o", tool.path("out.\(format)"))
            let what = "significant bits, the background, the physical scale and the calibration of samples"
            #expect(
                run.errorLines == ["\(path): warning: \(what) are left out: \(format) files have no place for them"])
        }
        let kept = try tool.run("convert", path, "-o", tool.path("kept.png"))
        #expect(kept.status == 0 && kept.errors.isEmpty)
        let parts = try tool.run("inspect", tool.path("kept.png")).text
        for name in ["sBIT", "bKGD", "sCAL", "pCAL"] { #expect(parts.contains(name)) }
    }

    @Test func unknownChunksThatCouldBeCopiedAreNamed() throws {
        let tool = try Tool()
        let path = try write(
            PNGBuilder.onePixel(
                chunks: [("prVw", [1]), ("iDOT", [2]), ("pHYs", [0, 0, 0, 1, 0, 0, 0, 2, 0])], late: [("vpAg", [])]),
            tool)
        let warning = "\(path): warning: unknown chunks are left out: prVw and vpAg"
        #expect(try tool.run("convert", path, "-o", tool.path("out.png")).errorLines == [warning])
        #expect(try tool.run("optimize", path, "-o", tool.path("small.png")).errorLines == [warning])
        #expect(try tool.run("thumbnail", "--size", "1", path, "-o", tool.path("t.png")).errors.isEmpty)
        #expect(try tool.run("convert", tool.path("out.png"), "-o", tool.path("again.png")).errors.isEmpty)
    }

    /// Frames of one pixel, each for one of so many parts of a second.
    private func movie(_ frameCount: UInt8, partsOfASecond rate: UInt8) -> [UInt8] {
        var control: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, rate, 0, 0]
        let first: [(String, [UInt8])] = [("acTL", [0, 0, 0, frameCount, 0, 0, 0, 0]), ("fcTL", control)]
        var late: [(String, [UInt8])] = []
        for frame in 1..<frameCount {
            control[3] = 2 * frame - 1
            let number: [UInt8] = [0, 0, 0, 2 * frame]
            late.append(("fcTL", control))
            late.append(("fdAT", number + PNGBuilder.stored([0, frame])))
        }
        return PNGBuilder.onePixel(chunks: first, late: late)
    }

    @Test(
        arguments: [
            (60, 960, "and the animation takes 160 ms longer, as shorter frames are not kept by players"),
            (120, 400, "their sum stays"),
        ]
            as [(UInt8, Int, String)])
    func whatBecomesOfTheSumOfDurationsIsSaid(_ rate: UInt8, _ sum: Int, _ words: String) throws {
        let tool = try Tool()
        let path = try write(movie(48, partsOfASecond: rate), tool)
        let run = try tool.run("convert", path, "-o", tool.path("out.gif"))
        #expect(run.errorLines == ["\(path): warning: 48 of 48 durations are rounded, \(words)"])
        let info = try #require(try tool.run("info", "--json", "--frames", tool.path("out.gif")).objects().first)
        #expect(info["durationMS"] as? Int == sum)
        let webP = try tool.run("convert", path, "-o", tool.path("out.webp"))
        #expect(webP.errorLines == ["\(path): warning: 48 of 48 durations are rounded, their sum stays"])
    }
}
