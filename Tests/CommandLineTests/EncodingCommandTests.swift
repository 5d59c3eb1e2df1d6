import CodecTestSupport
import Foundation
import Testing

/// How results are written: quality and effort, limits on bytes, what only JPEG has.
@Suite struct EncodingCommandTests {
    /// 240x160 pixels, red, green, blue.
    private let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
    private let gray = Fixture.folder("png").appendingPathComponent("mask-gray1.png").path
    /// Ends in the middle of its image data.
    private let cut = Fixture.folder("png").appendingPathComponent("truncated.png").path

    /// Values of `info --json` for something the tool wrote.
    private func info(_ name: String, _ tool: borrowing Tool) throws -> [String: Any] {
        try #require(try tool.run("info", "--json", tool.path(name)).objects().first)
    }

    /// Checksums of the frames that a run of `checksum` printed.
    private func checksums(_ run: ToolRun) throws -> [String?] {
        let frames = try #require(try run.objects().first?["frames"] as? [[String: Any]])
        return frames.map { $0["rgbaCRC32"] as? String }
    }

    /// Bytes of EXIF data of something the tool wrote.
    private func exifByteCount(_ name: String, _ tool: borrowing Tool) throws -> Int? {
        (try info(name, tool)["metadata"] as? [String: Any])?["exifByteCount"] as? Int
    }

    private func run(_ jobs: [String], _ tool: borrowing Tool) throws -> [[String: Any]] {
        let input = tool.folder.appendingPathComponent("jobs.jsonl")
        try Data(jobs.joined(separator: "\n").utf8).write(to: input)
        return try tool.run(["batch"], input: input).objects()
    }

    private func message(_ answer: [String: Any]?) -> String {
        (answer?["error"] as? [String: Any])?["message"] as? String ?? ""
    }

    // MARK: - Palettes

    @Test(arguments: ["none", "noise", "diffusion"])
    func aPNGHasNoMoreColoursThanAskedFor(_ dither: String) throws {
        let tool = try Tool()
        let options = ["--colors", "16", "--dither", dither, "-o"]
        #expect(try tool.run(["convert", path] + options + [tool.path("x.png")]).status == 0)
        let file = try Data(contentsOf: URL(fileURLWithPath: tool.path("x.png")))
        let palette = try #require(file.range(of: Data("PLTE".utf8)))
        #expect(file[palette.lowerBound - 1] <= 48)
        #expect(try tool.run(["thumbnail", path, "--size", "60"] + options + [tool.path("y.png")]).status == 0)
    }

    @Test(arguments: [
        (["--colors", "1"], "x.png", "--colors must be from 2 to 256"),
        (["--colors", "257"], "x.png", "--colors must"),
        (["--colors", "16"], "x.jpg", "--colors is for png and gif files alone"),
        (["--dither", "none"], "x.png", "--dither is for pictures that lose colours"),
        (["--colors", "16", "--lossless"], "x.png", "--lossless and --colors exclude each other"),
    ])
    func coloursThatMakeNoSenseAreWrongUsage(_ options: [String], _ name: String, _ message: String) throws {
        let tool = try Tool()
        let run = try tool.run(["convert", path, "-o", tool.path(name)] + options)
        #expect(run.status == 2)
        #expect(run.errorLines.first?.contains(message) == true, "\(run.errorLines)")
    }

    @Test func bytesAreSavedByColoursBeforePixels() throws {
        let tool = try Tool()
        let most = ["--max-bytes", "12K"]
        #expect(try tool.run(["convert", path, "-o", tool.path("x.png")] + most).status == 0)
        #expect(try info("x.png", tool)["width"] as? Int == 240)
        // Without loss neither colours nor pixels may go.
        let exact = try tool.run(["convert", path, "-o", tool.path("y.png"), "--lossless"] + most)
        #expect(exact.status == 1 && exact.errors.contains("the smallest PNG file of this picture without loss has"))
        #expect(exact.errors.contains("12288 are allowed"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("y.png")))
    }

    // MARK: - Quality, effort, loss

    @Test(arguments: ["convert", "thumbnail"])
    func aQualityForPNGIsWrongUsageThatNamesTheEffort(_ command: String) throws {
        let tool = try Tool()
        let size = command == "thumbnail" ? ["--size", "60"] : []
        let run = try tool.run([command, path] + size + ["--quality", "80", "-o", tool.path("x.png")])
        #expect(run.status == 2)
        #expect(run.errorLines.first?.hasPrefix("Error: png loses nothing") == true)
        #expect(run.errorLines.first?.contains("--effort") == true)
        #expect(!FileManager.default.fileExists(atPath: tool.path("x.png")))
    }

