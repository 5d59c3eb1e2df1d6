import CodecTestSupport
import ImageCodecs
import ImageColor
import Testing

/// Decodes that convert colours, whole, in pieces, into memory, of stills and animations.
@Suite struct ConvertedColorsTests {
    private static let colors: [[UInt8]] = [
        [255, 0, 0], [255, 128, 64], [10, 200, 30], [128, 128, 128], [3, 5, 9], [250, 250, 10], [90, 20, 200],
    ]
    /// Those in Display P3 as Little CMS 2.16 has them in sRGB, relative colorimetric, without its optimisations.
    private static let shown: [Int] = [
        255, 0, 0, 255, 119, 38, 0, 204, 0, 128, 128, 128, 3, 5, 9, 250, 250, 0, 99, 10, 208,
    ]

    private static func bitmap(_ pixels: [[UInt8]], _ format: PixelFormat = .rgb) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width: pixels.count, height: 1), format: format)
        try bitmap.withMutableBytes { bytes in
            for (place, byte) in pixels.joined().enumerated() {
                bytes.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
            }
        }
        return bitmap
    }

    private static func image(_ metadata: (inout ImageMetadata) -> Void) throws -> RasterImage {
        var image = RasterImage(bitmap: try bitmap(colors))
        metadata(&image.metadata)
        return image
    }

    private static func wideFile(_ format: ImageFormat = .png) throws -> [UInt8] {
        try image { $0.iccProfile = StandardColorSpace.displayP3.iccProfile }.encoded(as: format)
    }

    private static func options(_ color: DecodingOptions.Color = .converted(to: .sRGB)) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        options.color = color
        return options
    }

    private func isShown(_ bitmap: Bitmap) -> Bool {
        bitmap.format == .rgb && zip(bitmap.packedBytes(), Self.shown).allSatisfy { abs(Int($0) - $1) <= 1 }
    }

    @Test(arguments: [ImageFormat.png, .webP])
    func coloursOfAProfileBecomeThoseOfSRGBAndTheProfileGoes(format: ImageFormat) throws {
        let image = try RasterImage(Self.wideFile(format), options: Self.options())
        #expect(isShown(image.bitmap))
        #expect(image.metadata.iccProfile == nil)
        #expect(image.colorReport == .converted(from: "Display P3", isToneMapped: false))
    }

    @Test func asStoredNothingChanges() throws {
        let image = try RasterImage(Self.wideFile(), options: Self.options(.asStored))
        #expect(try image.bitmap == Self.bitmap(Self.colors))
        #expect(image.metadata.iccProfile == StandardColorSpace.displayP3.iccProfile)
        #expect(image.colorReport == nil)
        #expect(DecodingOptions().color == .asStored)
        // A coder by itself knows no profiles.
        let alone = try PNGCoder().decode(ImageData(Self.wideFile()), options: Self.options())
        #expect(alone.bitmap == image.bitmap && alone.metadata.iccProfile != nil)
    }

    @Test func thumbnailsAreInSRGB() throws {
        var options = DecodingOptions.thumbnail(width: 100, height: 100)
        options.pixelFormat = .rgb
        #expect(try isShown(RasterImage(Self.wideFile(), options: options).bitmap))
        #expect(DecodingOptions.thumbnail(9).color == .converted(to: .sRGB))
    }

    /// A main directory at 8, an Exif directory at 26, one of interoperability at 44, each of one entry.
    private static let adobeMark: [UInt8] =
        Array("MM".utf8) + [0, 42] + number(8, 4) + number(1, 2) + number(0x8769, 2) + number(4, 2) + number(1, 4)
        + number(26, 4) + number(0, 4) + number(1, 2) + number(0xA005, 2) + number(4, 2) + number(1, 4) + number(44, 4)
        + number(0, 4) + number(1, 2) + number(1, 2) + number(2, 2) + number(4, 4) + Array("R03\0".utf8) + number(0, 4)

    @Test func whatFilesSayWithoutAProfileCounts() throws {
        let marked = try Self.image {
            $0.codePoints = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
        }.encoded(as: .png)
        let image = try RasterImage(marked, options: Self.options())
        #expect(isShown(image.bitmap) && image.metadata.codePoints == nil)
        // 2020 primaries, PQ: 128 of 255 is 92.2 cd/m2 (ST 2084), 92.2/203 compressed by x (1 + x / 24.3) / (1 + x) is 0.318.
        let bright = try RasterImage(
            bitmap: Self.bitmap([[128, 128, 128]]),
            metadata: {
                var metadata = ImageMetadata()
                metadata.codePoints = CodingIndependentCodePoints(
                    primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
                return metadata
            }()
        ).encoded(as: .png)
        let mapped = try RasterImage(bright, options: Self.options())
        #expect(mapped.bitmap.packedBytes().allSatisfy { abs(Int($0) - 153) <= 2 })
        #expect(mapped.colorReport == .converted(from: "code points 9, 16", isToneMapped: true))
        // The mark of Adobe RGB in EXIF data, which then goes: numbers would be converted again.
        let adobe = try Self.image { $0.exif = Self.adobeMark }.encoded(as: .png)
        let converted = try RasterImage(adobe, options: Self.options())
        let expected = [255, 0, 0, 255, 129, 57, 0, 201, 0, 129, 129, 129, 0, 1, 2, 250, 250, 0, 105, 12, 205]
        #expect(zip(converted.bitmap.packedBytes(), expected).allSatisfy { abs(Int($0) - $1) <= 1 })
        #expect(converted.metadata.exif.flatMap { ExifBlock($0) }?[ExifTag(.interoperability, 1)] == nil)
    }

    @Test func picturesThatSayNothingAreInSRGB() throws {
        let plain = try Self.image { _ in }.encoded(as: .png)
        let image = try RasterImage(plain, options: Self.options())
        #expect(try image.bitmap == Self.bitmap(Self.colors) && image.colorReport == nil)
        let wide = try RasterImage(plain, options: Self.options(.converted(to: .displayP3)))
        #expect(wide.bitmap != image.bitmap)
        #expect(wide.metadata.iccProfile == StandardColorSpace.displayP3.iccProfile)
    }

    @Test func aBrokenProfileIsIgnoredUnlessThatIsAnError() throws {
        let broken = try Self.image {
            $0.iccProfile = Array(StandardColorSpace.displayP3.iccProfile.prefix(300))
        }.encoded(as: .png)
        for strictness in DecodingOptions.Strictness.allCases {
            var options = Self.options()
            options.strictness = strictness
            let image = try RasterImage(broken, options: options)
            #expect(try image.bitmap == Self.bitmap(Self.colors))
            guard case .ignored(let error)? = image.colorReport else {
                Issue.record("no report")
                continue
            }
            #expect(error.damageCode?.rawValue == "icc.missing-tag")
        }
        let strict = Self.options(.converted(to: .sRGB, strictness: .strict))
        let error = #expect(throws: ImageError.self) { try RasterImage(broken, options: strict) }
        #expect(error?.damageCode?.rawValue == "icc.missing-tag")
    }

    @Test func memoryOfTheCallerGetsTheSame() throws {
        let options = Self.options()
        let data = ImageData(try Self.wideFile())
        let wanted = try RasterImage(data, options: options).bitmap.packedBytes()
        var memory = [UInt8](repeating: 7, count: wanted.count)
        _ = try memory.withMutableRawSpan { bytes in
            Result { () throws(ImageError) in
                try CoderRegistry.shared.decode(data, into: &bytes, options: options)
            }
        }.get()
        #expect(memory == wanted)
        var bitmap = Bitmap.empty
        try CoderRegistry.shared.decode(data, into: &bitmap, options: options)
        #expect(bitmap.packedBytes() == wanted)
    }

    // MARK: Animations

    private static func movie(_ format: ImageFormat) throws -> [UInt8] {
        let frames = try [colors, Array(colors.reversed())].map {
            ImageFrame(bitmap: try bitmap($0), duration: .milliseconds(100))
        }
        var image = try image { $0.iccProfile = StandardColorSpace.displayP3.iccProfile }
        image.animation = RasterImage.Animation(frames: frames, loopCount: 0)
        return try image.encoded(as: format)
    }

    @Test(arguments: [ImageFormat.apng, .webP, .gif])
    func framesAreConverted(format: ImageFormat) throws {
        let file = ImageData(try Self.movie(format))
        let whole = try RasterImage(file, options: Self.options())
        let frames = try #require(whole.animation?.frames)
        #expect(frames.count == 2 && isShown(frames[0].bitmap) && isShown(whole.bitmap))
        #expect(whole.metadata.iccProfile == nil)
        let animation = try CoderRegistry.shared.makeAnimation(from: file, options: Self.options())
        var bitmap = Bitmap.empty
        for index in [1, 0, 1] {
            #expect(try animation.frame(at: index).bitmap == frames[index].bitmap)
            try animation.frame(at: index, into: &bitmap)
            #expect(bitmap == frames[index].bitmap)
        }
        #expect(animation.info.metadata.iccProfile == nil)
        try CoderRegistry.shared.decodeFrames(of: file, options: Self.options()) { frame, index, info in
            #expect(frame.bitmap == frames[index].bitmap && info.metadata.iccProfile == nil)
        }
    }

    // MARK: Laws

    @Test(arguments: [ImageFormat.png, .jpeg, .webP, .gif, .apng])
    func lawsHoldWithConversion(format: ImageFormat) throws {
        let size = PixelSize(width: 61, height: 47)
        var scene = RasterImage(
            bitmap: try EncoderPicture(.scene, size: size, format: format == .png ? .rgba : .rgb).bitmap)
        scene.metadata.iccProfile = StandardColorSpace.adobeRGB.iccProfile
        var encoding = EncodingOptions()
        encoding.png.isInterlaced = format == .png
        if format == .apng {
            let frame = ImageFrame(bitmap: scene.bitmap, duration: .milliseconds(50))
            scene.animation = RasterImage.Animation(frames: [frame, frame], loopCount: 1)
        }
        let file = try scene.encoded(as: format, options: encoding)
        let options = DecoderLaws.variants.map { options in
            var options = options
            options.color = .converted(to: .sRGB)
            return options
        }
        let laws = DecoderLaws(CoderRegistry.shared)
        #expect(laws.cutsDoNotMatter(file, options: options) == [])
        #expect(laws.copiesAreCheckpoints(file, options: options) == [])
        #expect(laws.progressTellsWhatChanged(file, options: options) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file, options: options) == [])
    }

    // MARK: Inks

    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
    }

    /// A profile of inks of which only black counts: lightness is 100 without it and 0 with all of it.
    private static let inkProfile: [UInt8] = {
        let values = (0..<16).flatMap { [$0 % 2 == 0 ? 0xFF00 : 0, 0x8000, 0x8000] }
        var table = Array("mft2".utf8) + number(0, 4) + [4, 3, 2, 0] + [UInt8](repeating: 0, count: 36)
        table += number(2, 2) + number(2, 2)
        for _ in 0..<4 { table += number(0, 2) + number(65535, 2) }
        table += values.flatMap { number($0, 2) }
        for _ in 0..<3 { table += number(0, 2) + number(65535, 2) }
        var header = number(144 + table.count, 4) + number(0, 4) + [2, 0, 0, 0] + Array("prtrCMYKLab ".utf8)
        header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 88)
        return header + number(1, 4) + Array("A2B0".utf8) + number(144, 4) + number(table.count, 4) + table
    }()

    /// Sixteen pixels a side, all of the same inks as Adobe stores them: what is left of the paper.
    private static func inks(_ inks: [UInt8], profile: [UInt8]?) throws -> [UInt8] {
        var bitmap = try Bitmap(size: PixelSize(width: 16, height: 16), format: .cmyk)
        try bitmap.withMutableBytes { bytes in
            for at in 0..<16 * 64 { bytes.storeBytes(of: inks[at % 4], toByteOffset: at, as: UInt8.self) }
        }
        var image = RasterImage(bitmap: bitmap)
        image.metadata.iccProfile = profile
        var options = EncodingOptions()
        options.quality = 1
        return try image.encoded(as: .jpeg, options: options)
    }

    @Test func inksAreConvertedByTheirProfile() throws {
        // Cyan is not there at all, and does not count; half of black is L 50.2, which is 119.5 in sRGB.
        let file = try Self.inks([0, 255, 255, 128], profile: Self.inkProfile)
        for size in [16, 5] {
            var options = DecodingOptions.thumbnail(size)
            options.pixelFormat = .rgb
            let image = try RasterImage(file, options: options)
            #expect(image.bitmap.format == .rgb && image.bitmap.size == PixelSize(width: size, height: size))
            #expect(image.bitmap.packedBytes().allSatisfy { (118...121).contains($0) })
            #expect(image.metadata.iccProfile == nil)
        }
        let info = try ImageInfo(file, options: Self.options())
        #expect(info.decodedFormat == .rgb)
        var usual = Self.options()
        usual.pixelFormat = .bgraPremultiplied
        #expect(try RasterImage(file, options: usual).bitmap.format == .bgrx)
        // Without a profile red is what cyan and black leave: none of 128.
        let plain = try RasterImage(Self.inks([0, 255, 255, 128], profile: nil), options: Self.options())
        let pixel = plain.bitmap.packedBytes().prefix(3)
        #expect(pixel[0] <= 1 && abs(Int(pixel[1]) - 128) <= 1)
        #expect(DecoderLaws(CoderRegistry.shared).cutsDoNotMatter(file, options: [Self.options(), usual]) == [])
    }

    /// As many points a channel of white, of version 2, so that tables are much more than a small picture.
    private static func gridProfile(channels: Int, pointCount: Int) -> [UInt8] {
        let count = (0..<channels).reduce(1) { count, _ in count * pointCount }
        var table = Array("mft2".utf8) + number(0, 4) + [UInt8(channels), 3, UInt8(pointCount), 0]
        table += [UInt8](repeating: 0, count: 36) + number(2, 2) + number(2, 2)
        for _ in 0..<channels { table += number(0, 2) + number(65535, 2) }
        for _ in 0..<count { table += [0xFF, 0, 0x80, 0, 0x80, 0] }
        for _ in 0..<3 { table += number(0, 2) + number(65535, 2) }
        var header = number(144 + table.count, 4) + number(0, 4) + [2, 0, 0, 0]
        header += Array((channels == 4 ? "prtrCMYKLab " : "mntrRGB Lab ").utf8)
        header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 88)
        return header + number(1, 4) + Array("A2B0".utf8) + number(144, 4) + number(table.count, 4) + table
    }

    @Test(arguments: [3, 4]) func theEstimateCoversTheTablesOfAProfile(channels: Int) throws {
        let profile = Self.gridProfile(channels: channels, pointCount: channels == 4 ? 19 : 50)
        let file =
            channels == 4
            ? try Self.inks([0, 255, 255, 128], profile: profile)
            : try Self.image { $0.iccProfile = profile }.encoded(as: .png)
        let info = try ImageInfo(file, options: Self.options())
        let stored = try ImageInfo(file, options: Self.options(.asStored))
        // Eight bytes for each of 50^3 or 19^4 points.
        #expect(info.estimatedPeakByteCount - stored.estimatedPeakByteCount > 8 * (channels == 4 ? 130_321 : 125_000))
        #expect(DecoderLaws(CoderRegistry.shared).memoryStaysWithinTheEstimate(file, options: [Self.options()]) == [])
        var options = Self.options()
        options.limits.maxMemoryByteCount = info.estimatedPeakByteCount - 1
        #expect(throws: ImageError.self) { try RasterImage(file, options: options) }
        options.color = .asStored
        #expect(try RasterImage(file, options: options).metadata.iccProfile == profile)
    }

    @Test func inksThatAreAskedForStayAsTheyAre() throws {
        let file = try Self.inks([0, 255, 255, 128], profile: Self.inkProfile)
        var options = Self.options()
        options.pixelFormat = .cmyk
        let image = try RasterImage(file, options: options)
        #expect(image.bitmap.format == .cmyk && image.metadata.iccProfile == Self.inkProfile)
        #expect(abs(Int(image.bitmap.packedBytes()[3]) - 128) <= 1)
    }

    @Test func aProfileWithoutAPlaceInTheNewFileIsApplied() throws {
        let file = ImageData(try Self.inks([0, 255, 255, 128], profile: Self.inkProfile))
        var written: [UInt8] = []
        let result = try ImageConversion().convert(file, to: .png) { written.append(contentsOf: $0) }
        #expect(result.lostMetadata.isEmpty)
        let image = try RasterImage(written, options: Self.options(.asStored))
        #expect(image.bitmap.packedBytes().allSatisfy { (118...121).contains($0) })
        // A format that has a place keeps numbers and profile.
        written = []
        _ = try ImageConversion().convert(ImageData(Self.wideFile()), to: .webP) { written.append(contentsOf: $0) }
        let kept = try RasterImage(written, options: Self.options(.asStored))
        #expect(try kept.bitmap == Self.bitmap(Self.colors))
        #expect(kept.metadata.iccProfile == StandardColorSpace.displayP3.iccProfile)
    }

    /// Browsers read no profiles of GIF files, though the format has a place for them.
    @Test func aProfileIsAppliedForGIFUnlessItComesFromThere() throws {
        func converted(_ file: [UInt8]) throws -> RasterImage {
            var written: [UInt8] = []
            _ = try ImageConversion().convert(ImageData(file), to: .gif) { written.append(contentsOf: $0) }
            return try RasterImage(written, options: Self.options(.asStored))
        }
        let applied = try converted(Self.wideFile())
        #expect(isShown(applied.bitmap) && applied.metadata.iccProfile == nil)
        let frames = try #require(converted(Self.movie(.webP)).animation?.frames)
        #expect(frames.count == 2 && isShown(frames[0].bitmap))
        let kept = try converted(Self.wideFile(.gif))
        #expect(try kept.bitmap == Self.bitmap(Self.colors))
        #expect(kept.metadata.iccProfile == StandardColorSpace.displayP3.iccProfile)
    }
}
