import CodecTestSupport
import Foundation
import Testing

/// The worker for engines: jobs in, answers out.
@Suite struct BatchCommandTests {
    private let png = Fixture.folder("png").appendingPathComponent("landscape.png")
    private let jpeg = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg")

    private func run(_ lines: [String], _ tool: borrowing Tool, _ arguments: String...) throws -> ToolRun {
        let input = tool.folder.appendingPathComponent("jobs.jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: input)
        return try tool.run(["batch"] + arguments, input: input)
    }

    private func job(_ members: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    private func message(_ answer: [String: Any]?) -> String? {
        (answer?["error"] as? [String: Any])?["message"] as? String
    }

    @Test func everyOperationAnswers() throws {
        let tool = try Tool()
        let run = try run(
            [
                job(["id": "a", "operation": "info", "path": png.path]),
                job(["id": 2, "operation": "checksum", "path": png.path]),
                job([
                    "id": [3, 4], "operation": "thumbnail", "path": png.path, "size": "60",
                    "output": tool.path("o/t.ppm"),
                ]),
                job(["operation": "convert", "path": jpeg.path, "size": "50%"]),
            ], tool)
        #expect(run.status == 0 && run.errors.isEmpty)
        let answers = try run.objects()
        #expect(answers.count == 4)
        #expect(answers[0]["id"] as? String == "a")
        #expect((answers[0]["info"] as? [String: Any])?["width"] as? Int == 240)
        let frames = (answers[1]["checksum"] as? [String: Any])?["frames"] as? [[String: Any]]
        #expect(frames?.first?["rgbaCRC32"] as? String == Fixture.all("png").first { $0.name == "landscape.png" }?.crc)
        #expect(answers[2]["id"] as? [Int] == [3, 4])
        #expect(answers[2]["width"] as? Int == 60 && answers[2]["height"] as? Int == 40)
        #expect(try tool.contents("o/t.ppm").starts(with: Data("P6\n60 40\n255\n".utf8)))
        #expect(answers[3]["id"] is NSNull && answers[3]["format"] as? String == "png")
        let bytes = try #require((answers[3]["base64"] as? String).flatMap { Data(base64Encoded: $0) })
        try bytes.write(to: tool.folder.appendingPathComponent("c.png"))
        #expect(try tool.run("info", "--format", "{width}x{height}", tool.path("c.png")).text == "75x50\n")
    }

    @Test func bytesCanComeWithTheJob() throws {
        let tool = try Tool()
        let base64 = try Data(contentsOf: png).base64EncodedString()
        let run = try run(
            [
                job(["operation": "info", "base64": base64]), job(["operation": "checksum", "base64": base64]),
                job([
                    "operation": "thumbnail", "base64": base64, "size": "9", "fit": "fill", "gravity": "west",
                    "format": "pgm",
                ]),
            ], tool)
        #expect(run.status == 0)
        let answers = try run.objects()
        let info = try #require(answers[0]["info"] as? [String: Any])
        #expect(info["height"] as? Int == 160 && info["path"] == nil)
        #expect((answers[1]["checksum"] as? [String: Any])?["path"] == nil)
        let small = try #require((answers[2]["base64"] as? String).flatMap { Data(base64Encoded: $0) })
        #expect(small.starts(with: Data("P5\n9 9\n255\n".utf8)))
    }

    @Test(arguments: ["1", "4"])
    func answersComeInTheOrderOfTheJobsAndFailuresEndNothing(_ jobs: String) throws {
        let tool = try Tool()
        let lines = try (0..<40).map { number in
            let path = number % 5 == 4 ? "/nonexistent/x.png" : number % 2 == 0 ? png.path : jpeg.path
            return try job(["id": number, "operation": "thumbnail", "path": path, "size": "30"])
        }
        let run = try run(lines + ["", "   "], tool, "--jobs", jobs, "--memory", "1M")
        #expect(run.status == 1)
        let answers = try run.objects()
        #expect(answers.map { $0["id"] as? Int } == (0..<40).map { $0 })
        #expect(answers.filter { $0["error"] != nil }.count == 8)
        #expect(message(answers[4]) == "No such file or directory")
    }

    @Test func wrongJobsAreToldWhatIsWrong() throws {
        let tool = try Tool()
        let wrong: [(line: String, message: String)] = [
            ("{", "the line is not valid JSON"), ("[1]", "the line is no JSON object"),
            ("\"x\"", "the line is no JSON object"),
            (String(repeating: "[", count: 100_000), "the line has more than 1000 values"),
            ("{\"a\":" + String(repeating: "[", count: 100_000), "the line has more than 1000 values"),
            ("{\"a\":" + String(repeating: "[", count: 900), "the line is not valid JSON"),
            (
                "{\"id\":[" + String(repeating: "0,", count: 900) + "0]}",
                "\"id\" has more than 100 values"
            ),
            ("{\"id\":\"" + String(repeating: "x", count: 4097) + "\"}", "\"id\" has more than 4096 bytes"),
            ("{\"a\":[" + String(repeating: "0,", count: 9000) + "0]}", "the line has more than 1000 values"),
            ("{\"i\0d\":1}", "the line is not valid JSON"),
            ("{" + (0...100).map { "\"\($0)\":1" }.joined(separator: ",") + "}", "more than 100 keys"),
            (#"{"id":[1.2.3]}"#, "the line is not valid JSON"),
            (#"{"operation":"info","path":"x","id":1} 2"#, "the line is not valid JSON"),
            (#"{"operation":"info","path":tru}"#, "the line is not valid JSON"),
            (#"{"operation":"info","path":["x"]}"#, "\"path\" cannot be an array"),
            (#"{"operation":"info","path":"/dev/stdin"}"#, "cannot be standard input"),
            (#"{"path":"x"}"#, "\"operation\" is missing"), (#"{"operation":"paint","path":"x"}"#, "must be one of"),
            (#"{"operation":"info"}"#, "give either \"path\" or \"base64\""),
            (#"{"operation":"info","path":"x","base64":"eA=="}"#, "give either \"path\" or \"base64\""),
            (#"{"operation":"info","base64":"%"}"#, "not valid base64"),
            (#"{"operation":"info","path":"-"}"#, "cannot be standard input"),
            (#"{"operation":"info","path":"x","colour":1}"#, "unknown key \"colour\"; known are "),
            (#"{"operation":"thumbnail","path":"x"}"#, "needs a \"size\""),
            (#"{"operation":"thumbnail","path":"x","size":"0"}"#, "\"size\" must be"),
            (#"{"operation":"convert","path":"x","format":"bmp"}"#, "cannot write .bmp files"),
            (#"{"operation":"convert","path":"x","quality":101}"#, "\"quality\" must be a number from"),
            (#"{"operation":"convert","path":"x","output":"-"}"#, "cannot be standard output"),
            (#"{"operation":"info","path":"x","tolerant":"yes"}"#, "must be true or false"),
            (#"{"operation":"info","path":"x","maxPixels":1.5}"#, "must be a whole number"),
        ]
        let run = try run(wrong.map(\.line), tool)
        #expect(run.status == 1)
        let answers = try run.objects()
        #expect(answers.count == wrong.count)
        for (answer, wrong) in zip(answers, wrong) {
            #expect((answer["error"] as? [String: Any])?["code"] as? String == "invalidArgument")
            #expect(message(answer)?.contains(wrong.message) == true, "\(wrong.line.prefix(60))")
        }
    }

    @Test func aValueThatCannotBeReadLeavesTheAnswerItsID() throws {
        let tool = try Tool()
        let run = try run([#"{"id":7,"operation":"info","path":["x"]}"#, #"{"id":8,"quality":1e400}"#], tool)
        let answers = try run.objects()
        #expect(answers.map { $0["id"] as? Int } == [7, 8])
        #expect(answers.allSatisfy { $0["error"] != nil })
    }

    @Test func idsComeBackWithTheirValue() throws {
        let tool = try Tool()
        let ids = [
            "1", "-2.5", "\"a\\u0000\\n\"", "null", "true", "[1,[\"x\"]]", "{\"a\":{},\"b\":1}", "1e+300",
            "12345678901234567890", "1.5",
        ]
        let run = try run(ids.map { #"{"operation":"info","path":"x","id":\#($0)}"# }, tool)
        for (line, id) in zip(run.lines, ids) { #expect(line.hasPrefix("{\"id\":\(id),\"error\":")) }
    }

    @Test func escapesInKeysAndValuesAreRead() throws {
        let path = png.path.replacingOccurrences(of: "/", with: "\\/")
        let line = #" { "oper\u0061tion" : "info" , "path":"\#(path)" , "gps" : false,"id":"é" } "#
        let run = try run([line], try Tool())
        #expect(run.status == 0 && run.text.hasPrefix("{\"id\":\"é\",\"info\":{"))
    }

    @Test(arguments: ["/dev/stdout", "/dev/fd/1"])
    func answersAreNoPlaceForPictures(_ output: String) throws {
        let run = try run([job(["operation": "convert", "path": png.path, "output": output])], try Tool())
        #expect(run.status == 1)
        #expect(try message(run.objects().first)?.hasPrefix("\"output\" is standard output") == true)
    }

    @Test func longLinesArePassedOver() throws {
        let tool = try Tool()
        let job = try job(["id": 7, "operation": "info", "path": png.path])
        let long = "{\"id\":1,\"x\":\"" + String(repeating: "a", count: 300_000) + "\"}"
        let run = try run([long, job, long], tool, "--max-line", "1K")
        #expect(run.status == 1)
        let answers = try run.objects()
        #expect(answers.count == 3 && answers[1]["id"] as? Int == 7 && answers[1]["info"] != nil)
        for answer in [answers[0], answers[2]] {
            #expect(message(answer) == "the line has more than 1024 bytes (--max-line raises the limit)")
        }
    }

    @Test func limitsAndForceAreObeyed() throws {
        let tool = try Tool()
        let copy = tool.folder.appendingPathComponent("a.png")
        try FileManager.default.copyItem(at: png, to: copy)
        let small: [String: Any] = ["operation": "thumbnail", "path": copy.path, "size": "24", "output": copy.path]
        let lines = try [
            job(["operation": "checksum", "path": png.path, "maxPixels": 10]),
            job(["operation": "checksum", "path": png.path, "limits": "untrusted", "maxMemory": "1K"]),
            job(small), job(small.merging(["force": true]) { $1 }),
        ]
        let answers = try run(lines, tool, "--jobs", "1").objects()
        #expect(message(answers[0])?.hasPrefix("pixels limit exceeded") == true)
        #expect(message(answers[1])?.hasPrefix("memory limit exceeded") == true)
        #expect(message(answers[2])?.hasPrefix("would overwrite") == true)
        #expect(answers[3]["width"] as? Int == 24)
        let bound = try run([job(["operation": "checksum", "path": png.path])], tool, "--max-pixels", "10")
        #expect(bound.status == 1)
    }

    @Test func damagedPicturesHaveWarningsWhenTolerated() throws {
        let tool = try Tool()
        let cut = Fixture.folder("png").appendingPathComponent("truncated.png").path
        let answers = try run(
            [
                job(["operation": "convert", "path": cut, "format": "ppm", "tolerant": true]),
                job(["operation": "convert", "path": cut, "format": "ppm"]),
            ], tool
        ).objects()
        #expect((answers[0]["warnings"] as? [String])?.first?.hasPrefix("partial picture") == true)
        #expect((answers[1]["error"] as? [String: Any])?["code"] as? String == "truncated")
        #expect((answers[1]["error"] as? [String: Any])?["offset"] is Int)
    }

    @Test func anEngineGetsItsAnswerBeforeItSendsTheNextJob() throws {
        let tool = try Tool()
        let (process, input, output) = try tool.start(["batch", "--jobs", "2"])
        let line = Data((try job(["id": 1, "operation": "info", "path": png.path]) + "\n").utf8)
        for _ in 0..<3 {
            input.write(line)
            // Waits for ever if the answer is held back.
            let answer = output.availableData
            #expect(answer.starts(with: Data("{\"id\":1,\"info\":".utf8)))
        }
        input.closeFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func wrongUsageIsStatusTwo() throws {
        #expect(try Tool().run("batch", "x.png").status == 2)
        #expect(try Tool().run("batch", "--max-line", "0").status == 2)
        #expect(try Tool().run("batch").status == 0)
    }
}
