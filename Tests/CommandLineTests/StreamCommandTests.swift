import CodecTestSupport
import Foundation
import Testing

@Suite struct StreamCommandTests {
    private let file = Fixture.folder("png").appendingPathComponent("landscape-adam7.png").path

    private func stream(_ tool: borrowing Tool, _ more: String...) throws -> [[String: Any]] {
        let arguments = ["stream", file, "--json", "--format", "raw", "--out", tool.path("s")] + more
        let run = try tool.run(arguments)
        #expect(run.status == 0)
        return try run.objects()
    }

    @Test func everyChangeIsWrittenAndTheLastPictureIsWhole() throws {
        let tool = try Tool()
        let pictures = try stream(tool, "--chunk", "500")
        #expect(pictures.count > 7)
        #expect(pictures.dropLast().allSatisfy { $0["isPartial"] as? Bool == true })
        let last = try #require(pictures.last)
        #expect(last["isPartial"] as? Bool == false)
        let expected = try #require(Fixture.sound("png").first { $0.name == "landscape-adam7.png" })
        let output = try #require(last["output"] as? String)
        #expect(PixelDigest.crc32(Array(try Data(contentsOf: URL(fileURLWithPath: output)))) == expected.crc)
    }

    @Test func theNumberOfPicturesCanBeBounded() throws {
        let tool = try Tool()
        let pictures = try stream(tool, "--chunk", "100", "--max-pictures", "3")
        #expect(pictures.count == 3)
        #expect(pictures.last?["isPartial"] as? Bool == false)
    }

    @Test func aTruncatedFileFailsAfterItsPictures() throws {
        let tool = try Tool()
        let truncated = Fixture.folder("png").appendingPathComponent("truncated.png").path
        let run = try tool.run("stream", truncated, "--format", "raw", "--out", tool.path("s"))
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.lines.count >= 1)
    }
}
