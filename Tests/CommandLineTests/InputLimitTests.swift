import CodecTestSupport
import Foundation
import Testing

/// What the commands read, and of what they read no more than the first bytes.
@Suite struct InputLimitTests {
    private static let landscape = Fixture.folder("png").appendingPathComponent("landscape.png")

    /// Every command with the arguments it needs, its input last.
    private static let commands: [[String]] = [
        ["info"], ["checksum"], ["checksum", "--chunk", "1000"], ["inspect"], ["bench", "--seconds", "0"],
        ["convert", "--format", "raw", "-o", "/dev/null"],
        ["thumbnail", "--size", "9x9", "--format", "raw", "-o", "/dev/null"], ["frames", "-o", "/nonexistent/frames"],
        ["stream", "-o", "/nonexistent/stream"],
    ]

    @Test(arguments: commands)
    func whatStartsLikeNoImageIsGivenUpAtOnce(_ command: [String]) throws {
        let tool = try Tool()
        // Endless: reading on would end at the limit, with another message and much later.
        for (path, input) in [("/dev/zero", nil), ("-", URL(fileURLWithPath: "/dev/zero"))] {
            let run = try tool.run(command + [path], input: input)
            #expect(run.status == 1)
            let message = "not an image of a known format; PNG, APNG, JPEG, GIF, WebP and PNM can be decoded"
            #expect(run.errorLines == ["\(path): \(message)"])
        }
    }

    @Test(arguments: commands)
    func theLimitOnInputIsObeyed(_ command: [String]) throws {
        let tool = try Tool()
        let path = Self.landscape.path
        let run = try tool.run(command + ["--max-input", "20K", path])
        #expect(run.status == 1)
        let message = "input limit exceeded: 23574 needed, 20480 allowed (--max-input raises the limit)"
        #expect(run.errorLines == ["\(path): \(message)"])
    }

    @Test func theLimitsOfPresetsCanBeReplaced() throws {
        let tool = try Tool()
        let path = Self.landscape.path
        #expect(try tool.run("info", "--limits", "untrusted", path).status == 0)
        #expect(try tool.run("info", "--limits", "untrusted", "--max-input", "1K", path).status == 1)
        #expect(try tool.run("info", "--max-input", "23574", path).status == 0)
        for text in ["0", "-1", "1T", "99999999999G", "x"] {
            #expect(try tool.run("info", "--max-input", text, path).status == 2)
        }
    }
}
