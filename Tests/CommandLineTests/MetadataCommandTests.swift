import CodecTestSupport
import Foundation
import ImagePhotoMetadata
import Testing

@Suite struct MetadataCommandTests {
    private static let names = ["photo.jpg", "photo.png", "photo.webp"]

    private func path(_ name: String) -> String { Fixture.folder("metadata").appendingPathComponent(name).path }

    private func frames(_ path: String, _ tool: borrowing Tool) throws -> [String] {
        let frames = try #require(try tool.run("checksum", path).objects().first?["frames"] as? [[String: Any]])
        return frames.compactMap { $0["rgbaCRC32"] as? String }
    }

    private func tags(_ path: String, _ tool: borrowing Tool) throws -> [String: String] {
        let object = try #require(try tool.run("info", "--all", "--json", path).objects().first)
        var tags: [String: String] = [:]
        for tag in object["exifTags"] as? [[String: Any]] ?? [] {
            let name = try #require(tag["directory"] as? String) + ":" + (tag["name"] as? String ?? "?")
            tags[name] = (tag["values"] as? [Any])?.map { "\($0)" }.joined(separator: " ")
        }
        return tags
    }

    @Test(arguments: names) func infoPrintsEveryTag(_ name: String) throws {
        let tool = try Tool()
        let lines = try tool.run("info", "--all", path(name)).lines
        #expect(lines.contains { $0.hasSuffix("0x829a ExposureTime (rational): 1/250") })
        #expect(lines.contains { $0.hasSuffix("0x0002 GPSLatitude (rational, 3): 33/1 30/1 0/1") })
        #expect(lines.contains { $0.hasSuffix("http://ns.adobe.com/photoshop/1.0/ City: Sydney") })
        let tags = try tags(path(name), tool)
        #expect(
            tags["main:Artist"] == "Ada" && tags["exif:Flash"] == "25"
                && tags["interoperability:InteroperabilityIndex"] == "R98")
        #expect(tags["thumbnail:Compression"] == "6" && tags["exif:ExifVersion"] == "48 50 51 50")
        #expect(try tool.run("info", "--all", "--format", "{name}", path(name)).status == 2)
    }

    @Test(arguments: names) func tagsAreSetAndRemoved(_ name: String) throws {
        let tool = try Tool()
        let run = try tool.run(
            "metadata", path(name), "-o", tool.path(name), "--set", "Artist=Ben Ω", "--set", "ExposureTime=0.02",
            "--set",
            "exif:ExposureBiasValue=-1/3", "--set", "UserComment=hello", "--remove", "Software", "--remove",
            "thumbnail",
            "--remove", "xmp")
        #expect(run.status == 0 && run.text.contains(" bytes"))
        var expected = try tags(path(name), tool)
        expected["main:Artist"] = "Ben Ω"
        expected["exif:ExposureTime"] = "2/100"
        expected["exif:ExposureBiasValue"] = "-1/3"
        expected["exif:UserComment"] = "65 83 67 73 73 0 0 0 104 101 108 108 111"
        expected["main:Software"] = nil
        let offsets = ["main:ExifIFDPointer", "main:GPSInfoIFDPointer", "exif:InteroperabilityIFDPointer"]
        expected = expected.filter { !$0.key.hasPrefix("thumbnail") && !offsets.contains($0.key) }
        #expect(try tags(tool.path(name), tool).filter { !offsets.contains($0.key) } == expected)
        #expect(try frames(tool.path(name), tool) == frames(path(name), tool))
        let object = try #require(try tool.run("info", "--json", tool.path(name)).objects().first)
        #expect((object["metadata"] as? [String: Any])?["xmpByteCount"] == nil && object["orientation"] as? Int == 6)
    }

    @Test(arguments: names) func thePlaceIsSetAndStripped(_ name: String) throws {
        let tool = try Tool()
        #expect(
            try tool.run("metadata", path(name), "-o", tool.path(name), "--strip-gps", "--place", "52.25,-13.5,34")
                .status == 0)
        #expect(
            try tool.run("info", "--gps", tool.path(name)).text.contains("position      52.250000, -13.500000, 34 m\n"))
        let bare = tool.path("bare-" + name)
        #expect(try tool.run("metadata", tool.path(name), "-o", bare, "--strip-gps").status == 0)
        #expect(try tags(bare, tool).keys.contains { $0.hasPrefix("gps:") } == false)
        #expect(try frames(bare, tool) == frames(path(name), tool))
    }

    /// A JPEG file with an index (CIPA DC-007) of itself and a second picture, which follows.
    @Test func secondPicturesAreRemovedOnRequest() throws {
        let tool = try Tool()
        let picture = [UInt8](
            try Data(contentsOf: Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg")))
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let entries = [0x0300_0000, picture.count + 66, 0, 0, 0, picture.count, picture.count + 66 - 10, 0]
        var index: [UInt8] =
            [0x4D, 0x4D, 0, 42] + number(8) + [0, 1, 0xB0, 2, 0, 7] + number(32) + number(26) + number(0)
        index += entries.flatMap(number)
        let segment = [0xFF, 0xE2, 0, UInt8(index.count + 6)] + Array("MPF\0".utf8) + index
        let first = picture[..<2] + segment + picture[2...]
        try Data(first + picture).write(to: URL(fileURLWithPath: tool.path("two.jpg")))
        #expect(
            try tool.run("metadata", tool.path("two.jpg"), "-o", tool.path("one.jpg"), "--remove", "pictures").status
                == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: tool.path("one.jpg"))) == Data(picture))
        // Whatever else is removed, they stay.
        #expect(
            try tool.run("metadata", tool.path("two.jpg"), "-o", tool.path("still.jpg"), "--remove", "xmp").status == 0)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: tool.path("still.jpg"))).count == picture.count * 2
                + segment.count)
    }

    @Test(arguments: names) func strippedFilesKeepColoursAndOrientation(_ name: String) throws {
        let tool = try Tool()
        #expect(try tool.run("metadata", path(name), "-o", tool.path(name), "--strip").status == 0)
        #expect(try tags(tool.path(name), tool) == ["main:Orientation": "6"])
        #expect(try frames(tool.path(name), tool) == frames(path(name), tool))
    }

    @Test func inputsAreReplacedOnlyByForce() throws {
        let tool = try Tool()
        try FileManager.default.copyItem(atPath: path("photo.jpg"), toPath: tool.path("own.jpg"))
        let own = tool.path("own.jpg")
        let refused = try tool.run("metadata", own, "-o", own, "--strip")
        #expect(refused.status == 2 && refused.errors.contains("--force"))
        #expect(try tool.run("metadata", own, "-o", own, "--strip", "--force").status == 0)
        #expect(try tags(own, tool) == ["main:Orientation": "6"])
    }

    @Test func manyFilesGoToAFolderAndKeepTheirFormats() throws {
        let tool = try Tool()
        let run = try tool.run(
            ["metadata"] + Self.names.map(path) + ["-o", tool.path("out/"), "--remove", "GPSAltitude"])
        #expect(run.status == 0 && run.lines.count == 3)
        for name in Self.names { #expect(try tags(tool.path("out/" + name), tool)["gps:GPSAltitude"] == nil) }
    }

    @Test func bytesAfterThePictureAreWarnedAbout() throws {
        let tool = try Tool()
        let file = try Data(contentsOf: URL(fileURLWithPath: path("photo.jpg"))) + Data("film".utf8)
        try file.write(to: URL(fileURLWithPath: tool.path("film.jpg")))
        let run = try tool.run("metadata", tool.path("film.jpg"), "-o", tool.path("out.jpg"), "--strip-gps")
        #expect(run.status == 0 && run.errors.contains("warning: 4 bytes after the picture"))
        #expect(try tool.contents("out.jpg").suffix(4) == Data("film".utf8))
    }

    @Test(arguments: names) func aNewPlaceLeavesNoOther(_ name: String) throws {
        let tool = try Tool()
        for (number, options) in [["--place", "1,2"], ["--set", "GPSDateStamp=2024:01:01"], ["--remove", "gps"]]
            .enumerated()
        {
            let output = tool.path("\(number)-\(name)")
            let run = try tool.run(["metadata", path(name), "-o", output] + options)
            #expect(run.status == 0)
            let lines = try tool.run("info", "--all", output).lines.filter { $0.hasPrefix("  xmp") }
            #expect(!lines.isEmpty && !lines.contains { $0.contains("GPS") })
            #expect(try tags(output, tool)["gps:GPSLatitude"] == ["1/1 0/1 0/10000", "33/1 30/1 0/1", nil][number])
        }
    }

    @Test func bytesAfterIENDAreWarnedAbout() throws {
        let tool = try Tool()
        let file = try Data(contentsOf: URL(fileURLWithPath: path("photo.png"))) + Data("secret".utf8)
        try file.write(to: URL(fileURLWithPath: tool.path("trail.png")))
        for option in ["--strip", "--strip-gps"] {
            let run = try tool.run("metadata", tool.path("trail.png"), "-o", tool.path("\(option).png"), option)
            #expect(run.status == 0 && run.errors.contains("warning: 6 bytes after the picture stay"))
            #expect(try tool.contents("\(option).png").suffix(6) == Data("secret".utf8))
        }
    }

    @Test(arguments: [
        [], ["--set", "Artist"], ["--set", "Nobody=1"], ["--set", "Orientation=up"], ["--set", "main:0xFF00=1"],
        ["--set", "ExifIFDPointer=8"], ["--remove", "nothing"], ["--place", "52"], ["--place", "91,0"],
        ["--place", "1,2,x"],
        ["--set", "ExposureTime=-1/2"], ["--set", "ISOSpeed=4294967296"],
    ])
    func whatMakesNoSenseIsWrongUsage(_ options: [String]) throws {
        let tool = try Tool()
        let run = try tool.run(["metadata", path("photo.jpg"), "-o", tool.path("x.jpg")] + options)
        #expect(run.status == 2 && run.errors.contains("Error: "))
    }

    @Test func otherFormatsAndNamesAreRefused() throws {
        let tool = try Tool()
        #expect(try tool.run("metadata", path("photo.jpg"), "-o", tool.path("x.png"), "--strip").status == 1)
        let gray = tool.path("gray.pgm")
        try Data(Array("P5\n1 1\n255\n".utf8) + [7]).write(to: URL(fileURLWithPath: gray))
        let run = try tool.run("metadata", gray, "-o", tool.path("x.pgm"), "--strip")
        #expect(run.status == 1 && run.errors.contains("replacing metadata"))
        // GIF files have comments, but no tags.
        let gif = Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif").path
        let tagged = try tool.run("metadata", gif, "-o", tool.path("x.gif"), "--set", "Artist=Ada")
        #expect(tagged.status == 1 && tagged.errors.contains("GIF files have no place for EXIF data"))
    }
}
