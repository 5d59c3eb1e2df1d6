// What a caller may ask of an encoder: a picture, what is said about it, options. All of it is drawn from decisions, sensible
// or not.

import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImagePalettes
import JPEGCodec
import PNGCodec
import WebPCodec

/// A picture and how it is to be written.
struct EncodingRecipe {
    let format: ImageFormat
    let image: RasterImage
    var options: EncodingOptions
    /// Whether all pixels are the same and opaque.
    let isFlat: Bool
    /// What a caller does wrong besides.
    let misuse: Misuse?

    /// What may go wrong between a session and its caller.
    enum Misuse: CaseIterable {
        case failingSink, missingRow, extraRow, shortRow
    }

    /// - Throws: what making a bitmap throws.
    init(_ source: inout DecisionSource) throws(ImageError) {
        format = source.oneIn(4) ? .png : source.oneIn(4) ? .gif : source.oneIn(3) ? .webP : .jpeg
        let bitmap: Bitmap
        (bitmap, isFlat) = try Self.bitmap(&source, format)
        let metadata = source.oneIn(2) ? ImageMetadata() : Self.metadata(&source)
        image = RasterImage(
            bitmap: bitmap, orientation: source.oneIn(3) ? source.pick(Orientation.allCases) : .up, metadata: metadata)
        options = Self.options(&source)
        // A quality that means nothing is refused.
        if !StructuredFormat.registry.usesQuality(writing: format, options: options), !source.oneIn(20) {
            options.quality = nil
        }
        misuse = source.oneIn(8) ? source.pick(Misuse.allCases) : nil
    }
}

extension EncodingRecipe {
    /// Whether a quality means something for the format with these options.
    var usesQuality: Bool { StructuredFormat.registry.usesQuality(writing: format, options: options) }

    /// Whether a WebP file is written whose samples lose something also if its size is not limited.
    var writesLossyWebP: Bool {
        guard format == .webP, !options.webp.isNearLossless else { return false }
        return options.webp.isLossless.map { !$0 } ?? (options.quality != nil)
    }
}

// MARK: - Pictures

extension EncodingRecipe {
    private static func bitmap(
        _ source: inout DecisionSource, _ format: ImageFormat
    ) throws(ImageError) -> (Bitmap, isFlat: Bool) {
        let pixelFormat = source.pick(PixelFormat.all.filter { format == .jpeg || $0.layout != .cmyk })
        let size = size(&source)
        let byteCount = size.width * size.height * pixelFormat.bytesPerPixel
        var bytes: [UInt8] = []
        var isFlat = false
        switch source.below(6) {
        case 0:
            let content = source.pick(EncoderPicture.Content.allCases)
            let picture = try EncoderPicture(content, size: size, format: .rgb, seed: UInt64(source.byte()))
            return (try picture.bitmap.converted(to: pixelFormat), content == .flat)
        case 1:
            bytes = Array(repeating: source.pick([0, 1, 127, 128, 254, 255]), count: byteCount)
            isFlat = !pixelFormat.hasAlpha
        case 2:
            let palette = (0...source.below(17)).map { _ in source.bytes(pixelFormat.bytesPerPixel) }
            while bytes.count < byteCount { bytes += source.pick(palette) }
            isFlat = palette.count == 1 && !pixelFormat.hasAlpha
        case 3:
            // Runs, so that blocks of one colour meet others.
            while bytes.count < byteCount {
                let pixel = source.bytes(pixelFormat.bytesPerPixel)
                for _ in 0...source.below(100) { bytes += pixel }
            }
            bytes.removeLast(bytes.count - byteCount)
        default:
            bytes = source.bytes(byteCount)
        }
        if pixelFormat.alpha == .none, pixelFormat.layout == .bgra {
            for place in stride(from: 3, to: bytes.count, by: 4) { bytes[place] = 255 }
        }
        // Colours above alpha stay as they are: nobody checks what a caller calls premultiplied.
        return (try Bitmap(packed: bytes, size: size, format: pixelFormat), isFlat)
    }

    private static func size(_ source: inout DecisionSource) -> PixelSize {
        switch source.below(64) {
        case 0: return PixelSize(width: source.pick([65535, 65536, 4000, 16384, 16385]), height: 1)
        case 1: return PixelSize(width: 1, height: source.pick([65535, 65536, 4000, 16384, 16385]))
        case 2...8: return PixelSize(width: 1 + source.below(300), height: 1 + source.below(8))
        case 9...15: return PixelSize(width: 1 + source.below(8), height: 1 + source.below(300))
        case 16:
            return PixelSize(width: 200 + source.below(150), height: 200 + source.below(150))
        case 17...20: return PixelSize(width: 1 + source.below(120), height: 1 + source.below(120))
        default: return PixelSize(width: 1 + source.below(36), height: 1 + source.below(36))
        }
    }
}

