import CodecTestSupport
import Foundation
import Testing

/// Colours that become those of sRGB, and pictures that are scaled in linear light.
@Suite struct SRGBCommandTests {
    /// Three pixels in Display P3 (SMPTE EG 432-1), which cICP says.
    private static func file(codePoints: [UInt8]) -> [UInt8] {
        PNGBuilder.file(
            width: 3, height: 1, chunks: [("cICP", codePoints), ("tEXt", Array("Title\0Wide".utf8))],
            scanlines: [0, 200, 100, 50, 120, 130, 140, 90, 160, 80])
    }

    private func pixels(_ path: String, _ tool: borrowing Tool, _ options: String...) throws -> [UInt8] {
        let output = tool.path("pixels.ppm")
        #expect(try tool.run(["convert", path, "-o", output, "--force", "--strip-metadata"] + options).status == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
        // The header has three lines.
        var lines = 0
        return Array(
            bytes.drop { byte in
                defer { if byte == 10 { lines += 1 } }
                return lines < 3
            })
    }

    @Test func optimizeConvertsColorsOnRequest() throws {
        let tool = try Tool()
        let (wide, plain) = (tool.path("wide.png"), tool.path("plain.png"))
        try Data(Self.file(codePoints: [12, 13, 0, 1])).write(to: URL(fileURLWithPath: wide))
        try Data(Self.file(codePoints: [1, 13, 0, 1])).write(to: URL(fileURLWithPath: plain))
        let run = try tool.run("optimize", "--srgb", wide, "-o", tool.path("a.png"))
        #expect(run.status == 0 && run.errorLines == [])
        #expect(String(decoding: run.output, as: UTF8.self).contains("colours are those of sRGB now"))
        // By the matrices of both spaces, in floating point.
        let expected: [Double] = [214.901, 92.610, 30.952, 117.602, 130.400, 141.103, 60.665, 162.144, 68.381]
        let converted = try pixels(tool.path("a.png"), tool)
        #expect(converted.count == 9)
        #expect(zip(converted, expected).allSatisfy { abs(Double($0) - $1) <= 1 }, "\(converted)")
        let info = try #require(try tool.run("info", "--json", tool.path("a.png")).objects().first)
        #expect("\(info)".contains("Wide") && !"\(info)".contains("Display P3"))

        #expect(try tool.run("optimize", wide, "-o", tool.path("b.png")).status == 0)
        #expect(try pixels(tool.path("b.png"), tool) == [200, 100, 50, 120, 130, 140, 90, 160, 80])
        let same = try tool.run("optimize", "--srgb", plain, "-o", tool.path("c.png"))
        #expect(same.status == 0 && !String(decoding: same.output, as: UTF8.self).contains("sRGB now"))
        #expect(try pixels(tool.path("c.png"), tool) == [200, 100, 50, 120, 130, 140, 90, 160, 80])
    }

    @Test func optimizeRefusesToLoseSomethingForColors() throws {
        let tool = try Tool()
        // A JPEG file with the mark of Adobe RGB in its EXIF data: R03 in the interoperability directory.
        let plain = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg").path
        let marked = tool.path("marked.jpg")
        let exif: [UInt8] = [
            0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 42, 0, 0, 0, 8,
            // Main directory: the EXIF directory at 26.
            0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0,
            // EXIF directory: colour space 65535, interoperability directory at 56.
            0, 2, 0xA0, 0x01, 0, 3, 0, 0, 0, 1, 0xFF, 0xFF, 0, 0, 0xA0, 0x05, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56, 0, 0, 0, 0,
            0, 1, 0, 1, 0, 2, 0, 0, 0, 4, 0x52, 0x30, 0x33, 0, 0, 0, 0, 0,
        ]
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        let length = exif.count + 2
        let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + exif
        try Data(bytes[..<2] + segment + bytes[2...]).write(to: URL(fileURLWithPath: marked))
        let refused = try tool.run("optimize", "--srgb", marked, "-o", tool.path("a.jpg"))
        #expect(refused.status == 1 && refused.errors.contains("convert --srgb"))
        #expect(try tool.run("optimize", "--srgb", plain, "-o", tool.path("b.jpg")).status == 0)
    }

    @Test func patternsKeepTheirLightWithLinearScaling() throws {
        let tool = try Tool()
        let path = tool.path("pattern.png")
        var scanlines: [UInt8] = []
        for y in 0..<64 {
            scanlines.append(0)
            for x in 0..<64 {
                let sample: UInt8 = (x + y) % 2 == 0 ? 255 : 0
                scanlines += [sample, sample, sample]
            }
        }
        try Data(PNGBuilder.file(width: 64, height: 64, chunks: [], scanlines: scanlines))
            .write(to: URL(fileURLWithPath: path))
        let size = ["--max-size", "16x16"]
        for (scaling, byte) in [("asStored", 128), ("linear", 188)] {
            let run = try tool.run([
                "thumbnail", path, "--size", "16", "--scaling", scaling, "-o", tool.path("\(scaling).png"),
            ])
            #expect(run.status == 0)
            let thumbnail = try pixels(tool.path("\(scaling).png"), tool)
            #expect(thumbnail.count == 16 * 16 * 3 && thumbnail.allSatisfy { abs(Int($0) - byte) <= 1 }, "\(scaling)")
            let converted = try tool.run(
                ["convert", path, "--scaling", scaling, "-o", tool.path("c-\(scaling).png")] + size)
            #expect(try converted.status == 0 && pixels(tool.path("c-\(scaling).png"), tool) == thumbnail)
        }
        let jobs = tool.folder.appendingPathComponent("jobs.jsonl")
        let output = tool.path("worker.png")
        let job =
            #"{"operation": "thumbnail", "path": "\#(path)", "size": "16", "scaling": "linear", "output": "\#(output)"}"#
        try Data(job.utf8).write(to: jobs)
        #expect(try tool.run(["batch"], input: jobs).status == 0)
        #expect(try pixels(output, tool) == pixels(tool.path("linear.png"), tool))
    }
}
