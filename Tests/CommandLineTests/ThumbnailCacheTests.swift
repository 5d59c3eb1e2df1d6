import CodecTestSupport
import Foundation
import Testing

/// Thumbnails of a folder that is visited again.
@Suite struct ThumbnailCacheTests {
    private func copy(_ name: String, to path: String) throws {
        try FileManager.default.copyItem(
            at: Fixture.folder("png").appendingPathComponent(name), to: URL(fileURLWithPath: path))
    }

    private func entryCount(_ tool: borrowing Tool) -> Int {
        let files = FileManager.default.enumerator(atPath: tool.path("cache"))
        return (files?.compactMap { $0 as? String } ?? []).count { $0.utf8.count == 2 + 1 + 62 }
    }

    @Test func aFileThatDidNotChangeIsTakenFromTheCacheAndOneThatChangedIsNot() throws {
        let tool = try Tool()
        let input = tool.path("a.png")
        try copy("landscape.png", to: input)
        let arguments = ["thumbnail", input, "--size", "20", "--cache", tool.path("cache"), "-o", tool.path("out.png")]
        #expect(try tool.run(arguments).status == 0)
        let first = try tool.contents("out.png")
        #expect(entryCount(tool) == 1)
        #expect(try tool.run(arguments).status == 0)
        #expect(try tool.contents("out.png") == first && entryCount(tool) == 1)
        // Another size is another result, and another file too.
        var larger = arguments
        larger[3] = "30"
        #expect(try tool.run(larger).status == 0)
        #expect(try tool.contents("out.png") != first && entryCount(tool) == 2)
        try FileManager.default.removeItem(atPath: input)
        try copy("chart-palette.png", to: input)
        #expect(try tool.run(arguments).status == 0)
        #expect(try tool.contents("out.png") != first && entryCount(tool) == 3)
    }

    @Test func whatTheCacheHasIsWhatIsWritten() throws {
        let tool = try Tool()
        let input = tool.path("a.png")
        try copy("landscape.png", to: input)
        let arguments = [
            "thumbnail", input, "--size", "20", "--cache", tool.path("cache"), "-o",
            tool.path("{stem}-{width}x{height}.png"),
        ]
        #expect(try tool.run(arguments).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).filter { $0.hasPrefix("a-") }
        let name = try #require(names.first)
        let first = try tool.contents(name)
        try FileManager.default.removeItem(atPath: tool.path(name))
        #expect(try tool.run(arguments).status == 0)
        #expect(try tool.contents(name) == first)
    }

    @Test func aFolderThatCannotBeUsedIsAnError() throws {
        let tool = try Tool()
        let input = tool.path("a.png")
        try copy("landscape.png", to: input)
        let run = try tool.run("thumbnail", input, "--cache", "/dev/null/x", "-o", tool.path("out.png"))
        #expect(run.status != 0 && run.errors.contains("/dev/null"))
    }
}
