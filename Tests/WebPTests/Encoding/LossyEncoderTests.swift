import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// Files with loss.
@Suite struct LossyEncoderTests {
    private let laws = EncoderLaws(WebPCoder(), writing: .webP, isLossless: false)

    private func options(_ quality: Double? = nil, _ effort: EncodingOptions.Effort = .default) -> EncodingOptions {
        var options = EncodingOptions(effort: effort)
        options.webp.isLossless = false
        options.quality = quality
        return options
    }

    private func encoded(_ image: RasterImage, _ options: EncodingOptions) throws -> [UInt8] {
        try WebPCoder().encode(image, to: .webP, options: options)
    }

    private func decoded(_ file: [UInt8]) throws -> Bitmap {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return try WebPCoder().decode(ImageData(file), options: options).bitmap
    }

    private func picture(
        _ content: EncoderPicture.Content, _ width: Int, _ height: Int, _ format: PixelFormat = .rgba
    ) throws -> RasterImage {
        RasterImage(
            bitmap: try EncoderPicture(content, size: PixelSize(width: width, height: height), format: format).bitmap)
    }

    /// The types of a file's chunks.
    private func types(_ file: [UInt8]) throws -> [String] { try WebPChunks(file).types }

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        #expect(
            try laws.violations(ofPictures: format, content) { _, options in options.webp.isLossless = false } == [])
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        #expect(try laws.sizeLimitsAreMet(by: content, options()) == [])
    }

    @Test func aSideOf16384PixelsIsRefused() throws {
        for size in [PixelSize(width: 16_384, height: 1), PixelSize(width: 1, height: 16_384)] {
            let image = RasterImage(bitmap: try Bitmap(size: size, format: .gray))
            #expect(throws: ImageError.limitExceeded(.dimension, requested: 16_384, allowed: 16_383)) {
                try encoded(image, options())
            }
        }
    }

    /// Whose samples are lost: those of whom a quality is given for, or who lost some already.
    @Test func qualityAndSourceDecideOnLoss() throws {
        var image = try picture(.scene, 40, 30, .rgb)
        var plain = EncodingOptions()
        #expect(try types(encoded(image, plain)) == ["VP8L"])
        image.isLossy = true
        #expect(try types(encoded(image, plain)) == ["VP8 "])
        plain.webp.isLossless = true
        #expect(try types(encoded(image, plain)) == ["VP8L"])
        var kept = EncodingOptions()
        kept.keepsPixels = true
        #expect(try types(encoded(image, kept)) == ["VP8L"])
        var near = EncodingOptions()
        near.webp.isNearLossless = true
        #expect(try types(encoded(image, near)) == ["VP8L"])
        image.isLossy = false
        #expect(try types(encoded(image, EncodingOptions(quality: 0.8))) == ["VP8 "])
        let file = try encoded(image, EncodingOptions(quality: 0.8))
        #expect(try WebPCoder().decode(ImageData(file), options: .default).isLossy)
        let lossless = try encoded(image, EncodingOptions())
        #expect(try !WebPCoder().decode(ImageData(lossless), options: .default).isLossy)
    }

    @Test func whatExcludesEachOtherIsRefused() throws {
        let image = try picture(.scene, 20, 20)
        for change in [0, 1] {
            var options = options()
            if change == 0 { options.keepsPixels = true } else { options.webp.isNearLossless = true }
            #expect(throws: ImageError.self) { try encoded(image, options) }
        }
        var lossless = EncodingOptions(quality: 0.5)
        lossless.webp.isLossless = true
        #expect(throws: ImageError.self) { try encoded(image, lossless) }
        for quality in [-0.1, 1.1, .nan] { #expect(throws: ImageError.self) { try encoded(image, options(quality)) } }
    }

    /// Alpha loses nothing; opaque pictures have no chunk for it.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func alphaComesBackExactly(_ effort: EncodingOptions.Effort) throws {
        for (width, height) in [(1, 1), (17, 9), (64, 48), (33, 70)] {
            let image = try picture(.cutout, width, height)
            let file = try encoded(image, options(0.6, effort))
            let pixels = try decoded(file)
            for y in 0..<height {
                for x in 0..<width { #expect(pixels[x, y].rgba8.w == image.bitmap[x, y].rgba8.w) }
            }
        }
        #expect(try types(encoded(picture(.scene, 20, 20), options())) == ["VP8 "])
        #expect(try types(encoded(picture(.cutout, 40, 40), options())) == ["VP8X", "ALPH", "VP8 "])
    }

    /// The shorter of both ways.
    @Test(arguments: EncoderPicture.Content.allCases)
    func lossCanBeChosen(_ content: EncoderPicture.Content) throws {
        for (width, height) in [(20, 20), (120, 90)] {
            let image = try picture(content, width, height)
            var automatic = EncodingOptions(quality: 0.6)
            automatic.webp.choosesLoss = true
            let lossless = try encoded(image, EncodingOptions()).count
            let lossy = try encoded(image, options(0.6)).count
            #expect(try encoded(image, automatic).count == min(lossless, lossy))
        }
        var exclusive = EncodingOptions()
        exclusive.webp.choosesLoss = true
        exclusive.webp.isLossless = true
        #expect(throws: ImageError.self) { try encoded(picture(.scene, 9, 9), exclusive) }
    }

    /// A look that is asked for is met by whichever file is shorter.
    @Test func lossCanBeChosenForALook() throws {
        for (content, type) in [(EncoderPicture.Content.noise, "VP8 "), (.flat, "VP8L")] {
            var options = EncodingOptions()
            options.webp.choosesLoss = true
            options.targetQuality = 70
            #expect(try types(encoded(picture(content, 96, 64, .rgb), options)) == [type])
        }
    }

    @Test(arguments: [0, 0.3, 0.7, 0.9, 1])
    func alphaHasAsManyLevelsAsItsQualitySays(_ quality: Double) throws {
        var bitmap = try picture(.noise, 80, 60).bitmap
        for y in 0..<60 {
            bitmap.withMutableRowBytes(y) { row in
                for x in 0..<80 { row.setByte(UInt8(min(255, 10 + 3 * x + y % 4)), at: 4 * x + 3) }
            }
        }
        var options = options(0.6)
        options.webp.alphaQuality = quality
        let file = try encoded(RasterImage(bitmap: bitmap), options)
        let pixels = try decoded(file)
        var (levels, wanted, worst) = (Set<UInt8>(), Set<UInt8>(), 0)
        for y in 0..<60 {
            for x in 0..<80 {
                let (level, value) = (pixels[x, y].rgba8.w, bitmap[x, y].rgba8.w)
                levels.insert(level)
                wanted.insert(value)
                worst = max(worst, abs(Int(level) - Int(value)))
            }
        }
        let most = quality == 1 ? 256 : quality == 0.9 ? 176 : [0: 2, 0.3: 8, 0.7: 16][quality] ?? 0
        #expect(levels.count <= most && levels.count > most / 2 || levels == wanted)
        #expect(levels.min() == wanted.min() && levels.max() == wanted.max())
        #expect(worst <= 255 / most + 1)
        // The flag that levels were reduced (RFC 9649 section 2.7.1.2).
        #expect(try WebPChunks(file)["ALPH"][0] >> 4 & 3 == (levels == wanted ? 0 : 1))
        options.webp.alphaQuality = 1.5
        #expect(throws: ImageError.self) { try encoded(RasterImage(bitmap: bitmap), options) }
    }

    /// What nobody sees takes next to no bytes.
    @Test func invisibleColorsAreSmoothed() throws {
        let size = PixelSize(width: 64, height: 64)
        let noise = try EncoderPicture(.noise, size: size, format: .rgba).bitmap
        var hidden = noise
        for y in 0..<64 {
            hidden.withMutableRowBytes(y) { row in for x in 0..<64 { row.setByte(0, at: 4 * x + 3) } }
        }
        let file = try encoded(RasterImage(bitmap: hidden), options(0.9))
        #expect(file.count < 200)
    }

    @Test func metadataSurvive() throws {
        var metadata = ImageMetadata()
        metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>é</x:xmpmeta>".utf8)
        var profile = [UInt8](repeating: 7, count: 701)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        metadata.iccProfile = profile
        var image = try picture(.cutout, 30, 20)
        (image.metadata, image.orientation) = (metadata, .right)
        let file = try encoded(image, options())
        #expect(try types(file) == ["VP8X", "ICCP", "ALPH", "VP8 ", "EXIF", "XMP "])
        var unturned = DecodingOptions()
        unturned.appliesOrientation = false
        let read = try WebPCoder().decode(ImageData(file), options: unturned)
        #expect(read.metadata.xmp == metadata.xmp && read.metadata.iccProfile == profile)
        #expect(read.orientation == .right)
    }

    /// A limit is used: hardly a quality comes nearer to it. How far the sizes of two qualities are apart is a matter of the picture.
    @Test func limitsAreUsed() throws {
        let image = try picture(.scene, 200, 150)
        let whole = try encoded(image, options(0.95)).count
        let sizes = try (1...95).map { try encoded(image, options(Double($0) / 100)).count }
        for share in [0.3, 0.5, 0.8] {
            var options = options(0.95)
            options.maxFileByteCount = Int(share * Double(whole))
            let file = try encoded(image, options)
            let limit = Int(share * Double(whole))
            let nearest = sizes.filter { $0 <= limit }.max() ?? 0
            #expect(file.count <= limit && Double(file.count) > 0.97 * Double(nearest), "\(limit), \(sizes)")
            #expect(try decoded(file).size == image.size)
        }
    }

    /// Partitions are a matter of order alone.
    @Test(arguments: [1, 2, 4, 8])
    func partitionsChangeNoPixel(_ count: Int) throws {
        for (width, height) in [(1, 1), (40, 100), (129, 200)] {
            let image = try picture(.scene, width, height)
            var options = options(0.8)
            let expected = try decoded(encoded(image, options))
            options.webp.tokenPartitionCount = count
            let file = try encoded(image, options)
            #expect(try decoded(file) == expected)
            if IndependentDecoder.path != nil {
                #expect(try IndependentDecoder.pixels(of: file) == expected.packedBytes())
            }
        }
        var options = options(0.8)
        options.webp.tokenPartitionCount = count + 2
        if ![2, 4, 8].contains(count + 2) {
            #expect(throws: ImageError.self) { try encoded(picture(.scene, 9, 9), options) }
        }
    }

    @Test(.enabled(if: IndependentDecoder.path != nil, "no dwebp"), arguments: EncoderPicture.Content.allCases)
    func anIndependentDecoderHasTheSamePixels(_ content: EncoderPicture.Content) throws {
        for (width, height) in [(1, 1), (16, 16), (63, 20), (40, 70), (129, 65)] {
            for quality in [0.0, 0.3, 0.8, 1] {
                let file = try encoded(picture(content, width, height), options(quality))
                let expected = try IndependentDecoder.pixels(of: file)
                let bitmap = try decoded(file)
                var found: [UInt8] = []
                for y in 0..<height { bitmap.withRowBytes(y) { found.append($0.extracting(0..<4 * width)) } }
                #expect(found == expected)
            }
        }
    }
}
