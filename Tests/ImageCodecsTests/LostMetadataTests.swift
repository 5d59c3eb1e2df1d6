import CodecTestSupport
import ImageCodecs
import Testing

/// Every pair of formats with every kind of metadata: what the second has no place for is said.
@Suite struct LostMetadataTests {
    private static let formats: [ImageFormat] = [.png, .apng, .gif, .jpeg, .webP]

    /// What files have a place for, as their standards say.
    private static let places: [ImageFormat: Set<ImageMetadata.Kind>] = {
        let png = Set(ImageMetadata.Kind.allCases).subtracting([.iptc, .furtherPictures])
        return [
            .png: png, .apng: png, .gif: [.xmp, .comments, .iccProfile],
            .jpeg: [.exif, .xmp, .iptc, .comments, .iccProfile, .density], .webP: [.exif, .xmp, .iccProfile],
        ]
    }()

    /// Kinds that say nothing of the picture that is written.
    private static let ofTheFile: Set<ImageMetadata.Kind> = [
        .renderingIntent, .histogram,
    ]

    /// Kinds by which colours are converted if there is no place for them.
    private static let applied: Set<ImageMetadata.Kind> = [.gamma, .chromaticities, .codePoints]

    private static var profile: [UInt8] {
        var profile = [UInt8](repeating: 0, count: 132)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        return profile
    }

