import CodecTestSupport
import Foundation
import Testing

/// Failures say what to do next, on one line; JSON has the library's own words.
@Suite struct MessageTests {
    private static let png = Fixture.folder("png")
    private static let tiff = Data([0x49, 0x49, 0x2A, 0x00]) + Data(repeating: 0, count: 20)

    private func message(_ contents: Data, _ arguments: [String]) throws -> String {
        let tool = try Tool()
        let path = tool.path("a.png")
        try contents.write(to: URL(fileURLWithPath: path))
        let run = try tool.run(arguments + [path])
        #expect(run.status == 1 && run.errorLines.count == 1)
        #expect(run.errors.hasPrefix(path + ": "))
        return String(run.errors.dropFirst(path.count + 2).dropLast())
    }

    private static let commands = [["info"], ["checksum"], ["inspect"], ["bench", "--seconds", "0"]]

    @Test(arguments: commands)
    func emptyFilesAreCalledEmpty(_ command: [String]) throws {
        #expect(try message(Data(), command) == "the file is empty")
        let run = try Tool().run(command + ["-"])
        #expect(run.errorLines == ["-: the file is empty"])
    }

    @Test func formatsThatAreKnownButNotDecodedAreNamed() throws {
        for command in [["info"], ["checksum"], ["convert", "-o", "/dev/null", "--format", "raw"]] {
            #expect(try message(Self.tiff, command) == "TIFF cannot be decoded; PNG, APNG, JPEG, GIF, WebP and PNM can")
        }
        #expect(try message(Self.tiff, ["inspect"]) == "TIFF cannot be inspected; PNG, APNG, JPEG, GIF and WebP can")
        #expect(
            try message(Data("hello".utf8), ["info"])
                == "not an image of a known format; PNG, APNG, JPEG, GIF, WebP and PNM can be decoded")
    }

    @Test func damageCanBeTolerated() throws {
        let cut = try Data(contentsOf: Self.png.appendingPathComponent("truncated.png"))
        let said = try message(cut, ["checksum"])
        #expect(said == "the PNG data are cut off at byte \(cut.count) (--tolerant keeps what can be read)")
        let wrong = try Data(contentsOf: Self.png.appendingPathComponent("wrong-crc.png"))
        #expect(try message(wrong, ["checksum"]).hasSuffix(" (--tolerant keeps what can be read)"))
        let headless = Data(cut.prefix(20))
        #expect(try message(headless, ["checksum", "--tolerant"]) == "the PNG data are cut off at byte 20")
        #expect(try message(headless, ["info"]) == "the PNG data are cut off at byte 20")
    }

    @Test(arguments: [
        ("--max-pixels", "10"), ("--max-dimension", "10"), ("--max-memory", "1K"), ("--max-input", "1K"),
        ("--max-time", "0.000001"),
    ])
    func limitsNameTheirOption(_ option: String, _ value: String) throws {
        let whole = try Data(contentsOf: Self.png.appendingPathComponent("landscape.png"))
        #expect(try message(whole, ["checksum", option, value]).hasSuffix("(\(option) raises the limit)"))
    }

    @Test func aFileIntoAFolderThatIsNotThereSaysSo() throws {
        let tool = try Tool()
        let (input, output) = (Self.png.appendingPathComponent("landscape.png").path, tool.path("none/x.png"))
        let run = try tool.run("convert", input, "-o", output)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("\(input): \(output): No such file or directory (the folder is not there"))
    }

    @Test func objectsHaveTheLibrarysWords() throws {
        let path = Self.png.appendingPathComponent("truncated.png").path
        let object = try #require(try Tool().run("checksum", path).objects().first?["error"] as? [String: Any])
        #expect(object["code"] as? String == "truncated")
        #expect((object["message"] as? String)?.contains("--tolerant") == false)
    }

    @Test func whatCanBeWrittenIsListed() throws {
        let run = try Tool().run("convert", "x.png", "-o", "y.jpeg2000")
        #expect(run.status == 2)
        let formats = "png, apng, jpeg, gif, webp, pgm, ppm, pam and raw"
        #expect(run.errors.contains("cannot write .jpeg2000 files; \(formats) can be written"))
    }
}