    @Test(arguments: ["ppm", "raw"])
    func aQualityForPlainPixelsIsWrongUsage(_ format: String) throws {
        let tool = try Tool()
        let run = try tool.run("convert", path, "--quality", "80", "--format", format, "-o", tool.path("x"))
        #expect(run.status == 2)
        #expect(run.errorLines.first?.contains("--quality") == true)
    }

    @Test(arguments: ["-1", "101", "nan", "high"])
    func otherQualitiesAreWrongUsage(_ quality: String) throws {
        let tool = try Tool()
        #expect(try tool.run("convert", path, "--quality=\(quality)", "-o", tool.path("x.jpg")).status == 2)
    }

    @Test func losslessnessIsForFormatsThatHaveIt() throws {
        let tool = try Tool()
        let refused = try tool.run("convert", path, "--lossless", "-o", tool.path("x.jpg"))
        // It is the file that decides: JPEG files are made of others without loss.
        #expect(refused.status == 1)
        #expect(refused.errorLines.first?.contains("--lossless") == true)
        #expect(try tool.run("convert", path, "--lossless", "--quality", "9", "-o", tool.path("x.jpg")).status == 2)
        #expect(try tool.run("convert", path, "--lossless", "-o", tool.path("x.png")).status == 0)
    }

    @Test(arguments: ["fast", "default", "best"])
    func everyEffortWritesAFileThatDecodes(_ effort: String) throws {
        let tool = try Tool()
        #expect(try tool.run("convert", path, "--effort", effort, "-o", tool.path("x.jpg")).status == 0)
        let jpeg = try info("x.jpg", tool)
        #expect(jpeg["format"] as? String == "jpeg")
        #expect(jpeg["width"] as? Int == 240 && jpeg["height"] as? Int == 160)
        #expect(jpeg["isProgressive"] as? Bool == (effort != "fast"))
        // A PNG of the decoded JPEG has the pixels that the JPEG decodes to.
        #expect(try tool.run("convert", tool.path("x.jpg"), "-o", tool.path("back.png")).status == 0)
        let decoded = try checksums(tool.run("checksum", tool.path("x.jpg"), "--chunk", "100"))
        let copied = try checksums(tool.run("checksum", tool.path("back.png")))
        #expect(decoded == copied && decoded.count == 1)
    }

    @Test(arguments: ["fast", "default", "best"])
    func noEffortChangesThePixelsOfAPNG(_ effort: String) throws {
        let tool = try Tool()
        #expect(try tool.run("convert", path, "--effort", effort, "-o", tool.path("x.png")).status == 0)
        let written = try checksums(tool.run("checksum", tool.path("x.png")))
        #expect(written == [Fixture.all("png").first { $0.name == "landscape.png" }?.crc])
    }

    @Test func otherEffortsAreWrongUsage() throws {
        let run = try Tool().run("convert", path, "--effort", "slow", "-o", "-")
        #expect(run.status == 2)
        #expect(run.errors.contains("'fast', 'default' or 'best'"))
    }

    @Test func aLowerQualityMakesASmallerFile() throws {
        let tool = try Tool()
        var last = 0
        for quality in ["10", "50", "90"] {
            let name = quality + ".jpg"
            #expect(try tool.run("convert", path, "--quality", quality, "-o", tool.path(name)).status == 0)
            let byteCount = try tool.contents(name).count
            #expect(byteCount > last, "\(quality)")
            last = byteCount
        }
    }

    @Test func transparentPixelsOfAJPEGAreLaidOverTheBackground() throws {
        let tool = try Tool()
        let badge = Fixture.folder("png").appendingPathComponent("badge@2x.png").path
        let options = ["--quality", "95", "--background", "#0000ff", "-o", tool.path("b.jpg")]
        #expect(try tool.run(["convert", badge] + options).status == 0)
        #expect(try tool.run("convert", tool.path("b.jpg"), "-o", tool.path("b.ppm")).status == 0)
        // The corner of the badge is fully transparent.
        let corner = Array(try tool.contents("b.ppm").dropFirst("P6\n64 64\n255\n".utf8.count).prefix(3))
        #expect(corner.count == 3 && corner[0] < 16 && corner[1] < 16 && corner[2] > 239)
    }

    // MARK: - Bytes, time

    @Test(arguments: ["jpg", "png"], ["fast", "default"])
    func filesHaveNoMoreBytesThanAreAllowed(_ format: String, _ effort: String) throws {
        let tool = try Tool()
        let name = "x." + format
        // A lossy format lowers the quality; one without loss takes colours away, which is not enough for so few bytes, and then pixels.
        let kilobytes = format == "jpg" ? 3 : 1
        let options = ["--max-bytes", "\(kilobytes)K", "--effort", effort, "-o", tool.path(name)]
        #expect(try tool.run(["convert", path, "--strip-metadata"] + options).status == 0)
        #expect(try tool.contents(name).count <= kilobytes * 1024)
        let written = try info(name, tool)
        let width = try #require(written["width"] as? Int)
        #expect((width == 240) == (format == "jpg"))
    }