// MARK: - Options

extension EncodingRecipe {
    private static let extremes = [0, -1, 1, 2, 1 << 40, .max, .min]

    private static func options(_ source: inout DecisionSource) -> EncodingOptions {
        var options = EncodingOptions()
        options.effort = source.pick(EncodingOptions.Effort.allCases)
        if source.oneIn(2) {
            options.quality =
                source.oneIn(12)
                ? source.pick([.nan, -0.01, 1.01, .infinity, -.infinity, 80, -0.0, .leastNonzeroMagnitude])
                : source.oneIn(4) ? source.pick([0, 0.005, 0.01, 0.5, 0.995, 1]) : Double(source.below(1001)) / 1000
        }
        if source.oneIn(2) {
            options.jpeg.subsampling = source.pick(JPEGSubsampling.allCases + [nil, nil])
            options.jpeg.isProgressive = source.pick([nil, true, false])
            options.jpeg.optimizesHuffmanTables = source.pick([nil, true, false])
            options.jpeg.tables = source.pick(JPEGEncodingOptions.Tables.allCases + [nil])
        }
        options.png.isInterlaced = source.oneIn(3)
        options.gif.isInterlaced = source.oneIn(3)
        options.webp.isNearLossless = source.oneIn(4)
        options.webp.keepsInvisibleColors = source.oneIn(2)
        options.webp.isLossless = source.pick([true, true, false, nil])
        if source.oneIn(4) {
            options.gif.colorCount =
                source.oneIn(12) ? source.pick([.min, -1, 0, 1, 257, .max]) : 2 + source.below(255)
        }
        options.gif.dithering = source.pick([.none, .blueNoise, .default, .errorDiffusion(strength: .nan)])
        if source.oneIn(4) {
            options.png.filters = (0..<source.below(40)).map { _ in source.pick(ScanlineFilter.allCases) }
        }
        if source.oneIn(3) {
            options.jpeg.restartInterval =
                source.oneIn(12)
                ? source.pick([-1, 65536, .max, .min]) : source.pick([1, 2, 3, 7, 1 + source.below(65535), 65535])
        }
        if source.oneIn(4) {
            options.maxFileByteCount = source.oneIn(12) ? source.pick(extremes) : 1 + source.below(6000)
            options.mayScaleDown = source.oneIn(2)
        }
        if source.oneIn(3) {
            let gray = SIMD3(repeating: source.byte())
            options.background = source.oneIn(2) ? gray : SIMD3(source.byte(), source.byte(), source.byte())
        }
        if source.oneIn(4) {
            options.maxPixelSize =
                source.oneIn(6)
                ? PixelSize(width: source.pick(extremes), height: source.pick(extremes))
                : PixelSize(width: source.below(60), height: source.below(60))
        }
        options.embedsThumbnail = source.oneIn(4)
        options.metadata = source.oneIn(4) ? source.pick(EncodingOptions.MetadataPolicy.allCases) : .all
        if source.oneIn(12) {
            options.limits.maxMemoryByteCount = source.pick(extremes + [source.below(1 << 20), source.below(1 << 24)])
        }
        options.png.mayReduceColors = !source.oneIn(4)
        return options
    }
}

// MARK: - Metadata

