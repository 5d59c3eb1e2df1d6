import CodecTestSupport
import Foundation
import Testing

/// Text in files and names of files that would steer a terminal, or break a line.
@Suite struct HostileTextTests {
    /// ESC, CSI, a line separator, a paragraph separator, writing from right to left, a byte order mark, DEL.
    private static let text = "a\u{1B}[31m\u{9B}31m\u{2028}b\u{2029}\u{202E}c\u{FEFF}\u{7F}"
    private static let harmful = "\u{1B}\u{9B}\u{2028}\u{2029}\u{202E}\u{FEFF}\u{7F}".unicodeScalars

    private static let file = Data(
        PNGBuilder.onePixel(chunks: [("iTXt", Array("key\0\0\0\0\0\(text)".utf8))]))

    private func expectHarmless(_ text: String) {
        #expect(!text.isEmpty)
        for scalar in Self.harmful {
            #expect(!text.unicodeScalars.contains(scalar), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test(arguments: ["info", "inspect"])
    func textInFilesAndTheirNamesAreShownWithoutEffect(_ command: String) throws {
        let tool = try Tool()
        let path = tool.path("\(Self.text).png")
        try Self.file.write(to: URL(fileURLWithPath: path))
        let run = try tool.run(command, path)
        #expect(run.status == 0)
        expectHarmless(run.text)
    }

    @Test func messagesAboutFilesAreShownWithoutEffect() throws {
        let tool = try Tool()
        for command in ["info", "bench", "checksum"] {
            let run = try tool.run(command, tool.path(Self.text))
            #expect(run.status == 1)
            expectHarmless(run.errors)
        }
        let path = tool.path("\(Self.text).png")
        try Self.file.write(to: URL(fileURLWithPath: path))
        expectHarmless(try tool.run("convert", path, "-o", path).errors)
        expectHarmless(try tool.run("convert", path, "-o", "{\(Self.text)}.png").errors)
        expectHarmless(try tool.run("convert", path, "-o", "x.\(Self.text)").errors)
        expectHarmless(try tool.run("frames", path, "-o", tool.path("frames")).text)
    }

    @Test func controlCharactersAreEscapedInJSON() throws {
        let tool = try Tool()
        let path = tool.path("text.png")
        try Self.file.write(to: URL(fileURLWithPath: path))
        let run = try tool.run("info", "--json", path)
        for scalar in "\u{1B}\u{9B}\u{2028}\u{2029}\u{7F}".unicodeScalars {
            #expect(!run.text.unicodeScalars.contains(scalar))
        }
        let metadata = try #require(try run.objects().first?["metadata"] as? [String: Any])
        let texts = try #require(metadata["texts"] as? [[String: Any]])
        #expect(texts.first?["text"] as? String == Self.text)
    }
}
