import CodecTestSupport
import Foundation
import Testing

@Suite struct OptimizeCommandTests {
    private let folder = Fixture.folder("png")

    private func checksum(_ path: String, _ tool: borrowing Tool) throws -> String {
        let frames = try #require(try tool.run("checksum", path).objects().first?["frames"] as? [[String: Any]])
        return try #require(frames.first?["rgbaCRC32"] as? String)
    }

    @Test func aLineSaysWhatWasSavedAndPixelsStay() throws {
        let tool = try Tool()
        let path = folder.appendingPathComponent("landscape.png").path
        let stored = tool.path("stored.png")
        #expect(try tool.run("convert", path, "-o", stored, "--interlace").status == 0)
        let run = try tool.run("optimize", stored, "-o", tool.path("small.png"))
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("\(stored): ") && run.text.contains("% less)"))
        #expect(try checksum(tool.path("small.png"), tool) == checksum(path, tool))
        let again = try tool.run("optimize", tool.path("small.png"), "-o", tool.path("again.png"))
        #expect(again.text.contains("no smaller"))
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: tool.path("again.png")))
                == Data(contentsOf: URL(fileURLWithPath: tool.path("small.png"))))
    }

    @Test func manyFilesGoToAFolder() throws {
        let tool = try Tool()
        let names = ["landscape.png", "mask-gray1.png", "chart-palette.png"]
        let run = try tool.run(
            ["optimize"] + names.map { folder.appendingPathComponent($0).path } + [
                "-o", tool.path("out/"), "--metadata", "none",
            ])
        #expect(run.status == 0)
        for name in names {
            #expect(
                try checksum(tool.path("out/\(name)"), tool)
                    == checksum(folder.appendingPathComponent(name).path, tool))
        }
    }

    @Test func inputsAreReplacedOnlyByForce() throws {
        let tool = try Tool()
        let path = tool.path("own.png")
        try FileManager.default.copyItem(
            atPath: folder.appendingPathComponent("landscape-adam7.png").path, toPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let refused = try tool.run("optimize", path, "-o", path)
        #expect(refused.status != 0 && refused.errorLines.first?.contains("--force") == true)
        #expect(try tool.run("optimize", path, "-o", path, "--force").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < before)
    }

    @Test func damagedFilesAreRefusedWhateverTheyAre() throws {
        let tool = try Tool()
        let names = [
            ("webp", "lossy.webp"), ("webp", "lossless.webp"), ("webp", "mixed-lossy.webp"), ("png", "landscape.png"),
        ]
        for (folder, name) in names {
            var file = try Data(contentsOf: Fixture.folder(folder).appendingPathComponent(name))
            let place = file.count * 3 / 5
            file.replaceSubrange(place..<place + 24, with: Data(repeating: 0xFF, count: 24))
            try file.write(to: URL(fileURLWithPath: tool.path(name)))
            let run = try tool.run("optimize", tool.path(name), "-o", tool.path("out-" + name))
            #expect(run.status == 1 && run.lines.isEmpty && run.errors.contains("damaged"), "\(name)")
            #expect(!FileManager.default.fileExists(atPath: tool.path("out-" + name)))
        }
    }

    @Test func otherFormatsAreRefused() throws {
        let tool = try Tool()
        let path = folder.appendingPathComponent("landscape.png").path
        #expect(try tool.run("optimize", path, "-o", tool.path("x.jpg")).status == 2)
        let jpeg = tool.path("x.jpg")
        #expect(try tool.run("convert", path, "-o", jpeg).status == 0)
        let run = try tool.run("optimize", jpeg, "-o", tool.path("x.png"))
        #expect(run.status == 1)
        #expect(try tool.run("convert", path, "-o", tool.path("y.jpg"), "--interlace").status == 2)
    }
}
