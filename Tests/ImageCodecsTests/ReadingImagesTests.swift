import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct ReadingImagesTests {
    @Test(arguments: Fixture.sound("png") + Fixture.sound("jpeg"))
    func filesDecodeToTheReferencePixels(_ fixture: Fixture) throws {
        var options = DecodingOptions()
        options.appliesOrientation = false
        options.pixelFormat = .rgba
        let image = try RasterImage(contentsOfFile: fixture.url.path, options: options)
        #expect(image.size == PixelSize(width: try #require(fixture.width), height: try #require(fixture.height)))
        #expect(try PixelDigest.crc32(of: image.bitmap) == fixture.crc)
        #expect(image.format == ImageFormat(pathExtensionOf: fixture.name))
        #expect(!image.isPartial)
    }

    @Test(arguments: Fixture.damaged("png") + Fixture.damaged("jpeg"))
    func damagedFilesThrow(_ fixture: Fixture) throws {
        let bytes = Array(try Data(contentsOf: fixture.url))
        let error = #expect(throws: ImageError.self) { try RasterImage(bytes) }
        #expect(error?.code == fixture.errorCode)
    }

    @Test func theFileNameSetsTheScale() throws {
        let path = Fixture.folder("png").appendingPathComponent("badge@2x.png").path
        #expect(try RasterImage(contentsOfFile: path).scale == 2)
        var options = DecodingOptions()
        options.scaleFactor = 3
        #expect(try RasterImage(contentsOfFile: path, options: options).scale == 3)
        #expect(try RasterImage(ImageData(contentsOfFile: path)).scale == 1)
    }

    @Test func theDefaultIsDisplayReadyAndUpright() throws {
        let turned = try RasterImage(
            contentsOfFile: Fixture.folder("png").appendingPathComponent("turned-exif6.png").path)
        #expect(turned.size == PixelSize(width: 40, height: 60))
        #expect(turned.orientation == .up)
        #expect(turned.bitmap.format == .bgrx)
        let badge = try RasterImage(contentsOfFile: Fixture.folder("png").appendingPathComponent("badge@2x.png").path)
        #expect(badge.bitmap.format == .bgraPremultiplied)
    }

    @Test func headersAloneTellTheSize() throws {
        let path = Fixture.folder("png").appendingPathComponent("heights-gray16.png").path
        let info = try ImageInfo(contentsOfFile: path)
        #expect(info.size == PixelSize(width: 64, height: 48))
        #expect(info.bitDepth == 16)
    }

    @Test func bytesOfNoKnownFormatAreRefused() {
        #expect(throws: ImageError.unknownFormat) { try RasterImage([UInt8]("plain text".utf8)) }
        #expect(throws: ImageError.unknownFormat) { try RasterImage([UInt8]()) }
    }

    @Test func recognisedFormatsWithoutACoderAreUnsupported() {
        let bytes = Array("%PDF-1.7\n".utf8)
        let error = #expect(throws: ImageError.self) { try RasterImage(bytes) }
        #expect(error == .unsupported(.pdf, feature: "decoding"))
    }

    @Test func whatDoesNotStartLikeAnImageIsNotRead() throws {
        // Endless: an attempt to read it whole would end at the limit with another error.
        #expect(throws: ImageError.unknownFormat) { try ImageInfo(contentsOfFile: "/dev/zero") }
        #expect(throws: ImageError.unknownFormat) { try RasterImage(contentsOfFile: "/dev/zero") }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).bin").path
        #expect(FileManager.default.createFile(atPath: path, contents: Data("%PDF-1.7\n".utf8)))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try #require(FileHandle(forWritingAtPath: path))
        // A hole of 3 GB.
        try file.truncate(atOffset: 3 << 30)
        try file.close()
        #expect(throws: ImageError.unsupported(.pdf, feature: "decoding")) { try ImageInfo(contentsOfFile: path) }
        #expect(throws: ImageError.unsupported(.pdf, feature: "decoding")) { try RasterImage(contentsOfFile: path) }
    }

    @Test func filesOverTheInputLimitAreRefused() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        var options = DecodingOptions()
        options.limits.maxInputByteCount = 23_574
        #expect(try RasterImage(contentsOfFile: path, options: options).size == PixelSize(width: 240, height: 160))
        #expect(try ImageInfo(contentsOfFile: path, options: options).size == PixelSize(width: 240, height: 160))
        options.limits.maxInputByteCount = 23_573
        let refusal = ImageError.limitExceeded(.input, requested: 23_574, allowed: 23_573)
        #expect(throws: refusal) { try RasterImage(contentsOfFile: path, options: options) }
        #expect(throws: refusal) { try ImageInfo(contentsOfFile: path, options: options) }
    }

    @Test func aMissingFileIsNamed() {
        let error = #expect(throws: ImageError.self) { try RasterImage(contentsOfFile: "/nonexistent/cat.png") }
        #expect(error?.code == "inputOutput")
    }
}
