import CodecTestSupport
import Foundation
import Testing

@Suite struct PictureCommandTests {
    private func fixture(_ name: String) throws -> Fixture {
        try #require(Fixture.all("png").first { $0.name == name })
    }

    /// Header lines up to and with `last`, and the bytes after it.
    private func split(_ file: Data, behind last: String) throws -> (header: String, body: Data) {
        let end = try #require(file.range(of: Data(last.utf8))).upperBound
        return (String(decoding: file[..<end], as: UTF8.self), Data(file[end...]))
    }

    @Test func anAnymapWithAlphaHoldsTheStraightPixels() throws {
        let tool = try Tool()
        let badge = try fixture("badge@2x.png")
        #expect(try tool.run("convert", badge.url.path, "-o", tool.path("badge.pam")).status == 0)
        let (header, body) = try split(tool.contents("badge.pam"), behind: "ENDHDR\n")
        #expect(header == "P7\nWIDTH 64\nHEIGHT 64\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n")
        #expect(PixelDigest.crc32(Array(body)) == badge.crc)
    }

    @Test func rawPixelsGoToStandardOutput() throws {
        let chart = try fixture("chart-palette.png")
        let run = try Tool().run("convert", "-", "-o", "-", "--format", "raw", input: chart.url)
        #expect(run.status == 0)
        #expect(PixelDigest.crc32(Array(run.output)) == chart.crc)
    }

    @Test func anAnymapWithoutAlphaHasThreeBytesAPixel() throws {
        let tool = try Tool()
        let landscape = try fixture("landscape.png")
        #expect(try tool.run("convert", landscape.url.path, "-o", tool.path("l.ppm")).status == 0)
        let (header, body) = try split(tool.contents("l.ppm"), behind: "\n255\n")
        #expect(header == "P6\n240 160\n255\n")
        // With an opaque alpha byte after every pixel, these are the RGBA bytes.
        let bytes = Array(body)
        let rgba = stride(from: 0, to: bytes.count, by: 3).flatMap { bytes[$0..<$0 + 3] + [255] }
        #expect(PixelDigest.crc32(rgba) == landscape.crc)
    }

    @Test func sixteenBitsStaySixteenBits() throws {
        let tool = try Tool()
        let heights = try fixture("heights-gray16.png")
        #expect(try tool.run("convert", heights.url.path, "-o", tool.path("h.pgm")).status == 0)
        let (header, body) = try split(tool.contents("h.pgm"), behind: "\n65535\n")
        #expect(header == "P5\n64 48\n65535\n")
        // Reduced as the pixel rules say, they are the eight-bit picture.
        let bytes = Array(body)
        let rgba = stride(from: 0, to: bytes.count, by: 2).flatMap { at -> [UInt8] in
            let sample = (Int(bytes[at]) << 8 | Int(bytes[at + 1])) * 255 + 32895
            let gray = UInt8(sample >> 16)
            return [gray, gray, gray, 255]
        }
        #expect(PixelDigest.crc32(rgba) == heights.crc)
    }

    @Test func transparentPixelsAreLaidOverTheBackground() throws {
        let tool = try Tool()
        let badge = try fixture("badge@2x.png").url.path
        #expect(try tool.run("convert", badge, "-o", tool.path("b.ppm"), "--background", "#ff8000").status == 0)
        let (_, body) = try split(tool.contents("b.ppm"), behind: "\n255\n")
        // The corner of the badge is fully transparent.
        #expect(Array(body.prefix(3)) == [0xFF, 0x80, 0x00])
    }

    @Test(arguments: ["pam", "raw"])
    func theBackgroundShowsInFormatsWithAlphaToo(_ format: String) throws {
        let badge = try fixture("badge@2x.png").url.path
        let run = try Tool().run("convert", badge, "-o", "-", "--format", format, "--background", "#ff8000")
        #expect(run.status == 0)
        // The corner of the badge is fully transparent; laid over something, PAM stores no alpha.
        let pixels = try format == "pam" ? split(run.output, behind: "ENDHDR\n").body : run.output
        #expect(pixels.starts(with: [0xFF, 0x80, 0x00, 0xFF]))
    }

    @Test func orientationIsAppliedUnlessAskedNotTo() throws {
        let tool = try Tool()
        let turned = try fixture("turned-exif6.png")
        #expect(try tool.run("convert", turned.url.path, "-o", tool.path("t.pam")).status == 0)
        #expect(try split(tool.contents("t.pam"), behind: "ENDHDR\n").header.contains("WIDTH 40\nHEIGHT 60\n"))
        let plain = try tool.run("convert", turned.url.path, "--no-orientation", "--format", "raw", "-o", "-")
        #expect(PixelDigest.crc32(Array(plain.output)) == turned.crc)
    }

