import CodecTestSupport
import Foundation
import Testing

/// JPEG files made of others with --lossless, against what jpegtran makes of them.
@Suite struct LosslessJPEGTests {
    private let folder = Fixture.folder("jpeg").appendingPathComponent("surgery")
    private var source: String { folder.appendingPathComponent("source.jpg").path }

    private func checksum(_ path: String, _ tool: borrowing Tool) throws -> String {
        let frames = try #require(try tool.run("checksum", path).objects().first?["frames"] as? [[String: Any]])
        return try #require(frames.first?["rgbaCRC32"] as? String)
    }

    @Test(arguments: [
        (["--rotate", "90", "--edges", "keep"], "rotate-90-keep"),
        (["--rotate", "180", "--edges", "trim"], "rotate-180-trim"),
        (["--flip", "vertical", "--edges", "trim"], "flip-vertical-trim"),
        (["--rotate", "90", "--flip", "horizontal"], "transpose-keep"),
        (["--rotate", "90", "--flip", "vertical", "--edges", "keep"], "transverse-keep"),
        (["--crop", "18x9+21+19"], "crop"),
        // The part is of the picture before it is turned: 37 - 3 - 18 = 16.
        (["--crop", "20x18+17+16", "--rotate", "90", "--edges", "keep"], "rotate-90-crop"),
        (["--gray"], "gray"),
    ])
    func pixelsAreThoseOfJpegtransFile(_ options: [String], _ name: String) throws {
        let tool = try Tool()
        let run = try tool.run(["convert", "--lossless", source, "-o", tool.path("out.jpg")] + options)
        #expect(run.status == 0)
        #expect(
            try checksum(tool.path("out.jpg"), tool)
                == checksum(folder.appendingPathComponent("\(name).jpg").path, tool))
    }

    @Test func filesArePastedWhereTheyAreToBe() throws {
        let tool = try Tool()
        let patch = folder.appendingPathComponent("patch.jpg").path
        let named = tool.path("a+b.jpg")
        try FileManager.default.copyItem(atPath: patch, toPath: named)
        for path in [patch, named] {
            let run = try tool.run(
                "convert", "--lossless", source, "-o", tool.path("out.jpg"), "--paste", "\(path)+16+0")
            #expect(run.status == 0)
            #expect(
                try checksum(tool.path("out.jpg"), tool)
                    == checksum(folder.appendingPathComponent("patch-pasted.jpg").path, tool))
        }
        let output = tool.path("other.jpg")
        let elsewhere = try tool.run("convert", "--lossless", source, "-o", output, "--paste", "\(patch)+20+0")
        #expect(elsewhere.status == 1 && elsewhere.errors.contains("begin at 16,0"))
        #expect(try tool.run("convert", "--lossless", source, "-o", output, "--paste", patch).status == 2)
        #expect(try tool.run("convert", source, "-o", output, "--paste", "\(patch)+16+0").status == 2)
        #expect(try tool.run("convert", "--lossless", source, "-o", output, "--paste", "none.jpg+16+0").status == 1)
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func whatIsNotWithoutLossIsRefused() throws {
        let tool = try Tool()
        let output = tool.path("out.jpg")
        let edge = try tool.run("convert", "--lossless", "--rotate", "90", source, "-o", output)
        #expect(edge.status == 1 && edge.errors.contains("no multiple of 16"))
        let scaled = try tool.run("convert", "--lossless", "--max-size", "20", source, "-o", output)
        #expect(scaled.status == 2 && scaled.errors.contains("--lossless"))
        #expect(try tool.run("convert", "--lossless", "--sampling", "4:4:4", source, "-o", output).status == 1)
        #expect(try tool.run("convert", "--gray", source, "-o", output).status == 2)
        #expect(try tool.run("convert", "--lossless", "--crop", "40x5+10+0", source, "-o", output).status == 1)
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    /// With a folder for results, JPEG files stay what they are.
    @Test func resultsInAFolderAreJPEGFiles() throws {
        let tool = try Tool()
        let run = try tool.run("convert", "--lossless", source, "-o", tool.path("out") + "/")
        #expect(run.status == 0)
        #expect(try checksum(tool.path("out/source.jpg"), tool) == checksum(source, tool))
    }

    @Test func aPartThatBeginsElsewhereIsSaid() throws {
        let tool = try Tool()
        let run = try tool.run("convert", "--lossless", "--crop", "5x5+20+16", source, "-o", tool.path("out.jpg"))
        #expect(run.status == 0 && run.errors.contains("9x5 pixels in place of 5x5"))
    }
}
