import CodecTestSupport
import ImageCodecs
import Testing

/// Files that may not be longer than some bytes, and may lose nothing.
@Suite struct KeptPixelsTests {
    private static let image: RasterImage = {
        let size = PixelSize(width: 160, height: 120)
        return RasterImage(bitmap: (try? EncoderPicture(.scene, size: size, format: .rgb).bitmap) ?? .empty)
    }()

    private func options(_ effort: EncodingOptions.Effort, atMost byteCount: Int? = nil) -> EncodingOptions {
        var options = EncodingOptions()
        options.effort = effort
        options.keepsPixels = true
        options.maxFileByteCount = byteCount
        return options
    }

    @Test(arguments: [ImageFormat.png, .webP]) func moreEffortIsTriedBeforeAnythingIsLost(_ format: ImageFormat) throws
    {
        let image = Self.image
        let counts = try EncodingOptions.Effort.allCases.map {
            try image.encoded(as: format, options: options($0)).count
        }
        let smallest = try #require(counts.min())
        let file = try image.encoded(as: format, options: options(.fast, atMost: smallest))
        #expect(file.count == smallest)
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgb
        #expect(try RasterImage(ImageData(file), options: decoding).bitmap == image.bitmap)
        // A limit that does not bind changes nothing.
        #expect(
            try image.encoded(as: format, options: options(.fast, atMost: counts[0]))
                == image.encoded(as: format, options: options(.fast)))
        do {
            _ = try image.encoded(as: format, options: options(.fast, atMost: smallest - 1))
            Issue.record("something was lost")
        } catch {
            #expect(error.description.contains("has \(smallest) bytes, \(smallest - 1) are allowed"))
        }
    }

    @Test func samplesOfSixteenBitsStay() throws {
        let size = PixelSize(width: 90, height: 90)
        let image = RasterImage(bitmap: try EncoderPicture(.scene, size: size, format: .gray16).bitmap)
        #expect(throws: ImageError.self) { try image.encoded(as: .png, options: options(.default, atMost: 500)) }
    }

    @Test func formatsThatAlwaysLoseSomethingAreRefused() throws {
        #expect(throws: ImageError.unsupported(.jpeg, feature: "writing it without loss")) {
            try Self.image.encoded(as: .jpeg, options: options(.default))
        }
        // More colours than a table holds.
        #expect(throws: ImageError.self) { try Self.image.encoded(as: .gif, options: options(.default)) }
    }

    @Test(arguments: [ImageFormat.apng, .gif, .webP]) func animationsAreNotScaledEither(_ format: ImageFormat) throws {
        let size = PixelSize(width: 40, height: 30)
        let frames = try (0..<3).map { number in
            var bitmap = try Bitmap(size: size, format: .rgb)
            bitmap.withMutableRowBytes(number * 7) {
                $0.storeBytes(of: UInt8(40 * number + 9), toByteOffset: 5, as: UInt8.self)
            }
            return ImageFrame(bitmap: bitmap, duration: .milliseconds(100))
        }
        var image = RasterImage(bitmap: frames[0].bitmap)
        image.animation = RasterImage.Animation(frames: frames, loopCount: 0)
        let whole = try image.encoded(as: format, options: options(.best))
        #expect(throws: ImageError.self) {
            try image.encoded(as: format, options: options(.fast, atMost: whole.count / 2))
        }
        let most = max(whole.count, 1)
        #expect(try image.encoded(as: format, options: options(.best, atMost: most)).count <= most)
    }
}
