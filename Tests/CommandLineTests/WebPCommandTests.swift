import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// What the commands make of WebP files.
@Suite struct WebPCommandTests {
    private func path(_ name: String) -> String { Fixture.folder("webp").appendingPathComponent(name).path }

    @Test func infoTellsOfChunksAndCoding() throws {
        let text = try Tool().run("info", path("palette-5.webp")).text
        #expect(text.contains("\n  chunks        VP8L\n"))
        #expect(text.contains("\n  coding        lossless: 5 colors (2 pixels a byte), "))
        let movie = try Tool().run("info", path("five-frames-100ms.webp")).text
        #expect(movie.contains("\n  chunks        VP8X, ANIM, 5 ANMF, 5 VP8L\n"))
        #expect(movie.contains("\n  frames        5, played for ever\n"))
        let lossy = try #require(try Tool().run("info", "--json", path("lossy.webp")).objects().first)
        #expect(lossy["isLossless"] as? Bool == false)
        #expect((lossy["coding"] as? [String: Any])?["partitionCount"] as? Int == 1)
    }

    @Test func inspectListsChunks() throws {
        let run = try Tool().run("inspect", path("tiny-animation.webp"))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.text.contains("\n  44          40          ANMF        4x2+0+0 pixels, 100 ms, in place\n"))
        #expect(run.text.contains("\n  140         5           XMP\n") || run.text.hasSuffix("XMP\n"))
    }

    @Test(arguments: [
        ("picture-in-animation.webp", "VP8L outside of a frame"), ("canvas-differs.webp", "on a canvas of 37x26"),
        ("frame-without-header.webp", "ANMF without ANIM in front"), ("no-picture.webp", "there is no picture"),
        ("unknown-chunk-first.webp", "abcd comes first, instead of VP8, VP8L or VP8X"),
        ("alpha-with-lossless.webp", "VP8L with ALPH"), ("trailing-bytes.webp", "10 bytes after the file's end"),
        ("frame-outside.webp", "is not inside the canvas of 36x26"),
        ("extended-long.webp", "VP8X: 12 bytes instead of 10"),
        ("metadata-unannounced.webp", "EXIF of which VP8X does not tell"), ("two-pictures.webp", "a second picture"),
    ])
    func inspectTellsWhatIsWrong(_ name: String, _ finding: String) throws {
        let run = try Tool().run("inspect", path(name))
        #expect(run.status == 1)
        #expect(run.errors.contains(finding))
    }

    @Test func soundFilesHaveNoFindings() throws {
        for name in ["lossless.webp", "lossy-alpha.webp", "blend-clear.webp", "metadata-behind.webp"] {
            #expect(try Tool().run("inspect", path(name)).errors == "")
        }
    }

    @Test func thumbnailsAndConversionsAreMade() throws {
        let tool = try Tool()
        for name in ["lossless-alpha.webp", "lossy.webp"] {
            #expect(try tool.run("thumbnail", path(name), "--size", "18x13", "-o", tool.path("t.png")).status == 0)
            #expect(try ImageInfo(contentsOfFile: tool.path("t.png")).size == PixelSize(width: 18, height: 13))
            #expect(try tool.run("convert", path(name), "-o", tool.path("c.png")).status == 0)
            #expect(
                try RasterImage(contentsOfFile: tool.path("c.png")).bitmap
                    == RasterImage(contentsOfFile: path(name)).bitmap)
        }
    }
}
