import CodecTestSupport
import Foundation
import Testing

@Suite struct ExitStatusTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    @Test func helpAndVersionAreFine() throws {
        let tool = try Tool()
        #expect(try tool.run("--help").status == 0)
        #expect(try tool.run("--version").status == 0)
        for command in ["info", "convert", "thumbnail", "frames", "stream", "checksum", "inspect", "bench", "batch"] {
            let run = try tool.run(command, "--help")
            #expect(run.status == 0)
            #expect(run.text.contains("EXAMPLES"))
            // Limits come after what is used every day.
            let options = try #require(run.text.range(of: "USAGE:")).upperBound
            let limits = try #require(run.text.range(of: "LIMITS", range: options..<run.text.endIndex))
            for common in ["--json", "--size", "--output"] {
                guard let range = run.text.range(of: "  \(common)", range: options..<run.text.endIndex) else {
                    continue
                }
                #expect(range.lowerBound < limits.lowerBound)
            }
        }
    }

    @Test(arguments: [
        ["nonsense"], ["info"], ["checksum", "--chunk", "0", "x.png"], ["info", "--limits", "some", "x.png"],
        ["convert", "x.png"], ["convert", "x.png", "-o", "y.nonsense"], ["convert", "a/x.png", "b/x.png", "-o", "-"],
        ["thumbnail", "x.png", "--size", "0x5", "-o", "y.ppm"], ["metadata", "x.png", "--strip"],
        ["optimize", "x.png"], ["convert", "x.png", "-o", "-", "--json", "--force"],
        ["bench", "--json", "--tsv", "x.png"], ["info", "-", "-"], ["info", "--jobs", "0", "x.png"],
        ["info", "--jobs", "1025", "x.png"], ["batch", "--jobs", "9223372036854775807"],
    ])
    func wrongUsageIsStatusTwo(_ arguments: [String]) throws {
        let tool = try Tool()
        let run = try tool.run(arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("Usage: imagetool"))
    }

    @Test func oneFailureOfManyIsStatusOneAndTheOthersGoOn() throws {
        let run = try Tool().run("info", landscape, "/nonexistent/x.png", landscape)
        #expect(run.status == 1)
        #expect(run.lines.filter { $0 == landscape }.count == 2)
        #expect(run.errorLines == ["/nonexistent/x.png: No such file or directory", "1 of 3 failed"])
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [
            ["info"], ["checksum"], ["inspect"], ["bench", "-t", "0"], ["bench", "--tsv", "-t", "0"],
            ["frames", "-o", "F"],
            ["stream", "-o", "F"], ["batch"],
        ])
    func outputThatCannotBeWrittenIsAFailure(_ command: [String]) throws {
        let tool = try Tool()
        let folder = tool.path("frames")
        var arguments = command.map { $0 == "F" ? folder : $0 }
        let jobs = tool.folder.appendingPathComponent("jobs")
        try Data(String(repeating: "{\"operation\":\"info\",\"path\":\"\(landscape)\"}\n", count: 9).utf8).write(
            to: jobs)
        if command != ["batch"] { arguments.append(landscape) }
        let run = try tool.runWithFullOutput(arguments, input: jobs)
        #expect(run.status == 1)
        #expect(run.errorLines == ["standard output: No space left on device"])
    }

    @Test func aFileOfNoKnownFormatIsNamed() throws {
        let run = try Tool().run("info", #filePath)
        #expect(run.status == 1)
        let message = "not an image of a known format; PNG, APNG, JPEG, GIF, WebP and PNM can be decoded"
        #expect(run.errorLines == ["\(#filePath): \(message)"])
    }

    @Test func aHitLimitIsAFailure() throws {
        let run = try Tool().run("info", "--json", "--max-pixels", "1000", landscape)
        #expect(run.status == 1)
        let error = try #require(try run.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "limitExceeded")
    }
}
