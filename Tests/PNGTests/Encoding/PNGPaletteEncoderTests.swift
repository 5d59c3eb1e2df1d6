import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import PNGCodec
import Testing

@Suite struct PNGPaletteEncoderTests {
    private let laws = EncoderLaws(PNGCoder(), writing: .png, isLossless: false)

    private func options(
        _ colorCount: Int, _ dithering: Dithering = .default, _ effort: EncodingOptions.Effort = .default
    ) -> EncodingOptions {
        var options = EncodingOptions()
        options.png.colorCount = colorCount
        options.png.dithering = dithering
        options.effort = effort
        return options
    }

    private func colors(_ picture: EncoderPicture, _ options: EncodingOptions) throws -> Set<[UInt16]> {
        let file = try PNGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .png, options: options)
        return Set(try ReferencePNG(file).pixels)
    }

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        // A third of the sizes each, with every dithering and effort once in three contents.
        let first = EncoderPicture.Content.allCases.firstIndex(of: content) ?? 0
        for (index, size) in EncoderPicture.sizes.enumerated() where index % 3 == first % 3 {
            let picture = try EncoderPicture(content, size: size, format: format)
            let dithering: Dithering = [.none, .blueNoise, .default][index % 3]
            var options = options([2, 17, 256][index / 3 % 3], dithering, EncodingOptions.Effort.allCases[index % 3])
            options.png.isInterlaced = index % 4 == 1
            #expect(laws.violations(picture, options) == [])
        }
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func lawsHoldForLargePictures(_ effort: EncodingOptions.Effort) throws {
        let picture = try EncoderPicture(.scene, size: PixelSize(width: 700, height: 500), format: .rgba)
        #expect(laws.violations(picture, options(256, .default, effort)) == [])
    }

    @Test(arguments: EncoderPicture.Content.allCases, [2, 3, 64, 256])
    func thereAreNoMoreColoursThanAskedFor(_ content: EncoderPicture.Content, _ colorCount: Int) throws {
        let picture = try EncoderPicture(content, size: PixelSize(width: 80, height: 50), format: .rgba)
        for dithering in [Dithering.none, .blueNoise, .default] {
            #expect(try colors(picture, options(colorCount, dithering)).count <= colorCount)
        }
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func ditheringGoesByEffortUnlessItIsAskedFor(_ effort: EncodingOptions.Effort) throws {
        let picture = try EncoderPicture(.scene, size: PixelSize(width: 90, height: 60), format: .rgb)
        let files = try [Dithering.automatic, .none, .default].map {
            try PNGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .png, options: options(16, $0, effort))
        }
        #expect(files[0] == (effort == .fast ? files[1] : files[2]))
        #expect(files[1] != files[2])
    }

    @Test(arguments: [(200, 200), (600, 4), (300, 800)], [2, 4, 13])
    func noColourOfManyRowsIsLost(_ size: (width: Int, height: Int), _ period: Int) throws {
        // Many colours first, then stripes: whichever rows are looked at, each stripe's colour has to be among them.
        var random = SeededRandom(seed: 8)
        let first = size.height / 4
        func stripe(_ y: Int) -> [UInt8] {
            [UInt8(y % period * 19), UInt8(y % period * 7 % 3 * 127), y % 2 == 0 ? 0 : 255]
        }
        let pixels = (0..<size.height).flatMap { y in
            (0..<size.width).flatMap { _ in y < first ? random.bytes(3).map { 60 + $0 % 60 } : stripe(y) }
        }
        let bitmap = try Bitmap(
            copying: pixels, size: PixelSize(width: size.width, height: size.height), format: .rgb)
        let file = try PNGCoder().encode(
            RasterImage(bitmap: bitmap), to: .png, options: options(128, .automatic, .fast))
        let found = try ReferencePNG(file).pixels
        for y in first..<size.height {
            for (value, wanted) in zip(found[y * size.width], stripe(y)) {
                #expect(abs(Int(value) / 257 - Int(wanted)) < 8, "row \(y)")
            }
        }
    }

    @Test func aPictureOfFewColoursKeepsThem() throws {
        let picture = try EncoderPicture(.text, size: PixelSize(width: 60, height: 40), format: .rgba)
        var lossless = EncodingOptions()
        lossless.effort = .best
        for colorCount in [16, 256] {
            let file = try PNGCoder().encode(
                RasterImage(bitmap: picture.bitmap), to: .png, options: options(colorCount, .blueNoise, .best))
            #expect(try file == PNGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .png, options: lossless))
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 257, .max])
    func coloursThatNoPaletteHasAreRefused(_ colorCount: Int) throws {
        let picture = try EncoderPicture(.flat, size: PixelSize(width: 3, height: 3))
        let error = #expect(throws: ImageError.self) { try colors(picture, options(colorCount)) }
        #expect(error?.code == "invalidArgument")
    }

    @Test func sixteenBitsBecomeEight() throws {
        let picture = try EncoderPicture(.ramp, size: PixelSize(width: 70, height: 60), format: .rgba16)
        #expect(try colors(picture, options(200)).allSatisfy { $0.allSatisfy { $0 % 257 == 0 } })
    }

    @Test func transparencyStays() throws {
        let picture = try EncoderPicture(.cutout, size: PixelSize(width: 90, height: 70), format: .rgba)
        let file = try PNGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .png, options: options(12))
        let alphas = try ReferencePNG(file).pixels.map { $0[3] }
        let before = try ReferencePNG(
            PNGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .png, options: .default))
        for (alpha, wanted) in zip(alphas, before.pixels.map { $0[3] }) {
            #expect((alpha == 0) == (wanted == 0) && (alpha == 65535) == (wanted == 65535))
        }
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        let picture = try EncoderPicture(content, size: PixelSize(width: 90, height: 60), format: .rgba)
        #expect(laws.sizeLimitsAreMet(picture, options(100)) == [])
    }

    @Test func coloursAreTakenAwayBeforePixels() throws {
        let picture = try EncoderPicture(.noise, size: PixelSize(width: 120, height: 90), format: .rgb)
        let image = RasterImage(bitmap: picture.bitmap)
        var options = EncodingOptions()
        let whole = try PNGCoder().encode(image, to: .png, options: options).count
        options.maxFileByteCount = whole / 3
        let reduced = try ReferencePNG(PNGCoder().encode(image, to: .png, options: options))
        #expect(reduced.width == 120 && (100...128).contains(Set(reduced.pixels).count))
        options.png.mayReduceColors = false
        let scaled = try ReferencePNG(PNGCoder().encode(image, to: .png, options: options))
        #expect(scaled.width < 120 && Set(scaled.pixels).count > 256)
        options.mayScaleDown = false
        #expect(throws: ImageError.self) { try PNGCoder().encode(image, to: .png, options: options) }
    }

    @Test func memoryForFewerColoursIsInTheEstimate() throws {
        let picture = try EncoderPicture(.scene, size: PixelSize(width: 200, height: 150), format: .rgb)
        var options = EncodingOptions()
        for most in [20_000, 6000, 1500] {
            options.maxFileByteCount = most
            #expect(laws.memoryStaysWithinTheEstimate(picture, options) == [])
            #expect(laws.limitsAreCheckedFirst(picture, options) == [])
        }
    }
}
