import CodecTestSupport
import Foundation
import Testing

/// What results are, and where they go, if the command line leaves that open.
@Suite struct ResultFormatTests {
    private let png = Fixture.folder("png").appendingPathComponent("landscape.png")
    private let jpeg = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg")

    private func put(_ original: URL, _ tool: borrowing Tool, _ name: String) throws -> String {
        try FileManager.default.copyItem(at: original, to: tool.folder.appendingPathComponent(name))
        return tool.path(name)
    }

    private func start(_ tool: borrowing Tool, _ name: String) throws -> [UInt8] {
        Array(try tool.contents(name).prefix(4))
    }

    private let jpegStart: [UInt8] = [0xFF, 0xD8, 0xFF]
    private let pngStart = Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) })

    @Test func resultsInAFolderAreWhatTheirInputsAre() throws {
        let tool = try Tool()
        let inputs = try [
            put(png, tool, "a.png"), put(jpeg, tool, "b.jpg"),
            // Called otherwise than it is.
            put(jpeg, tool, "c.png"),
            put(Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif"), tool, "d.gif"),
            put(Fixture.folder("webp/lossy").appendingPathComponent("even-sides.webp"), tool, "e.webp"),
        ]
        // A quality is for those that have one.
        let run = try tool.run(["thumbnail", "--size", "20", "--quality", "80", "-o", tool.path("out/")] + inputs)
        #expect(run.status == 0, "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.path("out")).sorted()
        #expect(names == ["a.png", "b.jpg", "c.jpg", "d.gif", "e.webp"])
        #expect(try start(tool, "out/a.png") == pngStart)
        for name in ["b.jpg", "c.jpg"] { #expect(try start(tool, "out/\(name)").starts(with: jpegStart)) }
        #expect(try start(tool, "out/d.gif") == Array("GIF8".utf8))
        #expect(try start(tool, "out/e.webp") == Array("RIFF".utf8))
    }

    @Test(arguments: [["--format", "png"], ["--lossless", "--max-size", "100"], ["--colors", "16"], ["--interlace"]])
    func optionsThatJPEGDoesNotHaveDecideOtherwise(_ options: [String]) throws {
        let tool = try Tool()
        let run = try tool.run(["convert", jpeg.path, "-o", tool.path("out") + "/"] + options)
        #expect(run.status == 0)
        #expect(try start(tool, "out/landscape-420.png") == pngStart)
    }

    @Test func withoutAnOutputResultsGoBesideInputs() throws {
        let tool = try Tool()
        let photo = try put(jpeg, tool, "photo.jpg")
        #expect(try tool.run("thumbnail", photo).status == 0)
        #expect(
            try tool.run("info", "--format", "{width}x{height}", tool.path("photo-thumbnail.jpg")).text == "150x100\n")
        #expect(try tool.run("convert", photo).status == 2)
        #expect(try tool.run("convert", photo, "--format", "png").status == 0)
        #expect(try start(tool, "photo.png") == pngStart)
        // Itself is no place beside it.
        #expect(try tool.run("convert", photo, "--format", "jpeg").status == 2)
        #expect(try tool.run("thumbnail", "-r", tool.folder.path).status == 2)
        let large = try put(png, tool, "large.png")
        #expect(try tool.run("metadata", large, "--strip").status == 2)
        #expect(try tool.run("metadata", large, "--strip", "--force").status == 0)
        #expect(try !tool.run("info", large).text.contains("Sunset"))
        #expect(try tool.run("optimize", large, "--force").status == 0)
        #expect(try tool.contents("large.png").count < Data(contentsOf: png).count)
    }

    @Test func standardInputIsReadIfNothingIsNamed() throws {
        let tool = try Tool()
        #expect(try tool.run(["info", "--format", "{width}"], input: png).text == "240\n")
        let run = try tool.run(["convert", "--format", "jpeg"], input: png)
        #expect(run.status == 0 && run.output.starts(with: jpegStart))
        // The null device has nothing to say.
        #expect(try tool.run("info").status == 2)
    }

    @Test func objectsSayWhatWasWritten() throws {
        let tool = try Tool()
        let photo = try put(png, tool, "photo.png")
        let run = try tool.run("convert", "--json", photo, "/nowhere/x.png", "-o", tool.path("out/"))
        let objects = try run.objects()
        #expect(run.status == 1 && objects.count == 2)
        #expect(objects[0]["path"] as? String == photo && objects[0]["output"] as? String == tool.path("out/photo.png"))
        #expect(objects[0]["width"] as? Int == 240 && objects[0]["height"] as? Int == 160)
        #expect(objects[0]["byteCount"] as? Int == (try tool.contents("out/photo.png").count))
        #expect(objects[0]["inputByteCount"] as? Int == (try Data(contentsOf: png).count))
        #expect((objects[1]["error"] as? [String: Any])?["code"] as? String == "inputOutput")
        for command in [["optimize"], ["metadata", "--strip"], ["animate"], ["sheet"], ["thumbnail"]] {
            let run = try tool.run(command + ["--json", photo, "-o", tool.path("x.png")])
            let object = try #require(try run.objects().first, "\(command)")
            #expect(object["byteCount"] as? Int == (try tool.contents("x.png").count))
            #expect(object["format"] as? String == (command == ["animate"] ? "png" : "png"))
        }
        let told = try tool.run("thumbnail", "--verbose", "--size", "60", photo, "-o", tool.path("y.png"))
        #expect(told.errors.hasPrefix("\(photo): written to \(tool.path("y.png")): png, 60x40 pixels, "))
    }

    @Test func aWebPFileThatIsLargerThanItsPhotographIsRemarkedOn() throws {
        let tool = try Tool()
        let run = try tool.run("convert", jpeg.path, "-o", tool.path("x.webp"), "--lossless")
        let (before, after) = (try Data(contentsOf: jpeg).count, try tool.contents("x.webp").count)
        #expect(after > before && run.status == 0)
        #expect(
            run.errors.contains(
                "warning: \(after) bytes where the JPEG file has \(before): webp is written without loss (--lossy"))
        let fine = try tool.run("convert", jpeg.path, "-o", tool.path("y.webp"), "--quality", "100")
        #expect(fine.errors.contains("bytes where the JPEG file has \(before) (a lower --quality takes fewer)"))
        let usual = try tool.run("convert", jpeg.path, "-o", tool.path("z.webp"))
        #expect(usual.status == 0 && !usual.errors.contains("bytes where"))
    }
}