    @Test func whatCannotBeSmallEnoughSaysHowSmallItGets() throws {
        let tool = try Tool()
        let run = try tool.run("convert", path, "--max-bytes", "100", "-o", tool.path("x.jpg"))
        #expect(run.status == 1)
        #expect(run.errorLines.first?.hasPrefix(path + ": the smallest JPEG file of this picture has ") == true)
        #expect(!FileManager.default.fileExists(atPath: tool.path("x.jpg")))
    }

    @Test(arguments: ["jpg", "png"])
    func timingIsTwoLinesOfDecimalSeconds(_ format: String) throws {
        let tool = try Tool()
        let run = try tool.run("convert", path, "--timing", "-o", tool.path("x." + format))
        #expect(run.status == 0 && run.output.isEmpty)
        let lines = run.errorLines
        #expect(lines.count == 2)
        #expect(lines.first?.wholeMatch(of: /decode: [0-9]+\.[0-9]+ s/) != nil, "\(lines)")
        #expect(lines.last?.wholeMatch(of: /encode: [0-9]+\.[0-9]+ s/) != nil, "\(lines)")
        let quiet = try tool.run("convert", path, "-o", tool.path("y." + format))
        #expect(quiet.errors.isEmpty)
    }

    @Test func tooLittleMemoryForAnEffortNamesTheFastOne() throws {
        let tool = try Tool()
        let output = tool.path("x.jpg")
        let run = try tool.run("convert", path, "--max-memory", "400K", "-o", output)
        #expect(run.status == 1)
        #expect(run.errorLines.first?.contains("--effort fast") == true, "\(run.errors)")
        let fast = try tool.run("convert", path, "--max-memory", "400K", "--effort", "fast", "-o", output)
        #expect(fast.status == 0, "\(fast.errors)")
    }

    @Test func theFastEffortIsNotAdvisedWhereItIsInUse() throws {
        let tool = try Tool()
        for format in ["jpg", "png", "webp", "gif"] {
            let run = try tool.run(
                "convert", path, "--max-memory", "1K", "--effort", "fast", "-o", tool.path("x." + format))
            #expect(run.status == 1)
            #expect(run.errorLines.first?.hasSuffix("(--max-memory raises the limit)") == true, "\(run.errors)")
        }
    }

    // MARK: - What only JPEG has

    @Test(arguments: ["4:4:4", "4:2:2", "4:2:0", "4:4:0", "4:1:1"])
    func theSamplingCanBeChosen(_ ratio: String) throws {
        let tool = try Tool()
        #expect(try tool.run("convert", path, "--sampling", ratio, "-o", tool.path("x.jpg")).status == 0)
        let written = try info("x.jpg", tool)
        #expect(written["chromaSubsampling"] as? String == ratio)
    }

    @Test func aSamplingOfGrayPicturesIsRefused() throws {
        let tool = try Tool()
        let run = try tool.run("convert", gray, "--sampling", "4:2:0", "-o", tool.path("x.jpg"))
        #expect(run.status == 1)
        #expect(run.errorLines == ["\(gray): gray pictures have no chroma: sampling 4:2:0 means nothing for them"])
        #expect(try tool.run("convert", gray, "-o", tool.path("x.jpg")).status == 0)
        let written = try info("x.jpg", tool)
        #expect(written["color"] as? String == "gray" && written["chromaSubsampling"] is NSNull)
        #expect(try tool.run("convert", path, "--sampling", "4:2:1", "-o", tool.path("x.jpg")).status == 2)
    }

    @Test func scansAndRestartsCanBeChosen() throws {
        let tool = try Tool()
        let options = ["--effort", "fast", "--progressive", "--restart-interval", "7", "-o", tool.path("x.jpg")]
        #expect(try tool.run(["convert", path] + options).status == 0)
        let progressive = try info("x.jpg", tool)
        #expect(progressive["isProgressive"] as? Bool == true)
        #expect(try tool.run("inspect", tool.path("x.jpg")).text.contains("every 7 MCUs"))
        #expect(try tool.run("convert", path, "--no-progressive", "-o", tool.path("y.jpg")).status == 0)
        let sequential = try info("y.jpg", tool)
        #expect(sequential["isProgressive"] as? Bool == false)
        let wrong = try tool.run("convert", path, "--restart-interval", "65536", "-o", tool.path("z.jpg"))
        #expect(wrong.status == 2)
    }