    /// Something of each kind.
    private static func metadata(_ kind: ImageMetadata.Kind) throws -> ImageMetadata {
        var metadata = ImageMetadata()
        let point = Chromaticities.Point(x: 30000, y: 40000)
        let chromaticities = Chromaticities(white: point, red: point, green: point, blue: point)
        switch kind {
        case .exif: try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: .ascii("Ada")) }
        case .xmp: metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        case .iptc: metadata.iptc = [1, 2, 3]
        case .texts: metadata.texts = [TextEntry(keyword: "Warning", text: "hot")]
        case .comments: metadata.comments = ["a comment"]
        case .modificationTime:
            metadata.modificationTime = ModificationTime(year: 2024, month: 2, day: 3, hour: 4, minute: 5, second: 6)
        case .iccProfile: metadata.iccProfile = profile
        case .renderingIntent: metadata.renderingIntent = .perceptual
        case .gamma: metadata.gamma = 100_000
        case .chromaticities: metadata.chromaticities = chromaticities
        case .codePoints:
            metadata.codePoints = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        case .masteringDisplay:
            metadata.masteringDisplay = MasteringDisplay(
                chromaticities: chromaticities, maxLuminance: 10_000_000, minLuminance: 1)
        case .contentLight: metadata.contentLight = ContentLightLevel(maximum: 5, maximumFrameAverage: 4)
        case .density: metadata.density = PixelDensity(x: 2835, y: 2835, unit: .meter)
        case .significantBits: metadata.significantBits = [5, 6, 5]
        case .background: metadata.background = .rgb(red: 1, green: 2, blue: 3)
        case .histogram: metadata.histogram = [1]
        case .suggestedPalettes:
            let entry = SuggestedPalette.Entry(red: 1, green: 2, blue: 3, alpha: 4, frequency: 5)
            metadata.suggestedPalettes = [SuggestedPalette(name: "p", sampleDepth: 8, entries: [entry])]
        case .placement: metadata.placement = PicturePlacement(x: -3, y: 70_000, unit: .micrometer)
        case .stereoLayout: metadata.stereoLayout = .divergingFused
        case .physicalScale: metadata.physicalScale = [1] + Array("0.5\0".utf8) + Array("2e-3".utf8)
        case .calibration:
            metadata.calibration = Array("t\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 9, 0, 2] + Array("K\0001\0002".utf8)
        case .furtherPictures: metadata.furtherPictures = [1, 2, 3]
        }
        return metadata
    }

    /// A picture whose rows keep every kind of colour description: two colours of RGB.
    private static func image(_ metadata: ImageMetadata) throws -> RasterImage {
        let bitmap = try EncoderPicture(.scene, size: PixelSize(width: 24, height: 20), format: .rgb).bitmap
        return RasterImage(bitmap: bitmap, metadata: metadata)
    }

    private static func read(_ file: [UInt8]) throws -> ImageMetadata {
        var options = DecodingOptions()
        options.inspectsAllMetadata = true
        return try ImageInfo(ImageData(file), options: options).metadata
    }

    @Test(arguments: formats, formats) func whatHasNoPlaceIsSaidAndTheRestKept(
        _ source: ImageFormat, _ target: ImageFormat
    ) throws {
        let places = try #require(Self.places[target])
        for kind in ImageMetadata.Kind.allCases {
            let file = try Self.image(Self.metadata(kind)).encoded(as: source)
            let before = try Self.read(file)
            guard before.has(kind) else { continue }
            var written: [UInt8] = []
            let result = try ImageConversion().convert(ImageData(file), to: target) { written.append(contentsOf: $0) }
            // An index means nothing without its palette.
            let isIndex = if kind == .background, case .paletteIndex? = before.background { true } else { false }
            let isLost = !places.contains(kind) && !isIndex && !Self.ofTheFile.union(Self.applied).contains(kind)
            #expect(result.lostMetadata == (isLost ? [kind] : []), "\(kind)")
            let after = try Self.read(written)
            guard places.contains(kind), kind != .histogram else { continue }
            switch kind {
            // Nearly nobody reads the profile of a GIF file: colours of other formats are converted.
            case .iccProfile where target == .gif && source != .gif: #expect(after.iccProfile == nil)
            // PNG files have comments among texts.
            case .comments: #expect(after.comments + after.texts.map(\.text) == ["a comment"])
            // JPEG files have pixels per inch: 72 of them are 2835 per metre.
            case .density: #expect([2835, 72].contains(after.density?.x))
            // Written with samples as deep as these.
            case .significantBits, .background: break
            default: #expect(after.equals(before, in: kind), "\(kind)")
            }
        }
    }

    @Test(arguments: [ImageFormat.apng, .gif, .webP]) func animationsSayTheSame(_ format: ImageFormat) throws {
        let places = try #require(Self.places[format])
        for kind in ImageMetadata.Kind.allCases {
            var session = try CoderRegistry.shared.makeAnimationEncodingSession(
                to: format, size: PixelSize(width: 24, height: 20), pixelFormat: .rgb, frameCount: 1,
                metadata: Self.metadata(kind))
            try session.write(Self.image(ImageMetadata()).bitmap, for: .milliseconds(100)) { _ in }
            try session.finish { _ in }
            let isLost = !places.contains(kind) && !Self.ofTheFile.contains(kind)
            #expect(session.lostMetadata == (isLost ? [kind] : []), "\(kind)")
        }
    }

    @Test func profilesOfOtherPixelsAreLeftOutAndThatIsSaid() throws {
        for space in ["CMYK", "Lab ", "GRAY"] {
            for format in Self.formats where format != .apng {
                var metadata = ImageMetadata()
                metadata.iccProfile = Self.profile
                metadata.iccProfile?.replaceSubrange(16..<20, with: Array(space.utf8))
                var session = try CoderRegistry.shared.makeEncodingSession(
                    to: format, size: PixelSize(width: 1, height: 1), pixelFormat: .rgb, metadata: metadata)
                var file: [UInt8] = []
                try session.write([200, 10, 30].span) { file.append(contentsOf: $0) }
                try session.finish { file.append(contentsOf: $0) }
                #expect(session.lostMetadata == [.iccProfile], "\(space) \(format.name)")
                #expect(try Self.read(file).iccProfile == nil)
            }
        }
    }

    @Test func aDensityIsNotLostIfExifDataSayIt() throws {
        var metadata = try Self.metadata(.density)
        try metadata.editExif { (exif) throws(ImageError) in
            try exif.set(ExifTag(.main, 0x011A), to: .rational([ExifRational(72, 1)]))
        }
        let file = ImageData(try Self.image(metadata).encoded(as: .png))
        #expect(try ImageConversion().convert(file, to: .webP) { _ in }.lostMetadata == [])
        #expect(try ImageConversion().convert(file, to: .gif) { _ in }.lostMetadata == [.exif, .density])
    }

    @Test func aRatioOfADensityStaysInGIF() throws {
        var metadata = ImageMetadata()
        metadata.density = PixelDensity(x: 2000, y: 4000, unit: .meter)
        let file = try Self.image(metadata).encoded(as: .gif)
        // (113 + 15) / 64 is the width of a pixel by its height.
        #expect(file[12] == 113)
        #expect(try Self.read(file).density == PixelDensity(x: 64, y: 128, unit: .aspectRatio))
    }

    @Test func textsBecomeXMPAndCommentsInJPEG() throws {
        var metadata = ImageMetadata()
        metadata.texts = [
            TextEntry(keyword: "Title", text: "Hills & <dales>"),
            TextEntry(keyword: "title", text: "Hügel", language: "de"),
            TextEntry(keyword: "Author", text: "Ada"), TextEntry(keyword: "Author", text: "Ben"),
            TextEntry(keyword: "Comment", text: "hello there"), TextEntry(keyword: "Software", text: "maker \"1\""),
            TextEntry(keyword: "Copyright", text: "nobody"), TextEntry(keyword: "Source", text: "a lens"),
            TextEntry(keyword: "Description", text: "what it shows\r\n"),
        ]
        let file = ImageData(try Self.image(metadata).encoded(as: .png))
        var jpeg: [UInt8] = []
        let result = try ImageConversion().convert(file, to: .jpeg) { jpeg.append(contentsOf: $0) }
        #expect(result.lostMetadata == [])
        let after = try Self.read(jpeg)
        #expect(after.comments == ["hello there"])
        let packet = try #require(after.xmpPacket)
        #expect(packet.isWhole && packet.values("title", in: .dublinCore) == ["Hills & <dales>", "Hügel"])
        #expect(packet.title == "Hills & <dales>" && packet.creators == ["Ada", "Ben"] && packet.rights == "nobody")
        #expect(packet.creatorTool == "maker \"1\"" && packet.values("source", in: .dublinCore) == ["a lens"])
        #expect(packet.summary == "what it shows\r\n")
        // Back to PNG the comment is a text.
        var png: [UInt8] = []
        _ = try ImageConversion().convert(ImageData(jpeg), to: .png) { png.append(contentsOf: $0) }
        #expect(try Self.read(png).texts == [TextEntry(keyword: "Comment", text: "hello there")])
        var gif: [UInt8] = []
        let lost = try ImageConversion().convert(ImageData(png), to: .gif) { gif.append(contentsOf: $0) }.lostMetadata
        #expect(try lost == [] && Self.read(gif).comments == ["hello there"])
    }

    @Test func bitsThatEightHoldAreNotLost() throws {
        for (bits, lost) in [([8, 8, 8], []), ([16, 16, 16], []), ([8, 5, 8], [ImageMetadata.Kind.significantBits])]
            as [([UInt8], Set<ImageMetadata.Kind>)]
        {
            var metadata = ImageMetadata()
            metadata.significantBits = bits
            #expect(metadata.fitted(to: MetadataPlaces([])).lost == lost)
        }
    }

    @Test func textsOfWhichSomeAreKeptAreToldApart() {
        var metadata = ImageMetadata()
        metadata.texts = [TextEntry(keyword: "Title", text: "A"), TextEntry(keyword: "Warning", text: "hot")]
        var places = MetadataPlaces([.xmp])
        #expect(metadata.fitted(to: places).partlyKept == [])
        places.textsBecomeXMP = true
        let fitted = metadata.fitted(to: places)
        #expect(fitted.lost == [.texts] && fitted.partlyKept == [.texts])
    }

    @Test func textsThatXMPHasNoPlaceForAreLost() throws {
        func after(_ texts: [TextEntry], xmp: String? = nil) throws -> (
            lost: Set<ImageMetadata.Kind>, metadata: ImageMetadata
        ) {
            var metadata = ImageMetadata()
            metadata.texts = texts
            metadata.xmp = xmp.map { Array($0.utf8) }
            var jpeg: [UInt8] = []
            let file = ImageData(try Self.image(metadata).encoded(as: .png))
            let lost = try ImageConversion().convert(file, to: .jpeg) { jpeg.append(contentsOf: $0) }.lostMetadata
            return (lost, try Self.read(jpeg))
        }
        let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        let packet = """
            <r:RDF xmlns:r="\(rdf)"><r:Description xmlns:d="http://purl.org/dc/elements/1.1/" d:title="A"/></r:RDF>
            """
        let title = TextEntry(keyword: "Title", text: "A")
        #expect(try after([title], xmp: packet).lost == [])
        #expect(try after([TextEntry(keyword: "Title", text: "B")], xmp: packet).lost == [.texts])
        let added = try after([title, TextEntry(keyword: "Author", text: "Ada")], xmp: packet)
        #expect(
            added.lost == [] && added.metadata.xmpPacket?.creators == ["Ada"] && added.metadata.xmpPacket?.title == "A")
        #expect(try after([title, title]).lost == [.texts])
        #expect(try after([TextEntry(keyword: "Title", text: "a\u{1}b")]).lost == [.texts])
        let damaged = try after([title], xmp: "<a>")
        #expect(damaged.lost == [.texts] && damaged.metadata.xmp == Array("<a>".utf8))
    }
}
