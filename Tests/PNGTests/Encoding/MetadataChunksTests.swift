import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import PNGCodec
import Testing

@Suite struct MetadataChunksTests {
    /// A picture of 12x12 pixels that is written as RGB of eight bits.
    private func image(_ metadata: ImageMetadata, format: PixelFormat = .rgb) throws -> RasterImage {
        var random = SeededRandom(seed: 5)
        return RasterImage(
            bitmap: try testBitmap(PixelSize(width: 12, height: 12), format, .noise, random: &random).bitmap,
            metadata: metadata)
    }

    private func written(_ metadata: ImageMetadata, format: PixelFormat = .rgb) throws -> ReferencePNG {
        try ReferencePNG(PNGCoder().encode(image(metadata, format: format), to: .png, options: .default))
    }

    private static let profile: [UInt8] =
        [UInt8](repeating: 1, count: 16) + Array("RGB XYZ ".utf8) + [UInt8](repeating: 2, count: 300)

    private static var full: ImageMetadata {
        var metadata = ImageMetadata()
        metadata.exif = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        metadata.iccProfile = profile
        metadata.iccProfileName = "Caf\u{E9} RGB"
        metadata.xmp = Array("<x:xmpmeta/>".utf8)
        metadata.density = PixelDensity(x: 300, y: 150, unit: .inch)
        metadata.texts = [
            TextEntry(keyword: "Title", text: "short \u{FC}"),
            TextEntry(keyword: "Description", text: String(repeating: "long text ", count: 200)),
            TextEntry(keyword: "Author", text: "\u{65E5}\u{672C}", language: "ja", translatedKeyword: "\u{4F5C}"),
            TextEntry(keyword: "Comment", text: String(repeating: "\u{2603} ", count: 600)),
        ]
        metadata.comments = ["a comment"]
        metadata.gamma = 45455
        metadata.chromaticities = Chromaticities(
            white: .init(x: 31270, y: 32900), red: .init(x: 64000, y: 33000), green: .init(x: 30000, y: 60000),
            blue: .init(x: 15000, y: 6000))
        metadata.renderingIntent = .perceptual
        metadata.codePoints = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        metadata.significantBits = [5, 6, 5]
        metadata.background = .rgb(red: 1, green: 2, blue: 255)
        metadata.histogram = [1, 2, 3]
        metadata.suggestedPalettes = [
            SuggestedPalette(
                name: "web", sampleDepth: 8, entries: [.init(red: 1, green: 2, blue: 3, alpha: 4, frequency: 500)])
        ]
        metadata.modificationTime = ModificationTime(year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 60)
        return metadata
    }

    @Test func brightnessAndPlaceAreWritten() throws {
        func point(_ x: UInt32, _ y: UInt32) -> Chromaticities.Point { Chromaticities.Point(x: x, y: y) }
        var metadata = ImageMetadata()
        // The display of PNG 3rd ed. §11.3.2.7: BT.2020 primaries, D65, 1,000 and 0.0001 candelas per square metre.
        metadata.masteringDisplay = MasteringDisplay(
            chromaticities: Chromaticities(
                white: point(31270, 32900), red: point(70800, 29200), green: point(17000, 79700),
                blue: point(13100, 4600)),
            maxLuminance: 10_000_000, minLuminance: 1)
        metadata.contentLight = ContentLightLevel(maximum: 10_000_000, maximumFrameAverage: 2_500_000)
        metadata.placement = PicturePlacement(x: -2, y: 70_000, unit: .micrometer)
        metadata.stereoLayout = .divergingFused
        // A pixel of 0.5 m by 2e-3 m; a temperature of 0 to 9 that grows with the sample.
        metadata.physicalScale = [1] + Array("0.5\0".utf8) + Array("2e-3".utf8)
        metadata.calibration = Array("heat\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 9, 0, 2] + Array("K\u{0}0\u{0}1".utf8)
        metadata.significantBits = [5, 6, 5]
        let file = try written(metadata)
        #expect(file.order == ["IHDR", "mDCV", "cLLI", "sBIT", "oFFs", "sTER", "sCAL", "pCAL", "IDAT", "IEND"])
        #expect(
            file.body("mDCV") == [
                0x8A, 0x48, 0x39, 0x08, 0x21, 0x34, 0x9B, 0xAA, 0x19, 0x96, 0x08, 0xFC, 0x3D, 0x13, 0x40, 0x42, 0x00,
                0x98,
                0x96, 0x80, 0, 0, 0, 1,
            ])
        #expect(file.body("cLLI") == [0x00, 0x98, 0x96, 0x80, 0x00, 0x26, 0x25, 0xA0])
        #expect(file.body("oFFs") == [0xFF, 0xFF, 0xFF, 0xFE, 0x00, 0x01, 0x11, 0x70, 1])
        #expect(file.body("sTER") == [1])
        #expect(file.body("sCAL") == metadata.physicalScale && file.body("pCAL") == metadata.calibration)
        let bytes = try PNGCoder().encode(image(metadata), to: .png, options: .default)
        #expect(try PNGCoder().inspect(ImageData(bytes), options: .default).metadata == metadata)
        let optimized = try PNGCoder().optimized(ImageData(bytes))
        #expect(try PNGCoder().inspect(optimized, options: .default).metadata == metadata)
        var none = metadata
        (none.masteringDisplay, none.contentLight, none.placement, none.stereoLayout) = (nil, nil, nil, nil)
        (none.physicalScale, none.calibration) = (nil, nil)
        let removed = try PNGCoder().replacingMetadata(of: ImageData(bytes), with: none)
        #expect(try PNGCoder().inspect(removed, options: .default).metadata == none)
        #expect(try PNGCoder().replacingMetadata(of: removed, with: metadata).count == bytes.count)
    }

