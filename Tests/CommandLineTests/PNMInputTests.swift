import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct PNMInputTests {
    /// Converts a file to raw RGBA, or to what is named.
    private func pixels(_ file: [UInt8], _ tool: borrowing Tool, format: String = "rgba") throws -> [UInt8] {
        let input = URL(fileURLWithPath: tool.path("input"))
        try Data(file).write(to: input)
        let run = try tool.run(
            ["convert", "-", "-o", "-", "--format", "raw", "--pixel-format", format, "--force"], input: input)
        #expect(run.status == 0, "\(run.errors)")
        return Array(run.output)
    }

    @Test func everyKindIsRead() throws {
        let tool = try Tool()
        #expect(try pixels(Array("P5 2 1 255\n".utf8) + [7, 9], tool) == [7, 7, 7, 255, 9, 9, 9, 255])
        #expect(try pixels(Array("P6\n# a comment\n1 1\n255\n".utf8) + [1, 2, 3], tool) == [1, 2, 3, 255])
        let header = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        #expect(try pixels(Array(header.utf8) + [1, 2, 3, 4], tool) == [1, 2, 3, 4])
        let grayAlpha = "P7\n#x\nDEPTH 2\nMAXVAL 255\nWIDTH 1\nHEIGHT 1\nENDHDR\n"
        #expect(try pixels(Array(grayAlpha.utf8) + [9, 8], tool) == [9, 9, 9, 8])
    }

    @Test func samplesOfAnyMaximumAreScaled() throws {
        let tool = try Tool()
        // 7 of 15 is 119 of 255; larger samples than the largest count as that.
        #expect(try pixels(Array("P5 3 1 15\n".utf8) + [0, 7, 99], tool, format: "gray") == [0, 119, 255])
        let deep = try pixels(Array("P5 2 1 65535\n".utf8) + [0x12, 0x34, 0xFF, 0xFF], tool, format: "gray16")
        #expect(deep == [0x34, 0x12, 0xFF, 0xFF])
        let color = try pixels(Array("P6 1 1 65535\n".utf8) + [1, 0, 2, 0, 3, 0], tool, format: "rgba16")
        #expect(color == [0, 1, 0, 2, 0, 3, 0xFF, 0xFF])
    }

    @Test func damagedHeadersAreRefused() throws {
        let tool = try Tool()
        for (file, expected) in [
            ("P5 0 1 255\n", "WIDTH is 0"), ("P5 1 x 255\n", "a number is missing"),
            ("P5 1 1 70000\n", "MAXVAL is 70000"),
            ("P7\nWIDTH 1\nENDHDR\n", "there is no"), ("P5 2 2 255\n.", "cut off"), ("P5 1 1", "cut off"),
            ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n", "5 channels"),
        ] {
            let input = URL(fileURLWithPath: tool.path("input"))
            try Data(file.utf8).write(to: input)
            let run = try tool.run(["info", input.path])
            let decoded = try tool.run(["convert", input.path, "-o", tool.path("a.png")])
            #expect(decoded.status == 1)
            #expect((run.errors + decoded.errors).contains(expected), "\(file): \(decoded.errors)")
        }
    }

    @Test func whatTheToolWritesItReads() throws {
        let tool = try Tool()
        let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path
        for name in ["a.ppm", "a.pam"] {
            #expect(try tool.run("convert", landscape, "-o", tool.path(name)).status == 0)
            #expect(try tool.run("compare", landscape, tool.path(name)).status == 0)
        }
        #expect(try tool.run("info", tool.path("a.ppm")).text.contains("PNM"))
    }
}
