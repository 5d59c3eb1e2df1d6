import CodecTestSupport
import Foundation
import Testing

@Suite struct InfoCommandTests {
    private func info(_ name: String) throws -> [String: Any] {
        let run = try Tool().run("info", "--json", Fixture.folder("png").appendingPathComponent(name).path)
        #expect(run.status == 0)
        return try #require(try run.objects().first)
    }

    @Test func tellsSizeSamplesAndMemory() throws {
        let info = try info("landscape.png")
        #expect(info["format"] as? String == "png")
        #expect(info["mimeType"] as? String == "image/png")
        #expect(info["width"] as? Int == 240)
        #expect(info["height"] as? Int == 160)
        #expect(info["hasAlpha"] as? Bool == false)
        #expect(info["bitDepth"] as? Int == 8)
        #expect(info["frameCount"] as? Int == 1)
        #expect(info["loopCount"] is NSNull)
        #expect(info["fileByteCount"] as? Int == 23574)
        // 240 pixels of four bytes are 960 bytes, already a multiple of 64.
        #expect(info["decodedByteCount"] as? Int == 960 * 160)
        #expect(try #require(info["estimatedPeakByteCount"] as? Int) >= 960 * 160)
    }

    @Test func tellsMetadataInFrontOfThePixels() throws {
        let metadata = try #require(try info("landscape.png")["metadata"] as? [String: Any])
        let texts = try #require(metadata["texts"] as? [[String: String]])
        #expect(texts.contains(["keyword": "Title", "text": "Sunset"]))
        #expect(texts.contains(["keyword": "Description", "text": "Computed by Scripts/make-fixtures"]))
        #expect(
            texts.contains([
                "keyword": "Comment", "text": "Grüße aus dem Hafen", "language": "de",
                "translatedKeyword": "Kommentar",
            ]))
        // 144 dots per inch are 5669 per meter.
        let density = try #require(metadata["density"] as? [String: Any])
        #expect(density["x"] as? Int == 5669)
        #expect(density["unit"] as? String == "meter")
    }

    @Test func tellsInterlacingAndOrientation() throws {
        #expect(try info("landscape-adam7.png")["isProgressive"] as? Bool == true)
        #expect(try info("turned-exif6.png")["orientation"] as? Int == 6)
    }

    @Test func textStartsWithThePath() throws {
        let path = Fixture.folder("png").appendingPathComponent("chart-palette.png").path
        let run = try Tool().run("info", path)
        #expect(run.lines.first == path)
        #expect(run.text.contains("180x110 pixels"))
        #expect(run.text.contains("palette, 4 bits, with alpha"))
    }
}