extension EncodingRecipe {
    private static func metadata(_ source: inout DecisionSource) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.orientation = source.oneIn(4) ? source.pick(Orientation.allCases) : .up
        if source.oneIn(2) { metadata.exif = exif(&source) }
        if source.oneIn(2) { metadata.iccProfile = profile(&source) }
        if source.oneIn(8) { metadata.iccProfileName = text(&source) }
        if source.oneIn(3) { metadata.xmp = packet(&source) }
        if source.oneIn(6) { metadata.iptc = source.bytes(long(&source, 65519)) }
        if source.oneIn(3) {
            let numbers: [UInt32] = [0, 1, 72, 300, 11811, 65535, 65536, .max]
            metadata.density = PixelDensity(
                x: source.pick(numbers), y: source.pick(numbers),
                unit: source.pick([.aspectRatio, .inch, .centimeter, .meter]))
        }
        for _ in 0..<(source.oneIn(3) ? source.below(4) : 0) { metadata.comments.append(text(&source)) }
        if source.oneIn(60) {
            metadata.comments.append(
                String(repeating: source.pick(["a", "é", "🖼"]), count: source.pick([16383, 32767, 65534])))
        }
        for _ in 0..<(source.oneIn(6) ? source.below(3) : 0) {
            metadata.texts.append(
                TextEntry(
                    keyword: text(&source), text: text(&source), language: text(&source),
                    translatedKeyword: text(&source)))
        }
        if source.oneIn(6) { addColors(to: &metadata, &source) }
        return metadata
    }

    /// A TIFF structure, mostly damaged, of any length that a segment may or may not hold.
    private static func exif(_ source: inout DecisionSource) -> [UInt8] {
        var block = ExifRecipe.any(&source)
        if source.oneIn(12) { block += [UInt8](repeating: source.byte(), count: long(&source, 65527)) }
        return source.oneIn(6) ? Array("Exif\0\0".utf8) + block : block
    }

    /// A profile of any colour space, of odd lengths, now and then in several pieces.
    private static func profile(_ source: inout DecisionSource) -> [UInt8] {
        var profile = ProfileRecipe.any(&source)
        if source.oneIn(8) { profile += [UInt8](repeating: source.byte(), count: long(&source, 65519)) }
        if profile.count >= 40, !source.oneIn(4) {
            profile.replaceSubrange(16..<20, with: Array(source.pick(["RGB ", "GRAY", "CMYK", "Lab "]).utf8))
            profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
        }
        return profile
    }

    private static func packet(_ source: inout DecisionSource) -> [UInt8] {
        guard !source.oneIn(4) else { return source.bytes(source.below(300)) }
        let name = source.oneIn(3) ? "xmpNote:HasExtendedXMP=\"0123456789ABCDEF0123456789ABCDEF\"" : "dc:title"
        let start = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>\(name)"
        let end = source.pick(["</x:xmpmeta>", "</x:xmpmeta> ", "<?xpacket end='w'?>", ""])
        let filling = source.oneIn(6) ? long(&source, 65502) : source.below(60)
        return Array(start.utf8) + [UInt8](repeating: source.byte(), count: filling) + Array(end.utf8)
            + source.bytes(source.below(4))
    }

    /// About as many bytes as a segment holds, or as some do.
    private static func long(_ source: inout DecisionSource, _ most: Int) -> Int {
        max(0, source.pick([1, 1, 1, 2, 3]) * most + source.number(in: -70...3))
    }

    private static func text(_ source: inout DecisionSource) -> String {
        let pieces = [
            "", "a", "Title", " ", "\n", "\r\n", "\0", "é", "e\u{301}", "\u{FEFF}", "\u{202E}",
            "\u{1F468}\u{200D}\u{1F4BB}",
            "\u{10FFFF}", "\u{FFFD}", "\u{80}", "ÿ", "€", "語",
        ]
        return (0..<source.below(6)).map { _ in source.pick(pieces) }.joined()
    }

    private static func addColors(to metadata: inout ImageMetadata, _ source: inout DecisionSource) {
        metadata.gamma = source.pick([0, 1, 45455, 0x7FFF_FFFF, .max])
        func point(_ source: inout DecisionSource) -> Chromaticities.Point {
            Chromaticities.Point(x: source.pick([0, 31270, .max]), y: source.pick([0, 32900, .max]))
        }
        metadata.chromaticities = Chromaticities(
            white: point(&source), red: point(&source), green: point(&source), blue: point(&source))
        metadata.renderingIntent = source.oneIn(2) ? .perceptual : nil
        metadata.codePoints = CodingIndependentCodePoints(
            primaries: source.byte(), transfer: source.byte(), matrix: source.pick([0, 1]), isFullRange: source.oneIn(2)
        )
        metadata.significantBits = source.bytes(source.below(6))
        metadata.background = source.pick([
            nil, .gray(65535), .rgb(red: 0, green: 255, blue: 65535), .paletteIndex(source.byte()),
        ])
        metadata.histogram = (0..<source.below(4)).map { UInt16($0) }
        if source.oneIn(3) {
            metadata.suggestedPalettes = [
                SuggestedPalette(
                    name: text(&source), sampleDepth: source.pick([8, 16, 0, -1]),
                    entries: [.init(red: 256, green: 1, blue: 65535, alpha: 0, frequency: 9)])
            ]
        }
        metadata.modificationTime = ModificationTime(
            year: source.pick([0, 2024, 65535]), month: source.byte(), day: source.byte(), hour: source.byte(),
            minute: source.byte(), second: source.byte())
    }
}
