import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// Every command takes --json and --verbose, and prints objects for what fails.
@Suite struct ReportOptionTests {
    private let path = Fixture.folder("png").appendingPathComponent("mask-gray1.png").path

    @Test(arguments: [
        ["info"], ["inspect"], ["checksum"], ["bench", "-t", "0"], ["compare", "FILE"], ["frames", "-o", "OUT"],
        ["stream", "-o", "OUT"],
    ])
    func howLongItTookIsSaidIfSomebodyAsks(_ command: [String]) throws {
        let tool = try Tool()
        let arguments = command.map { $0 == "FILE" ? path : $0 == "OUT" ? tool.path("out") : $0 }
        let run = try tool.run(arguments + ["--verbose", "--json", path])
        #expect(run.status == 0 && run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("\(path): ") && run.errors.hasSuffix(" s\n"))
        #expect(try !run.objects().isEmpty)
        #expect(try tool.run(arguments + [path]).errors.isEmpty)
    }

    @Test func aWorkerSaysHowLongEachJobTook() throws {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("jobs")
        try Data(#"{"operation":"info","path":"\#(path)"}"#.utf8).write(to: input)
        let run = try tool.run(["batch", "--json", "--verbose"], input: input)
        #expect(run.status == 0 && run.errors.hasPrefix("line 1: done, ") && run.errorLines.count == 1)
    }

    @Test func failuresAreObjectsToo() throws {
        let tool = try Tool()
        let missing = tool.path("none.png")
        for command in [
            ["compare", path, missing], ["compare", missing, path], ["checksum", missing], ["info", missing],
            ["sheet", missing, path, "-o", tool.path("sheet.png")],
        ] {
            let run = try tool.run(command + ["--json"])
            let failed = try run.objects().first { $0["error"] != nil }
            #expect(run.status == 1 && failed?["path"] as? String == missing, "\(command)")
        }
        #expect(FileManager.default.fileExists(atPath: tool.path("sheet.png")))
    }

    @Test(arguments: [
        ["frames", "gif/five-frames-120ms.gif", "--sheet"],
        ["inspect", "webp/lossy/several-macroblocks.webp", "--picture"],
    ])
    func picturesOfOneFileAreObjectsToo(_ command: [String]) throws {
        let tool = try Tool()
        let file = Fixture.folder(command[1]).path
        let output = tool.path("a.png")
        let run = try tool.run([command[0], file, command[2], output, "--json", "--verbose"])
        let object = try #require(try run.objects().first)
        #expect(run.status == 0 && object["output"] as? String == output && object["format"] as? String == "png")
        #expect(try object["width"] as? Int == RasterImage(contentsOfFile: output).size.width)
        #expect(
            object["path"] as? String == file && run.errors.hasPrefix("\(file): written to ")
                && run.errorLines.count == 1)
        let missing = try tool.run([command[0], tool.path("none"), command[2], tool.path("b.png"), "--json"])
        let failure = try missing.objects().first
        #expect(missing.status == 1 && failure?["error"] != nil)
    }

    @Test func aStreamComesFromStandardInputIfNothingIsNamed() throws {
        let tool = try Tool()
        let run = try tool.run(["stream", "-o", tool.path("out")], input: URL(fileURLWithPath: path))
        #expect(run.status == 0 && !run.lines.isEmpty)
        #expect(FileManager.default.fileExists(atPath: tool.path("out/stdin.0001.png")))
    }
}
