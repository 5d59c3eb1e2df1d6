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
        let image = try Image(contentsOfFile: fixture.url.path, options: options)
        #expect(image.size == PixelSize(width: try #require(fixture.width), height: try #require(fixture.height)))
        #expect(try PixelDigest.crc32(of: image.bitmap) == fixture.crc)
        #expect(image.format == ImageFormat(pathExtensionOf: fixture.name))
        #expect(!image.isPartial)
    }

    @Test(arguments: Fixture.damaged("png") + Fixture.damaged("jpeg"))
    func damagedFilesThrow(_ fixture: Fixture) throws {
        let bytes = Array(try Data(contentsOf: fixture.url))
        let error = #expect(throws: ImageError.self) { try Image(bytes) }
        #expect(error?.code == fixture.errorCode)
    }

    @Test func theFileNameSetsTheScale() throws {
        let path = Fixture.folder("png").appendingPathComponent("badge@2x.png").path
        #expect(try Image(contentsOfFile: path).scale == 2)
        var options = DecodingOptions()
        options.scaleFactor = 3
        #expect(try Image(contentsOfFile: path, options: options).scale == 3)
        #expect(try Image(ImageData(contentsOfFile: path)).scale == 1)
    }

    @Test func theDefaultIsDisplayReadyAndUpright() throws {
        let turned = try Image(contentsOfFile: Fixture.folder("png").appendingPathComponent("turned-exif6.png").path)
        #expect(turned.size == PixelSize(width: 40, height: 60))
        #expect(turned.orientation == .up)
        #expect(turned.bitmap.format == .bgrx)
        let badge = try Image(contentsOfFile: Fixture.folder("png").appendingPathComponent("badge@2x.png").path)
        #expect(badge.bitmap.format == .bgraPremultiplied)
    }

    @Test func headersAloneTellTheSize() throws {
        let path = Fixture.folder("png").appendingPathComponent("heights-gray16.png").path
        let info = try ImageInfo(contentsOfFile: path)
        #expect(info.size == PixelSize(width: 64, height: 48))
        #expect(info.bitDepth == 16)
    }

    @Test func bytesOfNoKnownFormatAreRefused() {
        #expect(throws: ImageError.unknownFormat) { try Image([UInt8]("plain text".utf8)) }
        #expect(throws: ImageError.unknownFormat) { try Image([UInt8]()) }
    }

    @Test func recognisedFormatsWithoutACoderAreUnsupported() {
        let bytes = Array("%PDF-1.7\n".utf8)
        let error = #expect(throws: ImageError.self) { try Image(bytes) }
        #expect(error == .unsupported(.pdf, feature: "decoding"))
    }

    @Test func aMissingFileIsNamed() {
        let error = #expect(throws: ImageError.self) { try Image(contentsOfFile: "/nonexistent/cat.png") }
        #expect(error?.code == "inputOutput")
    }
}
