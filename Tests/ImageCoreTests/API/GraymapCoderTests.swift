import ImageCodecsCore
import Testing

/// The coder of the article "Writing a coder" keeps the contract of the protocol.
@Suite struct GraymapCoderTests {
    /// Two rows of three pixels.
    private static let file = Array("P5\n3 2\n255\n".utf8) + [0, 128, 255, 10, 20, 30]

    @Test func aRegistryDecodesWithIt() throws {
        let registry = CoderRegistry([GraymapCoder()])
        let token = registry.add(GraymapCoder())
        var options = DecodingOptions()
        options.pixelFormat = .gray
        let image = try registry.decode(ImageData(Self.file), options: options)
        #expect(image.bitmap.packedBytes() == [0, 128, 255, 10, 20, 30])
        registry.remove(token)
    }

    @Test func theDefaultIsDisplayReady() throws {
        let image = try GraymapCoder().decode(ImageData(Self.file), options: .default)
        #expect(image.bitmap.format == .bgrx)
        #expect(Array(image.bitmap.packedBytes().prefix(8)) == [0, 0, 0, 255, 128, 128, 128, 255])
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let image = try GraymapCoder().decode(ImageData(Self.file), options: .default)
        #expect(try GraymapCoder().encode(image, to: GraymapCoder.format, options: .default) == Self.file)
    }

    @Test(arguments: 0..<17)
    func everyPrefixEnds(_ count: Int) throws {
        let start = ImageData(Array(Self.file.prefix(count)))
        #expect(throws: ImageError.truncated(GraymapCoder.format, offset: count)) {
            try GraymapCoder().decode(start, options: .default)
        }
        var options = DecodingOptions()
        options.strictness = .tolerant
        if count < 14 {
            #expect(throws: ImageError.self) { try GraymapCoder().decode(start, options: options) }
        } else {
            #expect(try GraymapCoder().decode(start, options: options).partial?.rows == [0..<1])
        }
    }

    @Test func limitsComeFirst() throws {
        var options = DecodingOptions()
        options.limits.maxPixelCount = 5
        #expect(throws: ImageError.limitExceeded(.pixels, requested: 6, allowed: 5)) {
            try GraymapCoder().inspect(ImageData(Self.file), options: options)
        }
        let huge = Array("P5\n2147483647 2147483647\n255\n".utf8)
        #expect(throws: ImageError.self) { try GraymapCoder().decode(ImageData(huge), options: .default) }
        options.limits = .unlimited
        #expect(throws: ImageError.self) { try GraymapCoder().decode(ImageData(huge), options: options) }
    }

    @Test func thumbnailsFitTheirBox() throws {
        let image = try GraymapCoder().decode(ImageData(Self.file), options: .thumbnail(width: 2, height: 2))
        #expect(image.size == PixelSize(width: 2, height: 1))
    }
}
