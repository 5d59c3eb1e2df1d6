import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct WritingImagesTests {
    private static func image(_ name: String) throws -> RasterImage {
        try RasterImage(contentsOfFile: Fixture.folder("png").appendingPathComponent(name).path)
    }

    private static func temporaryPath(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)").path
    }

    @Test(arguments: Fixture.sound("png"))
    func aWrittenFileHoldsTheSamePixels(_ fixture: Fixture) throws {
        var options = DecodingOptions()
        options.pixelFormat = nil
        options.appliesOrientation = false
        let path = Self.temporaryPath("copy.png")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try RasterImage(contentsOfFile: fixture.url.path, options: options).write(toFile: path)
        let copy = try RasterImage(contentsOfFile: path, options: options)
        #expect(try PixelDigest.crc32(of: copy.bitmap) == fixture.crc)
    }

    @Test func qualityIsForFormatsThatHaveOne() throws {
        let picture = try Self.image("landscape.png")
        var options = EncodingOptions()
        options.quality = 0.6
        #expect(try picture.encoded(as: .jpeg, quality: 0.6) == picture.encoded(as: .jpeg, options: options))
        #expect(EncodingOptions(quality: 0.6) == options)
        let error = #expect(throws: ImageError.self) { try picture.encoded(as: .png, quality: 0.6) }
        #expect(error?.code == "invalidArgument")
        #expect(!CoderRegistry.shared.usesQuality(writing: .png))
        #expect(CoderRegistry.shared.usesQuality(writing: .webp))
        #expect(try RasterImage(picture.encoded(as: .webp, quality: 0.6)).isLossy)
        // Nobody named PNG, which pictures with alpha become.
        let badge = try Self.image("badge@2x.png")
        #expect(try badge.encoded(quality: 0.6) == badge.encoded(as: .png))
        options.webp.isLossless = true
        #expect(!CoderRegistry.shared.usesQuality(writing: .webp, options: options))
        options.webp.isNearLossless = true
        #expect(CoderRegistry.shared.usesQuality(writing: .webp, options: options))
    }

    @Test func aPixelOfAnImageIsThatOfItsBitmap() throws {
        var bitmap = try Bitmap(size: PixelSize(width: 2, height: 1), format: .rgba)
        try bitmap.withMutableRow(0) { row in
            for (place, byte) in ([9, 8, 7, 255, 1, 2, 3, 4] as [UInt8]).enumerated() { row[place] = byte }
        }
        let image = RasterImage(bitmap: bitmap)
        #expect(image[1, 0].rgba8 == SIMD4(1, 2, 3, 4) && image[0, 0].rgba8 == SIMD4(9, 8, 7, 255))
    }

    @Test func theExtensionOfTheFileChoosesTheFormat() throws {
        let path = Self.temporaryPath("copy.PNG")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.image("landscape.png").write(toFile: path)
        #expect(try ImageInfo(contentsOfFile: path).format == .png)
    }

    @Test func transparentPicturesWithoutANamedFormatBecomePNG() throws {
        let bytes = try Self.image("badge@2x.png").encoded()
        #expect(ImageFormat(sniffing: bytes.span) == .png)
    }

    @Test func anExtensionNobodyKnowsIsRefusedByName() throws {
        let path = Self.temporaryPath("copy.xyz")
        let error = #expect(throws: ImageError.self) { try Self.image("badge@2x.png").write(toFile: path) }
        #expect(error?.code == "invalidArgument")
        #expect(error?.description.contains(".xyz") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try Self.image("badge@2x.png").write(toFile: path, format: .png)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try ImageInfo(contentsOfFile: path).format == .png)
    }

    @Test(arguments: ["copy", "copy."])
    func withoutAnExtensionTheImageChoosesTheFormat(_ name: String) throws {
        let path = Self.temporaryPath(name)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.image("landscape.png").write(toFile: path)
        #expect(try ImageInfo(contentsOfFile: path).format == .jpeg)
        try Self.image("badge@2x.png").write(toFile: path)
        #expect(try ImageInfo(contentsOfFile: path).format == .png)
    }

    @Test func formatsNobodyWritesAreRefusedBeforeTheFileIsTouched() throws {
        let path = Self.temporaryPath("copy.tiff")
        let error = #expect(throws: ImageError.self) { try Self.image("badge@2x.png").write(toFile: path) }
        #expect(error?.code == "unsupported")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aFolderThatIsNotThereIsAnInputOutputError() throws {
        let error = #expect(throws: ImageError.self) {
            try Self.image("badge@2x.png").write(toFile: "/nonexistent/folder/copy.png")
        }
        #expect(error?.code == "inputOutput")
    }
}
