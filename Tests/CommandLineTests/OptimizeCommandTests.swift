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

    @Test(arguments: [
        "gif/five-frames-120ms.gif", "gif/comment.gif", "gif/delays-0-and-1.gif", "apng/sixteen-frames.png",
        "apng/dispose-mixed.png", "apng/palette-8.png", "apng/default-outside.png",
    ])
    func animationsShowTheSamePicturesForTheSameTimes(_ name: String) throws {
        let tool = try Tool()
        let path = Fixture.folder("png").deletingLastPathComponent().appendingPathComponent(name)
        let small = tool.path(path.lastPathComponent)
        let run = try tool.run("optimize", path.path, "-o", small)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try tool.contents(path.lastPathComponent).count <= Data(contentsOf: path).count)
        #expect(try timeline(small, tool) == timeline(path.path, tool))
        // What is small already stays as it is.
        let again = try tool.run("optimize", small, "-o", tool.path("again-\(path.lastPathComponent)"))
        #expect(again.text.contains("no smaller"))
    }

    @Test(arguments: ["default-outside.png", "default-in-animation.png"])
    func animatedPNGFilesKeepTheirDefaultPicture(_ name: String) throws {
        let tool = try Tool()
        let path = Fixture.folder("apng").appendingPathComponent(name).path
        #expect(try tool.run("optimize", path, "-o", tool.path("small.png")).text.contains("less"))
        func still(_ path: String, _ name: String) throws -> String {
            #expect(try tool.run("convert", path, "-o", tool.path(name), "--first-frame", "--force").status == 0)
            let frames = try tool.run("checksum", tool.path(name)).objects().first?["frames"] as? [[String: Any]]
            return try #require(frames?.first?["rgbaCRC32"] as? String)
        }
        #expect(try still(path, "before.png") == still(tool.path("small.png"), "after.png"))
    }

    @Test func animatedPNGFilesOfSixteenBitsStayAsTheyAre() throws {
        let tool = try Tool()
        let path = Fixture.folder("apng").appendingPathComponent("rgb-16.png")
        #expect(try tool.run("optimize", path.path, "-o", tool.path("small.png")).text.contains("no smaller"))
        #expect(try tool.contents("small.png") == Data(contentsOf: path))
    }

    @Test func equalFramesOfAGIFBecomeOne() throws {
        let tool = try Tool()
        // Two pixels, black and white, three times for 200 ms, each frame with a table of its own.
        let screen: [UInt8] = Array("GIF89a".utf8) + [2, 0, 1, 0, 0x70, 0, 0]
        let frame: [UInt8] = [
            0x21, 0xF9, 4, 0, 20, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0x80, 0, 0, 0, 255, 255, 255, 2, 2, 0x44, 0x0A,
            0,
        ]
        let file = Data(screen + frame + frame + frame + [0x3B])
        try file.write(to: URL(fileURLWithPath: tool.path("x.gif")))
        #expect(try tool.run("optimize", tool.path("x.gif"), "-o", tool.path("y.gif")).status == 0)
        // One frame is a still, which has no duration.
        let frames = try tool.run("checksum", tool.path("y.gif")).objects().first?["frames"] as? [[String: Any]]
        #expect(frames?.count == 1)
        let pictures = try timeline(tool.path("x.gif"), tool).map(\.checksum)
        #expect(try timeline(tool.path("y.gif"), tool).map(\.checksum) == pictures)
        #expect(try tool.contents("y.gif").count < file.count - frame.count)
    }

    /// The different pictures of a file, and how many milliseconds each is shown: 100 for frames of at most 10.
    private func timeline(_ path: String, _ tool: borrowing Tool) throws -> [Shown] {
        let frames = try #require(try tool.run("checksum", path).objects().first?["frames"] as? [[String: Any]])
        var shown: [Shown] = []
        for frame in frames {
            let (checksum, duration) = (frame["rgbaCRC32"] as? String ?? "", frame["durationMS"] as? Int ?? 0)
            let time = duration <= 10 ? 100 : duration
            if shown.last?.checksum == checksum {
                shown[shown.count - 1].time += time
            } else {
                shown.append(Shown(checksum: checksum, time: time))
            }
        }
        return shown
    }

    private struct Shown: Equatable {
        let checksum: String
        var time: Int
    }

    @Test func jpegFilesGetSmallerAndKeepTheirPixels() throws {
        let tool = try Tool()
        let path = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg").path
        let run = try tool.run("optimize", path, "-o", tool.path("small.jpg"))
        #expect(run.status == 0 && run.text.contains("% less)"))
        #expect(try checksum(tool.path("small.jpg"), tool) == checksum(path, tool))
        let again = try tool.run("optimize", "--force", tool.path("small.jpg"))
        #expect(again.text.contains("no smaller"))
        let sequential = ["--no-progressive", "--restart-interval", "7", "--metadata", "none"]
        #expect(try tool.run(["optimize", path, "-o", tool.path("plain.jpg")] + sequential).status == 0)
        #expect(try checksum(tool.path("plain.jpg"), tool) == checksum(path, tool))
        let damaged = Fixture.folder("jpeg").appendingPathComponent("truncated.jpg").path
        #expect(try tool.run("optimize", damaged, "-o", tool.path("copied.jpg")).status == 1)
        let copied = try tool.run("optimize", "--tolerant", damaged, "-o", tool.path("copied.jpg"))
        #expect(copied.status == 0 && copied.errors.contains("damaged"))
        #expect(try tool.run("optimize", tool.path("copied.jpg"), "-o", tool.path("whole.jpg")).status == 0)
    }

    @Test func otherFormatsAreRefused() throws {
        let tool = try Tool()
        let path = folder.appendingPathComponent("landscape.png").path
        #expect(try tool.run("optimize", path, "-o", tool.path("x.bmp")).status == 2)
        #expect(try tool.run("optimize", path, "-o", tool.path("x.jpg")).status == 1)
        let jpeg = tool.path("x.jpg")
        #expect(try tool.run("convert", path, "-o", jpeg).status == 0)
        let run = try tool.run("optimize", jpeg, "-o", tool.path("x.png"))
        #expect(run.status == 1)
        #expect(try tool.run("convert", path, "-o", tool.path("y.jpg"), "--interlace").status == 2)
    }
}
