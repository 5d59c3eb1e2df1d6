import CodecTestSupport
import Foundation
import Testing

/// Sizes as people write them, and what is cut off.
@Suite struct SizeTests {
    /// 240x160 pixels.
    private let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
    /// Stored as 60x40 and viewed as 40x60.
    private let turned = Fixture.folder("png").appendingPathComponent("turned-exif6.png").path

    /// The first lines of the PPM that comes out.
    private func header(_ arguments: [String]) throws -> String {
        let run = try Tool().run(arguments + ["--format", "ppm", "-o", "-"])
        return String(decoding: run.output.prefix(20), as: UTF8.self).split(separator: "\n").dropFirst().first
            .map(String.init) ?? run.errors
    }

    @Test(arguments: [
        ("60", "60 40"), ("60x", "60 40"), ("x60", "90 60"), ("60x60", "60 40"), ("50%", "120 80"),
        ("12.5%", "30 20"), ("100%", "240 160"), ("9999", "240 160"), ("0.001%", "1 1"),
    ])
    func sizesHaveManyForms(_ size: String, _ expected: String) throws {
        #expect(try header(["thumbnail", path, "--size", size]) == expected)
        #expect(try header(["convert", path, "--max-size", size]) == expected)
    }

    @Test(arguments: [
        "0", "x", "0x5", "-5", "5x-5", "+5", "101%", "0%", "%", "nan%", "1e1%", "5x5x5", "", "99999999999999999999",
    ])
    func othersAreWrongUsage(_ size: String) throws {
        #expect(try Tool().run("thumbnail", path, "--size=\(size)", "-o", "-").status == 2)
    }

    @Test func aShareIsOfThePictureAsItIsViewed() throws {
        #expect(try header(["thumbnail", turned, "--size", "50%"]) == "20 30")
        #expect(try header(["convert", turned, "--max-size", "50%", "--no-orientation"]) == "30 20")
    }

    @Test(arguments: [
        ("60x60", "60 60"), ("500x60", "240 60"), ("60x500", "60 160"), ("60x", "60 40"), ("x60", "90 60"),
    ])
    func fillIsCutToTheBox(_ size: String, _ expected: String) throws {
        #expect(try header(["thumbnail", path, "--size", size, "--fit", "fill"]) == expected)
    }

    @Test func gravitySaysWhichPartStays() throws {
        let tool = try Tool()
        // Four columns that differ; a box as high as the picture cuts, and does not scale.
        let file = tool.folder.appendingPathComponent("columns.png")
        try Data(PNGBuilder.file(width: 4, height: 1, colorType: 0, scanlines: [0, 10, 20, 30, 40])).write(to: file)
        for (gravity, expected) in [
            ("west", [10, 20]), ("center", [20, 30]), ("east", [30, 40]), ("northwest", [10, 20]),
            ("southeast", [30, 40]),
            ("north", [20, 30]),
        ] as [(String, [UInt8])] {
            let run = try tool.run(
                "thumbnail", file.path, "--size", "2x1", "--fit", "fill", "--gravity", gravity, "--format", "pgm", "-o",
                "-")
            #expect(Array(run.output.suffix(2)) == expected, "\(gravity)")
        }
        #expect(try tool.run("thumbnail", file.path, "--size", "2", "--gravity", "west", "-o", "-").status == 2)
    }

    @Test func theFileCanBeHeldToANumberOfBytes() throws {
        let tool = try Tool()
        let run = try tool.run("convert", path, "--max-bytes", "4K", "-o", tool.path("{width}.png"))
        #expect(run.status == 0)
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).first { $0.hasSuffix(".png") })
        #expect(try tool.contents(name).count <= 4096)
        #expect(try tool.run("info", tool.path(name)).text.contains("\(name.dropLast(4))x"))
        #expect(try tool.run("convert", path, "--max-bytes", "4K", "-o", tool.path("x.ppm")).status == 1)
    }
}
