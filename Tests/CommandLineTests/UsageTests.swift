import CodecTestSupport
import Foundation
import Testing

@Suite struct UsageTests {
    private let movie = Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif").path

    @Test func usageErrorsShowTheUsageOfTheirCommand() throws {
        let tool = try Tool()
        // Found while the command line is parsed, and when the command runs.
        let parsing = try tool.run("frames", movie, "-o", tool.path("out"), "--sheet", tool.path("a.png"))
        #expect(parsing.status == 2)
        #expect(parsing.errors.contains("Usage: imagetool frames "))
        let running = try tool.run("info", "--files0-from", "/nowhere/list")
        #expect(running.status == 2)
        #expect(running.errors.hasPrefix("Error: --files0-from /nowhere/list: No such file or directory\n"))
        #expect(running.errors.contains("Usage: imagetool info "))
        #expect(running.errors.contains("See 'imagetool info --help' for more information."))
    }

    @Test func theExamplesOfBatchAreJSON() throws {
        let tool = try Tool()
        let help = try tool.run("batch", "--help").lines.map { $0.drop { $0 == " " } }
        let examples = help.filter { $0.hasPrefix("{") }
        #expect(examples.count == 4)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try JSONSerialization.jsonObject(with: Data(example.utf8)) }
        }
    }

    @Test func aLineThatIsNoJobIsAnsweredWithItsNumber() throws {
        let tool = try Tool()
        let input = URL(fileURLWithPath: tool.path("jobs"))
        let jobs = "\n{\"id\":1,\"operation\":\"nothing\"}\n{\"id\":2,\n"
        try Data(jobs.utf8).write(to: input)
        let answers = try tool.run(["batch"], input: input).objects()
        #expect(answers.count == 2)
        #expect(answers.first?["line"] == nil && answers.first?["id"] as? Int == 1)
        #expect(answers.last?["line"] as? Int == 3)
    }

    @Test func yesAndNoAreBooleansInJSON() throws {
        let tool = try Tool()
        let run = try tool.run("inspect", "--json", movie)
        let blocks = try #require(run.objects().first?["blocks"] as? [[String: Any]])
        let flags = run.text.components(separatedBy: "\"isInterlaced\":").dropFirst()
        #expect(blocks.contains { $0["isInterlaced"] != nil })
        #expect(flags.allSatisfy { $0.hasPrefix("false") || $0.hasPrefix("true") })
        #expect(run.text.contains("\"isCut\":false"))
    }

    @Test func aFileThatEndsWithinAPartIsCut() throws {
        let tool = try Tool()
        let bytes = try Data(contentsOf: Fixture.folder("png").appendingPathComponent("landscape.png"))
        try bytes.prefix(5000).write(to: URL(fileURLWithPath: tool.path("short.png")))
        let run = try tool.run("inspect", "--json", tool.path("short.png"))
        #expect(run.status == 1)
        #expect(run.text.contains("\"isCut\":true,\"isListedWhole\":true"))
    }
}
