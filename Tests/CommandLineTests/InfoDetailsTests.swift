import CodecTestSupport
import Foundation
import ImagePhotoMetadata
import Testing

/// What info tells besides size and samples: camera, profile, quality; and lines of the caller's own form.
@Suite struct InfoDetailsTests {
    private static func bytes(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * (count - 1 - $0)) & 255) }
    }

    private static func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
        bytes(tag, 2) + bytes(type, 2) + bytes(count) + (value + [0, 0, 0, 0]).prefix(4)
    }

    /// Main directory at 8, texts at 74, Exif directory at 90, its values at 156, GPS directory at 200, its values at 266.
    private static let exif: [UInt8] =
        Array("MM".utf8) + [0, 42] + bytes(8) + bytes(4, 2)
        + entry(0x010F, 2, 6, bytes(74)) + entry(0x0110, 2, 8, bytes(80)) + entry(0x8769, 4, 1, bytes(90))
        + entry(0x8825, 4, 1, bytes(200)) + bytes(0) + [UInt8](repeating: 0, count: 12)
        + Array("Maker\0".utf8) + Array("Model 1\0".utf8) + [0, 0]
        + bytes(5, 2)
        + entry(0x829A, 5, 1, bytes(156)) + entry(0x829D, 5, 1, bytes(164)) + entry(0x8827, 3, 1, bytes(200, 2))
        + entry(0x9003, 2, 20, bytes(180)) + entry(0x920A, 5, 1, bytes(172)) + bytes(0)
        + bytes(1) + bytes(250) + bytes(28) + bytes(10) + bytes(35) + bytes(1) + Array("2024:05:06 07:08:09\0".utf8)
        + bytes(4, 2)
        + entry(1, 2, 2, Array("S\0".utf8)) + entry(2, 5, 3, bytes(266)) + entry(3, 2, 2, Array("E\0".utf8))
        + entry(4, 5, 3, bytes(290)) + bytes(0) + [UInt8](repeating: 0, count: 12)
        + bytes(33) + bytes(1) + bytes(30) + bytes(1) + bytes(0) + bytes(1)
        + bytes(151) + bytes(1) + bytes(12) + bytes(1) + bytes(36) + bytes(1)

    /// A picture with EXIF data and a profile called "Grayish".
    private static let file: Data = {
        let profile =
            [UInt8](repeating: 0, count: 128) + bytes(1) + Array("desc".utf8) + bytes(144) + bytes(20)
            + Array("desc".utf8) + bytes(0) + bytes(8) + Array("Grayish\0".utf8)
        return Data(
            PNGBuilder.onePixel(chunks: [
                ("iCCP", Array("name".utf8) + [0, 0] + PNGBuilder.stored(profile)), ("eXIf", exif),
            ]))
    }()

    private func path(_ tool: borrowing Tool) throws -> String {
        try Self.file.write(to: tool.folder.appendingPathComponent("a.png"))
        return tool.path("a.png")
    }

    @Test func cameraAndExposureAreTold() throws {
        let tool = try Tool()
        let text = try tool.run("info", path(tool)).text
        #expect(text.contains("camera        Maker Model 1\n"))
        #expect(text.contains("taken         2024-05-06T07:08:09\n"))
        #expect(text.contains("exposure      1/250 s, f/2.8, ISO 200, 35 mm\n"))
        #expect(text.contains("colours       Grayish; this is no ICC profile at byte 36\n"))
        #expect(text.contains("alpha         no\n") && text.contains("frames        1\n"))
        #expect(!text.contains("position"))
        let object = try #require(try tool.run("info", "--json", path(tool)).objects().first)
        let exif = try #require(object["exif"] as? [String: Any])
        #expect(exif["model"] as? String == "Model 1" && exif["iso"] as? Int == 200)
        #expect(exif["fNumber"] as? Double == 2.8 && exif["exposureTime"] as? String == "1/250")
        #expect(exif["gps"] == nil && object["iccProfileDescription"] as? String == "Grayish")
    }

    @Test func thePlaceIsToldOnlyOnRequest() throws {
        let tool = try Tool()
        #expect(try tool.run("info", "--gps", path(tool)).text.contains("position      -33.500000, 151.210000\n"))
        let object = try #require(try tool.run("info", "--gps", "--json", path(tool)).objects().first)
        let gps = try #require((object["exif"] as? [String: Any])?["gps"] as? [String: Any])
        #expect(gps["latitude"] as? Double == -33.5 && gps["longitude"] as? Double == 151.21)
    }

    @Test(arguments: [("landscape-420.jpg", 85, "4:2:0"), ("landscape-progressive.jpg", 80, "4:4:4")])
    func qualityAndSubsamplingOfJPEGAreTold(_ name: String, _ quality: Int, _ sampling: String) throws {
        // The qualities are those that Scripts/make-fixtures asked Pillow for.
        let url = Fixture.folder("jpeg").appendingPathComponent(name)
        for arguments in [[url.path], ["-"]] {
            let run = try Tool().run(["info"] + arguments, input: url)
            let note = "estimated from the luminance table, exactly the standard's at this setting"
            #expect(run.text.contains("quality       \(quality) of 100 (\(note))\n"))
            #expect(run.text.contains("subsampling   \(sampling)\n"))
        }
        let object = try #require(try Tool().run("info", "--json", url.path).objects().first)
        #expect(object["jpegQuality"] as? Int == quality && object["jpegQualityIsExact"] as? Bool == true)
        #expect(object["chromaSubsampling"] as? String == sampling)
    }

    @Test func linesAreFilledIn() throws {
        let path = Fixture.folder("png").appendingPathComponent("turned-exif6.png").path
        let template = #"{name}\t{width}x{height} {format} {frames} {alpha} {orientation} {mime} {{}}\n"#
        let run = try Tool().run("info", "--format", template, path)
        #expect(run.text == "turned-exif6.png\t60x40 png 1 no 6 image/png {}\n\n")
        let bytes = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(try Tool().run("info", "--format", "{bytes}", path).text == "\(bytes)\n")
    }

    @Test func linesOfNoSenseAreWrongUsage() throws {
        let run = try Tool().run("info", "--format", "{nonsense}", "x.png")
        #expect(run.status == 2)
        #expect(run.errors.contains("known are {path}, {name}, {format}, {width}"))
        #expect(try Tool().run("info", "--format", "{width}", "--json", "x.png").status == 2)
    }
}
