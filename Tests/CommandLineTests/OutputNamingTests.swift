import CodecTestSupport
import Foundation
import Testing

/// Where results go, and that none takes the place of another.
@Suite struct OutputNamingTests {
    private let png = Fixture.folder("png").appendingPathComponent("landscape.png")
    private let jpeg = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg")

    private func put(_ original: URL, _ tool: borrowing Tool, _ name: String) throws -> String {
        let url = tool.folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: original, to: url)
        return url.path
    }

    private func files(_ tool: borrowing Tool, _ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: tool.path(folder)).filter { $0.contains(".") }.sorted()
    }

    @Test(arguments: ["1", "4"])
    func inputsOfOneStemGetNamesOfTheirOwn(_ jobs: String) throws {
        let tool = try Tool()
        let inputs = try [
            put(png, tool, "a/x.png"), put(jpeg, tool, "a/x.jpg"), put(png, tool, "b/x.png"), put(png, tool, "y.png"),
        ]
        let run = try tool.run(["convert", "--jobs", jobs, "-o", tool.path("out")] + inputs)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try files(tool, "out") == ["x.jpg", "x.png", "x.png.png", "y.png"])
        #expect(try tool.run("info", tool.path("out/x.jpg")).text.contains("150x100 pixels"))
        let other = try tool.run(["convert", "--jobs", jobs, "-o", tool.path("out2")] + inputs + [inputs[1]])
        #expect(other.status == 0)
        #expect(try files(tool, "out2") == ["x.jpg", "x.jpg.jpg", "x.png", "x.png.png", "y.png"])
    }

    @Test(arguments: ["1", "4"])
    func patternsAreFilledInAndSizesGetNumbers(_ jobs: String) throws {
        let tool = try Tool()
        let inputs = try [put(png, tool, "a/x.png"), put(jpeg, tool, "a/x.jpg"), put(png, tool, "b/x.png")]
        let all = ["thumbnail", "--size", "60", "--jobs", jobs] + inputs
        #expect(try tool.run(all + ["-o", tool.path("out/{{{name}}}-{width}x{height}.{ext}")]).status == 0)
        #expect(try files(tool, "out") == ["{x.jpg}-60x40.jpg", "{x.png}-60x40.png", "{x.png}-60x40.png.png"])
        #expect(try tool.run(all + ["-o", tool.path("sizes/{width}.ppm")]).status == 0)
        #expect(try files(tool, "sizes") == ["60.jpg.ppm", "60.png.ppm", "60.ppm"])
        #expect(try tool.run(all + ["-o", tool.path("deep/{stem}") + "/"]).status == 0)
        #expect(try files(tool, "deep") == ["x/x.jpg", "x/x.png", "x/x.png.png"])
    }

    @Test(arguments: ["{foo}.png", "{stem", "stem}.png", "{stem}.nonsense"])
    func patternsThatMakeNoSenseAreWrongUsage(_ pattern: String) throws {
        let run = try Tool().run("convert", "x.png", "-o", pattern)
        #expect(run.status == 2)
        if pattern == "{foo}.png" {
            #expect(run.errors.contains("known are {name}, {stem}, {ext}, {width}, {height}"))
        }
    }

    @Test func foldersAreMirrored() throws {
        let tool = try Tool()
        _ = try put(png, tool, "in/b/x.png")
        _ = try put(jpeg, tool, "in/a/deep/x.JPG")
        _ = try put(png, tool, "in/.hidden/x.png")
        _ = try put(png, tool, "in/.x.png")
        _ = try put(png, tool, "in/readme.txt")
        try FileManager.default.createSymbolicLink(atPath: tool.path("in/loop"), withDestinationPath: "..")
        let run = try tool.run("thumbnail", "-r", tool.path("in"), "--size", "9", "-o", tool.path("out"))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try files(tool, "out") == ["a/deep/x.jpg", "b/x.png"])
        // What is in the folder for the results is no input.
        let inside = tool.path("in/small")
        for _ in 0..<2 {
            #expect(try tool.run("thumbnail", "-r", tool.path("in"), "--size", "9", "-o", inside).status == 0)
        }
        #expect(try files(tool, "in/small") == ["a/deep/x.jpg", "b/x.png"])
        let listed = try tool.run("info", "-r", "--json", tool.path("in/a"), tool.path("in/b")).objects()
        #expect(listed.compactMap { $0["width"] as? Int } == [150, 240])
        let plain = try tool.run("info", tool.path("in"))
        #expect(plain.status == 1 && plain.errorLines == [tool.path("in") + ": is a folder: use --recursive"])
    }

    @Test func namesComeFromLists() throws {
        let tool = try Tool()
        let names = try [put(png, tool, "a b.png"), put(jpeg, tool, "c\nd.jpg")]
        let list = tool.folder.appendingPathComponent("list")
        try Data((names.joined(separator: "\0") + "\0").utf8).write(to: list)
        for (argument, input) in [("-", Optional(list)), (list.path, nil)] {
            let run = try tool.run(["info", "--json", "--files0-from", argument], input: input)
            #expect(run.status == 0)
            #expect(try run.objects().compactMap { $0["path"] as? String } == names)
        }
        #expect(try tool.run("info", "--files0-from", "-", "-", input: list).status == 2)
        #expect(try tool.run("info", "--files0-from", tool.path("none")).status == 2)
        let lines = tool.folder.appendingPathComponent("lines")
        try Data("a.png\nb.png\n".utf8).write(to: lines)
        #expect(try tool.run("info", "--files0-from", lines.path).errors.contains("-print0"))
    }

    @Test func resultsThatAreThereCanBeKept() throws {
        let tool = try Tool()
        let inputs = try [put(png, tool, "x.png"), put(jpeg, tool, "y.jpg")]
        let old = Data([1, 2, 3])
        try FileManager.default.createDirectory(atPath: tool.path("out"), withIntermediateDirectories: true)
        try old.write(to: tool.folder.appendingPathComponent("out/x.png"))
        let all = ["convert", "-o", tool.path("out")] + inputs
        let kept = try tool.run(all + ["--no-clobber"])
        #expect(kept.status == 0 && kept.errorLines == ["1 of 2 skipped"])
        #expect(try tool.contents("out/x.png") == old)
        // Both results are newer than their inputs now, until one input is changed.
        #expect(try tool.run(all + ["--skip-newer"]).errorLines == ["2 of 2 skipped"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 100)], ofItemAtPath: inputs[0])
        #expect(try tool.run(all + ["--skip-newer"]).errorLines == ["1 of 2 skipped"])
        #expect(try tool.contents("out/x.png") != old)
        #expect(try tool.run(all + ["--skip-newer", "--no-clobber"]).status == 2)
        #expect(try tool.run(all + ["--force", "--no-clobber"]).status == 2)
        #expect(try tool.run(["frames", inputs[0], "-o", tool.path("out")]).status == 0)
        #expect(try tool.run(["frames", inputs[0], "-o", tool.path("out"), "--no-clobber"]).output.isEmpty)
    }

    @Test(arguments: ["--no-clobber", "--skip-newer"])
    func namesThatSeveralInputsAskForAreNotSkipped(_ rule: String) throws {
        let tool = try Tool()
        let inputs = try [put(png, tool, "a/x.png"), put(jpeg, tool, "a/x.jpg"), put(png, tool, "y.png")]
        #expect(try tool.run("convert", rule, inputs[0], "-o", tool.path("out") + "/").status == 0)
        for output in [["out/", "--format", "png"], ["out/{stem}.png"]] {
            for order in [[inputs[1], inputs[0], inputs[2]], inputs] {
                let run = try tool.run(["convert", rule, "-o", tool.path(output[0])] + output.dropFirst() + order)
                #expect(run.status == 0)
                let first = try tool.run("info", "--format", "{width}", tool.path("out/x.png")).text
                #expect(first == (order[0] == inputs[1] ? "150\n" : "240\n"))
            }
        }
        let sizes = ["convert", rule, "-o", tool.path("sizes/{width}.png"), inputs[0], inputs[2]]
        #expect(try tool.run(sizes).errors.isEmpty)
        #expect(try tool.run(sizes).errors.isEmpty)
        let frames = ["frames", rule, "-o", tool.path("frames"), inputs[0], inputs[1], inputs[2]]
        #expect(try tool.run(frames).lines.count == 3)
        #expect(try tool.run(frames).errorLines == ["1 of 3 skipped"])
    }

    @Test func namesOfFilesLeadToNoOtherFolder() throws {
        let tool = try Tool()
        let inputs = try [put(png, tool, "in/...png"), put(png, tool, "in/..png")]
        for (index, pattern) in ["{stem}/x.png", "{stem}.{stem}/x.png", "deep/{stem}/{stem}.{ext}"].enumerated() {
            #expect(try tool.run(["convert", "-o", tool.path("out\(index)/" + pattern)] + inputs).status == 0)
        }
        let written = try FileManager.default.subpathsOfDirectory(atPath: tool.folder.path)
            .filter { $0.hasSuffix(".png") && !$0.hasPrefix("in/") }
        #expect(written.count == 6 && written.allSatisfy { $0.hasPrefix("out") })
        #expect(written.contains("out0/_/x.png"))
    }

    @Test func whatAFolderCannotGiveIsToldAbout() throws {
        let tool = try Tool()
        _ = try put(png, tool, "in/a.png")
        try FileManager.default.createSymbolicLink(atPath: tool.path("in/b.png"), withDestinationPath: "nowhere")
        try FileManager.default.createSymbolicLink(atPath: tool.path("in/notes"), withDestinationPath: "nowhere")
        let run = try tool.run("info", "--recursive", tool.path("in"))
        #expect(run.status == 1)
        #expect(run.errorLines == [tool.path("in/b.png") + ": is a link to nothing", "1 of 2 failed"])
    }

    @Test(arguments: ["1", "4"])
    func aBudgetTooSmallForAllMakesThemTakeTurns(_ jobs: String) throws {
        let tool = try Tool()
        let inputs = try (0..<8).map { try put(png, tool, "\($0).png") }
        let run = try tool.run(["convert", "--memory", "1K", "--jobs", jobs, "-o", tool.path("out")] + inputs)
        #expect(run.status == 0)
        #expect(try files(tool, "out").count == 8)
        #expect(try tool.run("convert", "--memory", "0", inputs[0], "-o", tool.path("x.png")).status == 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func bytesAreNotWrittenToATerminal() throws {
        let tool = try Tool()
        let run = try tool.runOnTerminal(["convert", png.path, "-o", "-"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.contains("standard output is a terminal"))
        #expect(try tool.runOnTerminal(["thumbnail", "--size", "2", png.path, "-o", "-", "--force"]).status == 0)
    }
}