    @Test func aBatchGoesToADirectoryAndSurvivesAFailure() throws {
        let tool = try Tool()
        let names = ["landscape.png", "truncated.png", "mask-gray1.png"]
        let paths = try names.map { try fixture($0).url.path }
        let run = try tool.run(["convert"] + paths + ["--format", "pgm", "--jobs", "3", "-o", tool.path("out")])
        #expect(run.status == 1)
        #expect(run.errorLines.count == 2)
        #expect(run.errorLines.first?.hasPrefix(paths[1] + ": ") == true)
        #expect(run.errorLines.last == "1 of 3 failed")
        #expect(try split(tool.contents("out/landscape.pgm"), behind: "\n255\n").header == "P5\n240 160\n255\n")
        #expect(try split(tool.contents("out/mask-gray1.pgm"), behind: "\n255\n").header == "P5\n72 40\n255\n")
        #expect(throws: (any Error).self) { try tool.contents("out/truncated.pgm") }
    }

    @Test(arguments: Fixture.sound("png"))
    func writingPNGAgainLosesNothing(_ fixture: Fixture) throws {
        let tool = try Tool()
        let run = try tool.run("convert", fixture.url.path, "--no-orientation", "-o", tool.path("copy.png"))
        #expect(run.status == 0)
        let copy = try #require(try tool.run("checksum", tool.path("copy.png")).objects().first)
        let frames = try #require(copy["frames"] as? [[String: Any]])
        #expect(frames.map { $0["rgbaCRC32"] as? String } == [fixture.crc])
    }

    @Test func metadataIsWrittenUnlessStripped() throws {
        let tool = try Tool()
        let path = try fixture("landscape.png").url.path
        #expect(try tool.run("convert", path, "-o", tool.path("kept.png")).status == 0)
        #expect(try tool.run("info", tool.path("kept.png")).text.contains("Title: Sunset"))
        #expect(try tool.run("convert", path, "--strip-metadata", "-o", tool.path("bare.png")).status == 0)
        #expect(try !tool.run("info", tool.path("bare.png")).text.contains("Sunset"))
    }

    @Test func thumbnailsFitFillAndStretch() throws {
        let tool = try Tool()
        let path = try fixture("landscape.png").url.path
        for (fit, size) in [("fit", "60 40"), ("fill", "60 60"), ("outside", "90 60"), ("stretch", "60 60")] {
            #expect(
                try tool.run("thumbnail", path, "--size", "60x60", "--fit", fit, "-o", tool.path("t.ppm")).status == 0)
            #expect(try split(tool.contents("t.ppm"), behind: "\n255\n").header == "P6\n\(size)\n255\n")
        }
    }

    @Test func aByteLimitBindsTheDecodedPixels() throws {
        let tool = try Tool()
        let path = try fixture("landscape.png").url.path
        #expect(try tool.run("thumbnail", path, "--limit-bytes", "10K", "-o", tool.path("t.pam")).status == 0)
        let (header, body) = try split(tool.contents("t.pam"), behind: "ENDHDR\n")
        #expect(header.contains("TUPLTYPE RGB\n"))
        #expect(body.count <= 10 * 1024)
    }

    @Test func stillsHaveOneFrame() throws {
        let tool = try Tool()
        let badge = try fixture("badge@2x.png")
        let run = try tool.run("frames", "--json", badge.url.path, "-o", tool.path("frames"), "--format", "raw")
        #expect(run.status == 0)
        let frame = try #require(try run.objects().first)
        #expect(frame["index"] as? Int == 0)
        #expect(frame["durationMS"] is NSNull)
        #expect(frame["output"] as? String == tool.path("frames/badge@2x.0.raw"))
        #expect(PixelDigest.crc32(Array(try tool.contents("frames/badge@2x.0.raw"))) == badge.crc)
    }

    @Test func framesSayHowMuchOfThemIsReal() throws {
        let tool = try Tool()
        let path = tool.path("cut.png")
        let file = PNGBuilder.file(width: 1, height: 3, colorType: 0, scanlines: [0, 10, 0, 20, 0, 30])
        // IEND, then CRC, Adler-32 and last row of IDAT.
        try Data(file.dropLast(12 + 4 + 4 + 2)).write(to: URL(fileURLWithPath: path))
        let run = try tool.run("frames", "--tolerant", "--json", path, "-o", tool.path("frames"))
        #expect(run.status == 0)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("\(path): warning: partial picture, 2 rows: "))
        #expect(try run.objects().first?["partial"] as? Bool == true)
        let whole = tool.path("whole.png")
        try Data(file).write(to: URL(fileURLWithPath: whole))
        let sound = try tool.run("frames", "--tolerant", "--json", whole, "-o", tool.path("frames"))
        #expect(sound.errors.isEmpty && sound.status == 0)
        #expect(try sound.objects().first?.keys.contains("partial") == false)
    }
}
