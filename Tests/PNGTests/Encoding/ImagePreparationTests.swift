import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct ImagePreparationTests {
    private func written(_ image: RasterImage, _ change: (inout EncodingOptions) -> Void) throws -> ReferencePNG {
        var options = EncodingOptions()
        change(&options)
        return try ReferencePNG(PNGCoder().encode(image, to: .png, options: options))
    }

    @Test(arguments: [PixelFormat.rgba, .grayAlpha, .bgraPremultiplied, .rgbaPremultiplied])
    func backgroundShowsThroughByAlpha(_ format: PixelFormat) throws {
        var random = SeededRandom(seed: 31)
        let (bitmap, pixels) = try testBitmap(PixelSize(width: 60, height: 9), format, .noise, random: &random)
        let background: [UInt16] = [10, 200, 90]
        let file = try written(RasterImage(bitmap: bitmap)) { $0.background = SIMD3(10, 200, 90) }
        #expect(file.colorType == 2)
        for (read, source) in zip(file.pixels, pixels) {
            let alpha = source[3] / 257
            for channel in 0..<3 {
                let sum = Int(source[channel] / 257) * Int(alpha) + Int(background[channel]) * Int(255 - alpha)
                #expect(Int(read[channel] / 257) == (sum * 2 + 255) / 510)
            }
        }
    }

    @Test func backgroundKeepsSixteenBits() throws {
        var random = SeededRandom(seed: 32)
        let (bitmap, pixels) = try testBitmap(PixelSize(width: 60, height: 9), .rgba16, .noise, random: &random)
        let file = try written(RasterImage(bitmap: bitmap)) { $0.background = SIMD3(255, 1, 0) }
        #expect(file.colorType == 2 && file.depth == 16)
        for (read, source) in zip(file.pixels, pixels) {
            for (channel, background) in [65535, 257, 0].enumerated() {
                let sum = Int(source[channel]) * Int(source[3]) + background * (65535 - Int(source[3]))
                #expect(Int(read[channel]) == (sum * 2 + 65535) / 131070)
            }
        }
    }

    @Test func picturesAreFittedIntoTheBoxAsViewed() throws {
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 400, height: 100), format: .rgb))
        let upright = try written(image) { $0.maxPixelSize = PixelSize(width: 100, height: 50) }
        #expect(upright.width == 100 && upright.height == 25)
        image.orientation = .right
        let turned = try written(image) { $0.maxPixelSize = PixelSize(width: 100, height: 50) }
        #expect(turned.width == 50 && turned.height == 13)
        let larger = try written(image) { $0.maxPixelSize = PixelSize(width: 1000, height: 1000) }
        #expect(larger.width == 400 && larger.height == 100)
    }

    @Test(arguments: [60_000, 20_000, 3_000, 400])
    func filesAreScaledDownUntilTheyFit(_ limit: Int) throws {
        var random = SeededRandom(seed: 33)
        let size = PixelSize(width: 200, height: 120)
        let image = RasterImage(bitmap: try testBitmap(size, .rgb, .noise, random: &random).bitmap)
        var options = EncodingOptions()
        options.maxFileByteCount = limit
        options.png.mayReduceColors = false
        let file = try PNGCoder().encode(image, to: .png, options: options)
        #expect(file.count <= limit)
        // Not much smaller than necessary either.
        #expect(file.count * 2 > limit)
        let read = try ReferencePNG(file)
        #expect(abs(Double(read.width) / Double(read.height) - 5 / 3) < 0.25)
    }

    @Test func filesThatFitAreNotScaled() throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 30, height: 20), format: .rgb))
        #expect(try written(image) { $0.maxFileByteCount = 200 }.width == 30)
    }

    @Test(arguments: [Int.min, -1, 0])
    func fileSizesOfNothingAreInvalidArguments(_ limit: Int) throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 30, height: 20), format: .rgb))
        let error = #expect(throws: ImageError.self) { try written(image) { $0.maxFileByteCount = limit } }
        #expect(error?.code == "invalidArgument")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0.8, 2, .greatestFiniteMagnitude])
    func aQualityMeansNothingAndIsRefused(_ quality: Double) throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 9, height: 9), format: .rgb))
        let error = #expect(throws: ImageError.self) { try written(image) { $0.quality = quality } }
        #expect(
            error == .invalidArgument("PNG written with these options loses nothing, so a quality means nothing for it")
        )
    }

    @Test(arguments: [Int.min, -1, 0, .max], [Int.min, 0, 10, .max])
    func sidesOfTheBoxThatMakeNoSenseDoNotBind(_ width: Int, _ height: Int) throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 40, height: 20), format: .rgb))
        let file = try written(image) { $0.maxPixelSize = PixelSize(width: width, height: height) }
        #expect([file.width, file.height] == (height == 10 ? [20, 10] : [40, 20]))
    }

    @Test func impossibleFileSizesAreRefused() throws {
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 30, height: 20), format: .rgb))
        #expect(throws: ImageError.self) { try written(image) { $0.maxFileByteCount = 40 } }
        #expect(throws: ImageError.self) { try written(image) { $0.maxFileByteCount = -1 } }
        image.metadata.texts = [TextEntry(keyword: "Title", text: String(repeating: "x", count: 900))]
        #expect(throws: ImageError.self) { try written(image) { $0.maxFileByteCount = 500 } }
    }
}