    @Test func measuresThatAreNoneAreNeitherWrittenNorRead() throws {
        let scales = ["", "\u{1}", "\u{3}1\u{0}1", "\u{1}11", "\u{1}\u{0}11", "\u{1}11\u{0}", "\u{1}1\u{0}1\u{0}"]
        let calibrations = ["", "heat", "\u{0}123456789012", "heat\u{0}12345678901", String(repeating: "a", count: 99)]
        for (scale, calibration) in scales.map({ ($0, "") }) + calibrations.map({ ("", $0) }) {
            var metadata = ImageMetadata()
            (metadata.physicalScale, metadata.calibration) = (Array(scale.utf8), Array(calibration.utf8))
            #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
            let file = PNGBuilder.onePixel(
                chunks: [("sCAL", Array(scale.utf8)), ("pCAL", Array(calibration.utf8))])
            #expect(try PNGCoder().inspect(ImageData(file), options: .default).metadata == ImageMetadata())
        }
    }

    @Test func aBackgroundThatIsNoColourOfTheFileIsSaid() throws {
        func lost(_ background: BackgroundColor) throws -> Set<ImageMetadata.Kind> {
            var options = EncodingOptions()
            let losses = LossLog()
            options.losses = losses
            var metadata = ImageMetadata()
            metadata.background = background
            _ = try PNGCoder().encode(image(metadata), to: .png, options: options)
            return losses.lostMetadata
        }
        #expect(try lost(.rgb(red: 1, green: 2, blue: 3)) == [])
        #expect(try lost(.gray(1)) == [.background])
        #expect(try lost(.paletteIndex(3)) == [])
    }

    @Test func numbersThatNoChunkHoldsAreLeftOut() throws {
        let point = Chromaticities.Point(x: 140_000, y: 0)
        var metadata = ImageMetadata()
        metadata.masteringDisplay = MasteringDisplay(
            chromaticities: Chromaticities(white: point, red: point, green: point, blue: point), maxLuminance: 1,
            minLuminance: 0)
        metadata.contentLight = ContentLightLevel(maximum: .max, maximumFrameAverage: 0)
        #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
    }

