import Foundation
import ImageCodecs
import QOI
import Testing

@Suite struct QOIEncoderTests {
    private func picture(_ fixture: Fixture) throws -> RasterImage {
        try QOICoder().decode(ImageData(fixture.file), options: .exact(fixture.format))
    }

    private func encode(_ image: RasterImage, _ change: (inout EncodingOptions) -> Void = { _ in }) throws -> [UInt8] {
        var options = EncodingOptions()
        change(&options)
        return try QOICoder().encode(image, to: QOICoder.format, options: options)
    }

    @Test(arguments: Fixture.all)
    func filesAreThoseOfTheReferenceEncoder(_ fixture: Fixture) throws {
        #expect(try encode(picture(fixture)) == fixture.file)
    }

    @Test func otherPixelFormatsComeBackAsTheyWere() throws {
        for format in [PixelFormat.gray, .bgrx, .bgraPremultiplied] {
            let bitmap = try picture(.soft).bitmap.converted(to: format)
            let file = try encode(RasterImage(bitmap: bitmap))
            let back = try QOICoder().decode(ImageData(file), options: .exact(format)).bitmap
            #expect(try back.converted(to: .rgb) == bitmap.converted(to: .rgb))
        }
    }

    @Test func boxBackgroundAndSizeOfTheFileAreHonoured() throws {
        let image = try picture(.softAlpha)
        let boxed = try QOICoder().inspect(
            ImageData(encode(image) { $0.maxPixelSize = PixelSize(width: 10, height: 10) }), options: .default)
        #expect(max(boxed.size.width, boxed.size.height) == 10)
        let flat = try QOICoder().inspect(
            ImageData(encode(image) { $0.background = SIMD3(1, 2, 3) }), options: .default)
        #expect(!flat.hasAlpha)
        let small = try encode(image) { $0.maxFileByteCount = 1000 }
        #expect(small.count <= 1000)
        #expect(try QOICoder().inspect(ImageData(small), options: .default).size.width < 40)
        #expect(throws: ImageError.self) { try encode(image) { $0.maxFileByteCount = 0 } }
    }

    @Test func rowsBecomeBytesAsTheyCome() throws {
        let size = PixelSize(width: 300, height: 200)
        var random = SystemRandomNumberGenerator()
        let pixels = (0..<4 * size.width * size.height).map { _ in UInt8.random(in: 0...255, using: &random) }
        var session = try CoderRegistry([QOICoder()]).makeEncodingSession(
            to: QOICoder.format, size: size, pixelFormat: .rgba)
        #expect(session.isStreaming && session.estimatedPeakByteCount < pixels.count)
        var file: [UInt8] = []
        for start in stride(from: 0, to: pixels.count, by: 4 * size.width) {
            try session.write(pixels.span.extracting(start..<start + 4 * size.width)) { (bytes) throws(ImageError) in
                file += (0..<bytes.count).map { bytes[$0] }
            }
        }
        #expect(file.count > pixels.count / 2)
        try session.finish { (bytes) throws(ImageError) in file += (0..<bytes.count).map { bytes[$0] } }
        let bitmap = try Bitmap(copying: pixels, size: size, format: .rgba, bytesPerRow: 4 * size.width)
        #expect(try file == encode(RasterImage(bitmap: bitmap)))
        #expect(try QOICoder().decode(ImageData(file), options: .exact(.rgba)).bitmap == bitmap)
    }

    @Test func aQualityMeansNothing() throws {
        let registry = CoderRegistry([QOICoder()])
        #expect(!registry.usesQuality(writing: QOICoder.format))
        #expect(throws: ImageError.self) { try encode(picture(.soft)) { $0.quality = 0.5 } }
    }

    @Test func anEmptyPictureIsRefused() {
        #expect(throws: ImageError.self) { try encode(RasterImage(bitmap: .empty)) }
    }

    @Test func aRegisteredFormatIsKnownByItsExtension() throws {
        let token = CoderRegistry.shared.addQOI()
        defer { CoderRegistry.shared.remove(token) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "qoi-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "picture.qoi").path
        try picture(.soft).write(toFile: path)
        let image = try RasterImage(contentsOfFile: path, options: .exact(.rgb))
        #expect(image.format == QOICoder.format)
        #expect(image.bitmap.packedBytes() == Fixture.soft.pixels)
        #expect(image.format?.name == "QOI" && image.format?.mimeType == "image/qoi")
        #expect(ImageFormat(fileExtension: "QOI") == QOICoder.format)
        #expect("\(ImageError.truncated(QOICoder.format, offset: 9))".contains("QOI"))
    }
}