    @Test func aPreviewIsEmbeddedInTheEXIFData() throws {
        let tool = try Tool()
        #expect(try tool.run("convert", path, "-o", tool.path("plain.jpg")).status == 0)
        let none = try exifByteCount("plain.jpg", tool)
        #expect(none == nil)
        #expect(try tool.run("convert", path, "--embed-thumbnail", "-o", tool.path("x.jpg")).status == 0)
        let some = try exifByteCount("x.jpg", tool)
        let byteCount = try #require(some)
        // A segment has at most 65,533 bytes, of which six are its name. The preview is a JPEG file inside of the EXIF data.
        let file = try tool.contents("x.jpg")
        let inner = try #require(file.range(of: Data([0xFF, 0xD8, 0xFF]), in: 2..<file.count))
        #expect(inner.lowerBound < byteCount && (500...65_527).contains(byteCount))
    }

    // MARK: - What an encoder chose

    @Test func anInspectionTellsTheQualityAndTheScript() throws {
        let tool = try Tool()
        let fast = ["--effort", "fast", "--quality", "70", "-o", tool.path("fast.jpg")]
        #expect(try tool.run(["convert", path] + fast).status == 0)
        let one = try tool.run("inspect", tool.path("fast.jpg"))
        #expect(one.status == 0)
        #expect(one.text.contains("table 0 (quality 70), table 1 (quality 70)"))
        #expect(one.text.contains("DC 0 (standard), AC 0 (standard)"))
        #expect(one.text.contains("\n  sequential, 1 scan, the standard's Huffman tables\n"))
        #expect(try tool.run("convert", path, "-o", tool.path("x.jpg")).status == 0)
        let several = try tool.run("inspect", tool.path("x.jpg"))
        #expect(several.status == 0)
        #expect(several.text.contains("quality "))
        #expect(several.text.contains("\n  progressive, "))
        #expect(several.text.contains("Huffman tables made for the picture\n"))
    }

    // MARK: - The worker

    @Test func jobsHaveAnEffortAndPNGHasNoQuality() throws {
        let tool = try Tool()
        let convert = #""operation":"convert","path":"\#(path)""#
        let answers = try run(
            [
                #"{\#(convert),"output":"\#(tool.path("fast.jpg"))","effort":"fast","quality":50}"#,
                #"{\#(convert),"output":"\#(tool.path("best.jpg"))","effort":"best","quality":50}"#,
                #"{\#(convert),"output":"\#(tool.path("x.png"))","effort":"best","lossless":true}"#,
                #"{\#(convert),"output":"\#(tool.path("y.png"))","quality":50}"#,
                #"{\#(convert),"format":"jpeg","lossless":true}"#,
                #"{\#(convert),"format":"jpeg","effort":"slow"}"#,
            ], tool)
        #expect(answers.count == 6)
        #expect(answers[0]["format"] as? String == "jpeg" && answers[1]["format"] as? String == "jpeg")
        let (fast, best) = try (tool.contents("fast.jpg").count, tool.contents("best.jpg").count)
        #expect(best < fast)
        #expect(answers[2]["format"] as? String == "png")
        #expect(message(answers[3]).contains("\"effort\"") && message(answers[3]).contains("\"quality\""))
        #expect(message(answers[4]).contains("\"lossless\""))
        #expect(message(answers[5]).contains("\"effort\" must be one of"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("y.png")))
    }

    // MARK: - Failures

    @Test(arguments: ["fast", "default"])
    func aConversionThatFailsLeavesTheOldFile(_ effort: String) throws {
        let tool = try Tool()
        let old = Data([1, 2, 3])
        try FileManager.default.createDirectory(atPath: tool.path("d"), withIntermediateDirectories: true)
        try old.write(to: tool.folder.appendingPathComponent("d/x.jpg"))
        let damaged = try tool.run("convert", cut, "--effort", effort, "-o", tool.path("d/x.jpg"))
        #expect(damaged.status == 1)
        #expect(damaged.errorLines.count == 1 && damaged.errors.hasPrefix(cut + ": "))
        #expect(try tool.contents("d/x.jpg") == old)
        // What is left of it can be had.
        let tolerant = ["--tolerant", "--effort", effort, "-o", tool.path("d/y.jpg")]
        #expect(try tool.run(["convert", cut] + tolerant).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("d")).sorted() == ["x.jpg", "y.jpg"])
    }

    @Test func aFullDiskLeavesTheOldFile() throws {
        let tool = try Tool()
        let old = Data([1, 2, 3])
        try FileManager.default.createDirectory(atPath: tool.path("d"), withIntermediateDirectories: true)
        try old.write(to: tool.folder.appendingPathComponent("d/x.jpg"))
        // 26 KB of file, if files may have 16 KiB at most.
        let run = try tool.runWithSmallFiles([
            "convert", path, "--effort", "fast", "--quality", "100", "--sampling", "4:4:4", "-o", tool.path("d/x.jpg"),
        ])
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1 && run.errors.hasPrefix(path + ": "))
        #expect(try tool.contents("d/x.jpg") == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("d")) == ["x.jpg"])
    }
}