    @Test func chunksComeInTheOrderOfTheStandard() throws {
        let file = try written(Self.full)
        #expect(
            file.order == [
                "IHDR", "cICP", "iCCP", "gAMA", "cHRM", "sBIT", "bKGD", "pHYs", "eXIf", "sPLT", "tIME", "tEXt", "zTXt",
                "iTXt", "iTXt", "tEXt", "iTXt", "IDAT", "IEND",
            ])
    }

    @Test func bodiesAreThoseOfTheStandard() throws {
        let file = try written(Self.full)
        #expect(file.body("cICP") == [9, 16, 0, 1])
        #expect(file.body("gAMA") == [0, 0, 0xB1, 0x8F])
        #expect(
            file.body("cHRM") == [
                0, 0, 0x7A, 0x26, 0, 0, 0x80, 0x84, 0, 0, 0xFA, 0, 0, 0, 0x80, 0xE8, 0, 0, 0x75, 0x30, 0, 0, 0xEA, 0x60,
                0, 0, 0x3A, 0x98, 0, 0, 0x17, 0x70,
            ])
        #expect(file.body("sBIT") == [5, 6, 5])
        #expect(file.body("bKGD") == [0, 1, 0, 2, 0, 255])
        // 300 and 150 per inch are 11811 and 5906 (5905.5) per metre.
        #expect(file.body("pHYs") == [0, 0, 0x2E, 0x23, 0, 0, 0x17, 0x12, 1])
        #expect(file.body("sPLT") == Array("web".utf8) + [0, 8, 1, 2, 3, 4, 0x01, 0xF4])
        #expect(file.body("tIME") == [0x07, 0xE8, 2, 29, 23, 59, 60])
        #expect(file.body("eXIf") == Self.full.exif)
        let profile = try #require(file.body("iCCP"))
        #expect(profile.starts(with: [0x43, 0x61, 0x66, 0xE9, 0x20, 0x52, 0x47, 0x42, 0, 0]))
        #expect(referenceInflate(Array(profile[10...]), byteCount: Self.profile.count) == Self.profile)
        let texts = file.chunks.filter { $0.type.hasSuffix("Xt") }.map(\.body)
        #expect(texts[0] == Array("Title".utf8) + [0] + Array("short ".utf8) + [0xFC])
        #expect(texts[1].starts(with: Array("Description".utf8) + [0, 0]))
        #expect(referenceInflate(Array(texts[1][13...]), byteCount: 2000)?.prefix(10) == Array("long text ".utf8)[...])
        #expect(
            texts[2] == Array("Author".utf8) + [0, 0, 0] + Array("ja".utf8) + [0] + Array("\u{4F5C}".utf8) + [0]
                + Array("\u{65E5}\u{672C}".utf8))
        #expect(texts[3].starts(with: Array("Comment".utf8) + [0, 1, 0, 0, 0]))
        #expect(texts[4] == Array("Comment".utf8) + [0] + Array("a comment".utf8))
        #expect(texts[5] == Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + Array("<x:xmpmeta/>".utf8))
    }

    @Test func ownDecoderReadsTheSameMetadata() throws {
        let file = try PNGCoder().encode(image(Self.full), to: .png, options: .default)
        var expected = Self.full
        expected.density = PixelDensity(x: 11811, y: 5906, unit: .meter)
        expected.texts.append(TextEntry(keyword: "Comment", text: "a comment"))
        expected.comments = []
        expected.histogram = nil
        // sRGB and iCCP exclude each other.
        expected.renderingIntent = nil
        #expect(try PNGCoder().decode(ImageData(file), options: .default).metadata == expected)
    }

    @Test func metadataCanBeLeftOut() throws {
        var options = EncodingOptions()
        options.metadata = .none
        let file = try ReferencePNG(PNGCoder().encode(image(Self.full), to: .png, options: options))
        #expect(file.order == ["IHDR", "IDAT", "IEND"])
    }

    @Test func renderingIntentIsWrittenWithoutProfile() throws {
        var metadata = ImageMetadata()
        metadata.renderingIntent = .saturation
        #expect(try written(metadata).body("sRGB") == [2])
    }

    @Test func profilesOfAnotherColorSpaceAreLeftOut() throws {
        var metadata = ImageMetadata()
        metadata.iccProfile = Self.profile.map { $0 }
        metadata.iccProfile?.replaceSubrange(16..<20, with: Array("CMYK".utf8))
        #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
        metadata.iccProfile?.replaceSubrange(16..<20, with: Array("GRAY".utf8))
        #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
        #expect(try written(metadata, format: .gray).order == ["IHDR", "iCCP", "IDAT", "IEND"])
        metadata.iccProfile = [1, 2, 3]
        #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
    }

    @Test func profilesGoOnlyWithPixelsOfTheirChannels() throws {
        func profile(_ space: String) -> ImageMetadata {
            var metadata = ImageMetadata()
            metadata.iccProfile = Self.profile
            metadata.iccProfile?.replaceSubrange(16..<20, with: Array(space.utf8))
            return metadata
        }
        // CMYK pixels become RGB in a PNG file.
        #expect(try written(profile("CMYK"), format: .cmyk).body("iCCP") == nil)
        // All pixels are gray, but the profile describes RGB.
        let gray = try written(profile("RGB "), format: .gray)
        #expect(gray.body("iCCP") != nil && gray.colorType == 2)
        // Six grays off the grid of four bits: a palette would be smaller, and the profile could not go with it.
        var bitmap = try Bitmap(size: PixelSize(width: 200, height: 200), format: .gray)
        for y in 0..<200 {
            bitmap.withMutableRowBytes(y) { row in
                for x in 0..<200 { row.storeBytes(of: UInt8(x * y % 6 + 1), toByteOffset: x, as: UInt8.self) }
            }
        }
        let few = try ReferencePNG(
            PNGCoder().encode(RasterImage(bitmap: bitmap, metadata: profile("GRAY")), to: .png, options: .default))
        #expect(few.body("iCCP") != nil && few.colorType == 0)
        #expect(
            try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default)).colorType == 3
        )
    }

    @Test func whatDoesNotFitTheColorTypeIsLeftOut() throws {
        var metadata = ImageMetadata()
        metadata.significantBits = [9, 8, 8]
        metadata.background = .gray(3)
        metadata.gamma = 0
        metadata.modificationTime = ModificationTime(year: 2024, month: 13, day: 1, hour: 0, minute: 0, second: 0)
        metadata.texts = [
            TextEntry(keyword: "", text: "x"), TextEntry(keyword: " a", text: "x"),
            TextEntry(keyword: "a  b", text: "x"),
            TextEntry(keyword: String(repeating: "k", count: 80), text: "x"), TextEntry(keyword: "\u{2603}", text: "x"),
            TextEntry(keyword: "zero", text: "a\0b"),
        ]
        metadata.xmp = [0x3C, 0, 0x3E]
        metadata.codePoints = CodingIndependentCodePoints(primaries: 1, transfer: 1, matrix: 1, isFullRange: true)
        #expect(try written(metadata).order == ["IHDR", "IDAT", "IEND"])
    }

    @Test func significantBitsFollowTheColorType() throws {
        var metadata = ImageMetadata()
        metadata.significantBits = [5, 6, 5, 8]
        #expect(try written(metadata, format: .rgba).body("sBIT") == [5, 6, 5, 8])
        #expect(try written(metadata, format: .rgb).body("sBIT") == [5, 6, 5])
        #expect(try written(metadata, format: .gray).body("sBIT") == nil)
        metadata.significantBits = [7, 7, 7]
        #expect(try written(metadata, format: .gray).body("sBIT") == [7])
        metadata.significantBits = [7, 3]
        #expect(try written(metadata, format: .grayAlpha).body("sBIT") == [7, 3])
    }

    @Test func compressingTextsAndProfilesIsCounted() throws {
        for isProfile in [false, true] {
            var metadata = ImageMetadata()
            if isProfile {
                metadata.iccProfile =
                    [UInt8](repeating: 0, count: 16) + Array("RGB ".utf8)
                    + (0..<200_000).map { UInt8($0 % 251) }
            } else {
                metadata.texts = [
                    TextEntry(keyword: "Title", text: String(repeating: "as long as it is ", count: 20_000))
                ]
            }
            var options = EncodingOptions()
            let meter = MemoryMeter()
            options.memoryMeter = meter
            let size = PixelSize(width: 2, height: 1)
            var session = try CoderRegistry([PNGCoder()]).makeEncodingSession(
                to: .png, size: size, pixelFormat: .rgb, metadata: metadata, options: options)
            let estimate = session.estimatedPeakByteCount
            try ([1, 2, 3, 4, 5, 6] as [UInt8]).withRawSpan { (row) throws(ImageError) in
                try session.write(row) { _ in }
            }
            try session.finish { _ in }
            // A window, and a table of where strings were.
            #expect(meter.peak > 1 << 17 && meter.peak <= estimate, "\(meter.peak) of \(estimate)")
        }
    }
}
