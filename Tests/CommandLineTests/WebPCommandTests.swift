import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// What the commands make of WebP files.
@Suite struct WebPCommandTests {
    private func path(_ name: String) -> String { Fixture.folder("webp").appendingPathComponent(name).path }

    @Test func infoTellsOfChunksAndCoding() throws {
        let text = try Tool().run("info", path("palette-5.webp")).text
        #expect(text.contains("\n  chunks        VP8L\n"))
        #expect(text.contains("\n  coding        lossless: 5 colors (2 pixels a byte), "))
        let movie = try Tool().run("info", path("five-frames-100ms.webp")).text
        #expect(movie.contains("\n  chunks        VP8X, ANIM, 5 ANMF, 5 VP8L\n"))
        #expect(movie.contains("\n  frames        5, played for ever\n"))
        let lossy = try #require(try Tool().run("info", "--json", path("lossy.webp")).objects().first)
        #expect(lossy["isLossless"] as? Bool == false)
        #expect((lossy["coding"] as? [String: Any])?["partitionCount"] as? Int == 1)
    }

    @Test func inspectListsChunks() throws {
        let run = try Tool().run("inspect", path("tiny-animation.webp"))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.text.contains("\n  44          40          ANMF        4x2+0+0 pixels, 100 ms, in place\n"))
        #expect(run.text.contains("\n  140         5           XMP\n") || run.text.hasSuffix("XMP\n"))
    }

    @Test(arguments: [
        ("picture-in-animation.webp", "VP8L outside of a frame"), ("canvas-differs.webp", "on a canvas of 37x26"),
        ("frame-without-header.webp", "ANMF without ANIM in front"), ("no-picture.webp", "there is no picture"),
        ("unknown-chunk-first.webp", "abcd comes first, instead of VP8, VP8L or VP8X"),
        ("alpha-with-lossless.webp", "VP8L with ALPH"), ("trailing-bytes.webp", "10 bytes after the file's end"),
        ("frame-outside.webp", "is not inside the canvas of 36x26"),
        ("extended-long.webp", "VP8X: 12 bytes instead of 10"),
        ("metadata-unannounced.webp", "EXIF of which VP8X does not tell"), ("two-pictures.webp", "a second picture"),
    ])
    func inspectTellsWhatIsWrong(_ name: String, _ finding: String) throws {
        let run = try Tool().run("inspect", path(name))
        #expect(run.status == 1)
        #expect(run.errors.contains(finding))
    }

    @Test func soundFilesHaveNoFindings() throws {
        for name in ["lossless.webp", "lossy-alpha.webp", "blend-clear.webp", "metadata-behind.webp"] {
            #expect(try Tool().run("inspect", path(name)).errors == "")
        }
    }

    @Test func thumbnailsAndConversionsAreMade() throws {
        let tool = try Tool()
        for name in ["lossless-alpha.webp", "lossy.webp"] {
            #expect(try tool.run("thumbnail", path(name), "--size", "18x13", "-o", tool.path("t.png")).status == 0)
            #expect(try ImageInfo(contentsOfFile: tool.path("t.png")).size == PixelSize(width: 18, height: 13))
            #expect(try tool.run("convert", path(name), "-o", tool.path("c.png")).status == 0)
            #expect(
                try RasterImage(contentsOfFile: tool.path("c.png")).bitmap
                    == RasterImage(contentsOfFile: path(name)).bitmap)
        }
    }

    // MARK: - Writing

    /// What is the same in every format: all of a checksum but the file.
    private func summary(_ path: String, _ tool: borrowing Tool) throws -> String {
        let object = try #require(try tool.run("checksum", path).objects().first)
        let frames = try #require(object["frames"] as? [[String: Any]])
        let texts = frames.map { "\($0["durationMS"] ?? "") \($0["rgbaCRC32"] ?? "")" }
        return "\(object["loopCount"] ?? "") \(texts)"
    }

    private func fixture(_ name: String, in folder: String) -> String {
        Fixture.folder(folder).appendingPathComponent(name).path
    }

    @Test func stillsComeBack() throws {
        let tool = try Tool()
        let png = fixture("landscape.png", in: "png")
        for effort in ["fast", "default", "best"] {
            let run = try tool.run("convert", png, "-o", tool.path("x.webp"), "--effort", effort)
            #expect(run.status == 0)
            let lost = "texts and the density are left out: webp files have no place for them"
            #expect(run.errorLines == ["\(png): warning: \(lost)"])
            #expect(try summary(tool.path("x.webp"), tool) == summary(png, tool))
            #expect(try tool.run("inspect", tool.path("x.webp")).errors.isEmpty)
        }
        let translucent = path("lossless-alpha-exact.webp")
        #expect(try tool.run("convert", translucent, "-o", tool.path("y.webp"), "--exact").status == 0)
        #expect(try summary(tool.path("y.webp"), tool) == summary(translucent, tool))
    }

    @Test func animationsComeAndGo() throws {
        let tool = try Tool()
        let chain = fixture("restore-chain.gif", in: "gif")
        #expect(try tool.run("convert", chain, "-o", tool.path("x.webp")).errors.isEmpty)
        #expect(try summary(tool.path("x.webp"), tool) == summary(chain, tool))
        #expect(try tool.run("inspect", tool.path("x.webp")).errors.isEmpty)
        #expect(try tool.run("convert", tool.path("x.webp"), "-o", tool.path("y.gif")).status == 0)
        #expect(try summary(tool.path("y.gif"), tool) == summary(chain, tool))
        #expect(try tool.run("convert", tool.path("x.webp"), "-o", tool.path("y.png")).status == 0)
        #expect(try summary(tool.path("y.png"), tool) == summary(chain, tool))
    }

    @Test func picturesBecomeFrames() throws {
        let tool = try Tool()
        let chain = fixture("restore-chain.gif", in: "gif")
        #expect(try tool.run("frames", chain, "-o", tool.path("all")).status == 0)
        let names = (0..<11).map { tool.path("all/restore-chain.\($0 < 10 ? "0" : "")\($0).png") }
        let run = try tool.run(["animate"] + names + ["-o", tool.path("again.webp"), "--delay", "70"])
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try summary(tool.path("again.webp"), tool) == summary(chain, tool))
        let rounded = try tool.run(
            ["animate"] + names.prefix(2) + [names[1], "-o", tool.path("short.webp"), "--delay", "33.3"])
        #expect(
            rounded.errorLines == [
                "\(tool.path("short.webp")): warning: 2 of 3 durations are rounded, their sum stays",
                "\(tool.path("short.webp")): warning: 1 of 3 frames equals the one before, which is shown longer",
            ])
    }

    @Test func whatIsLostIsNamed() throws {
        let tool = try Tool()
        let deep = fixture("heights-gray16.png", in: "png")
        let run = try tool.run("convert", deep, "-o", tool.path("x.webp"))
        #expect(run.status == 0)
        #expect(run.errorLines == ["\(deep): warning: samples of 16 bits are rounded to 8"])
    }

    /// How the picture of a file is coded.
    private func isLossless(_ tool: borrowing Tool, _ name: String) throws -> Bool? {
        try tool.run("info", "--json", tool.path(name)).objects().first?["isLossless"] as? Bool
    }

    @Test func inputAndOptionsDecideOnLoss() throws {
        let tool = try Tool()
        let (png, jpeg) = (fixture("landscape.png", in: "png"), fixture("landscape-420.jpg", in: "jpeg"))
        let cases: [(input: String, options: [String], isLossless: Bool)] = [
            (png, [], true), (jpeg, [], false), (path("lossy.webp"), [], false), (path("lossless.webp"), [], true),
            (png, ["--quality", "80"], false), (png, ["--lossy"], false), (jpeg, ["--lossless"], true),
            (png, ["--quality", "80", "--near-lossless"], true), (jpeg, ["--near-lossless"], true),
        ]
        for (input, options, expected) in cases {
            let run = try tool.run(["convert", "--force", input, "-o", tool.path("x.webp")] + options)
            #expect(run.status == 0, "\(input) \(options)")
            #expect(try isLossless(tool, "x.webp") == expected, "\(input) \(options)")
        }
        for options in [
            ["--lossless", "--near-lossless"], ["--lossless", "--quality", "80"], ["--lossless", "--lossy"],
            ["--lossy", "--near-lossless"],
        ] {
            #expect(try tool.run(["convert", "--force", png, "-o", tool.path("x.webp")] + options).status == 2)
        }
        for option in ["--near-lossless", "--exact", "--lossy"] {
            let other = try tool.run("convert", png, "-o", tool.path("x.png"), option)
            #expect(other.status == 2 && other.errors.contains("\(option) is for webp files alone"))
        }
    }

    @Test func jobsSayWhatTheyWant() throws {
        let tool = try Tool()
        let png = fixture("landscape.png", in: "png")
        let jobs = [
            #"{"operation":"convert","path":"\#(png)","output":"\#(tool.path("a.webp"))","nearLossless":true,"quality":60}"#,
            #"{"operation":"convert","path":"\#(png)","output":"\#(tool.path("b.webp"))","exact":true}"#,
            #"{"operation":"convert","path":"\#(png)","output":"\#(tool.path("c.webp"))","quality":60}"#,
            #"{"operation":"convert","path":"\#(png)","output":"\#(tool.path("d.webp"))","lossy":true}"#,
            #"{"operation":"convert","path":"\#(png)","output":"\#(tool.path("e.webp"))","lossless":true,"quality":60}"#,
        ]
        let input = tool.folder.appendingPathComponent("jobs.jsonl")
        try Data(jobs.joined(separator: "\n").utf8).write(to: input)
        let answers = try tool.run(["batch"], input: input).objects()
        #expect(answers.count == 5 && answers[..<4].allSatisfy { $0["error"] == nil })
        for (name, expected) in [("a", true), ("b", true), ("c", false), ("d", false)] {
            #expect(try isLossless(tool, "\(name).webp") == expected)
        }
        let message = (answers[4]["error"] as? [String: Any])?["message"] as? String ?? ""
        #expect(message.contains("webp loses nothing") && message.contains("\"lossless\""))
    }

    @Test func optimizeKeepsPixelsAndSaysThatLossyOnesStay() throws {
        let tool = try Tool()
        let files: [(String, isLossy: Bool?)] = [
            ("lossless-fast.webp", false), ("metadata-in-front.webp", nil), ("mixed-lossy.webp", true),
        ]
        for (name, isLossy) in files {
            let run = try tool.run("optimize", path(name), "-o", tool.path("x.webp"), "--effort", "default")
            #expect(run.status == 0)
            if let isLossy { #expect(run.text.contains("lossy pictures stay as they are") == isLossy) }
            #expect(try summary(tool.path("x.webp"), tool) == summary(path(name), tool))
        }
        let many = try tool.run(
            "optimize", path("lossless.webp"), fixture("landscape.png", in: "png"), "-o", tool.path("out/"))
        #expect(many.status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: tool.path("out")).sorted()
                == ["landscape.png", "lossless.webp"])
        let wrong = try tool.run("optimize", path("lossless.webp"), "-o", tool.path("x.png"))
        #expect(wrong.status == 1 && wrong.errors.contains("a WebP file stays one"))
    }
}
