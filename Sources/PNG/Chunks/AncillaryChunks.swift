// The ancillary chunks with fixed layouts: colour space, background, density, time and their kin.

import ImageCodecsCore
import ImagePhotoMetadata

/// Reads ancillary chunks into metadata. A chunk that does not fit its definition is ignored, as is a second
/// one if only one is allowed.
struct AncillaryChunks: Sendable {
    /// What was read so far.
    private(set) var metadata = ImageMetadata()
    private var texts: TextChunks
    /// Kinds of which the first one counts, whether or not it was kept.
    private var seen: Set<ChunkType> = []
    /// Whether an XMP packet was read, kept or not.
    private var hasXMP = false

    init(_ request: DecodingRequest) { texts = TextChunks(request) }

    /// Whether the body of a chunk is worth collecting; others are passed over unread.
    ///
    /// - Throws: `limitExceeded(.metadata)` for a body that is longer than all that may be kept.
    mutating func wants(_ chunk: ChunkHeader) throws(ImageError) -> Bool {
        guard Self.lengths(of: chunk.type)?.contains(chunk.length) == true,
            chunk.length <= MetadataBudget.largestItemByteCount, !seen.contains(chunk.type)
        else { return false }
        try texts.budget.admit(chunk.length)
        return true
    }

    /// The lengths that a body of a known type may have; `nil` for types that are not read.
    private static func lengths(of type: ChunkType) -> ClosedRange<Int>? {
        switch type {
        case .gamma, .codePoints: 4...4
        case .chromaticities: 32...32
        case .standardRGB: 1...1
        case .masteringDisplay: 24...24
        case .contentLight: 8...8
        case .placement: 9...9
        case .stereoLayout: 1...1
        case .significantBits: 1...4
        case .background: 1...6
        case .histogram: 2...512
        case .physicalPixelDimensions: 9...9
        case .time: 7...7
        case .physicalScale: 4...Int(Int32.max)
        case .calibration: 14...Int(Int32.max)
        case .exif, .suggestedPalette, .text, .compressedText, .internationalText, .iccProfile: 1...Int(Int32.max)
        default: nil
        }
    }

    /// Reads the body of an ancillary chunk other than tRNS.
    ///
    /// - Parameter hasImageData: whether image data came before it.
    /// - Throws: `limitExceeded`, `cancelled`.
    mutating func read(
        _ type: ChunkType, _ body: Span<UInt8>, header: ImageHeader, paletteCount: Int, hasImageData: Bool,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        switch type {
        case .gamma: metadata.gamma = metadata.gamma ?? Self.gamma(body)
        case .chromaticities: metadata.chromaticities = metadata.chromaticities ?? Self.chromaticities(body)
        case .standardRGB: metadata.renderingIntent = metadata.renderingIntent ?? Self.renderingIntent(body)
        case .codePoints: metadata.codePoints = metadata.codePoints ?? Self.codePoints(body)
        case .masteringDisplay: metadata.masteringDisplay = metadata.masteringDisplay ?? Self.masteringDisplay(body)
        case .contentLight: metadata.contentLight = metadata.contentLight ?? Self.contentLight(body)
        case .placement: metadata.placement = metadata.placement ?? Self.placement(body)
        case .stereoLayout: metadata.stereoLayout = metadata.stereoLayout ?? StereoLayout(rawValue: body[0])
        case .physicalScale, .calibration: try readMeasures(type, body, &work)
        case .significantBits:
            metadata.significantBits = metadata.significantBits ?? Self.significantBits(body, header)
        case .background:
            metadata.background = metadata.background ?? Self.background(body, header, paletteCount)
        case .histogram: metadata.histogram = metadata.histogram ?? Self.histogram(body, paletteCount)
        case .physicalPixelDimensions: metadata.density = metadata.density ?? Self.density(body)
        case .suggestedPalette: try readSuggestedPalette(body, &work)
        case .time: metadata.modificationTime = metadata.modificationTime ?? Self.time(body)
        case .exif: try readExif(body, hasImageData: hasImageData, &work)
        case .text:
            if let entry = try texts.text(body, &work) { metadata.texts.append(entry) }
        case .compressedText:
            if let entry = try texts.compressedText(body, &work) { metadata.texts.append(entry) }
        case .internationalText:
            switch try texts.internationalText(body, skipsXMP: hasXMP, &work) {
            case .entry(let entry): metadata.texts.append(entry)
            case .xmp(let packet):
                hasXMP = true
                metadata.xmp = packet
            case nil: break
            }
        case .iccProfile:
            guard let (name, profile) = try texts.iccProfile(body, &work) else { return }
            seen.insert(type)
            metadata.iccProfile = profile
            metadata.iccProfileName = profile == nil ? nil : name
        default:
            break
        }
    }

    /// PNG 3rd ed. §11.3.2.2 "gAMA Image gamma".
    private static func gamma(_ body: Span<UInt8>) -> UInt32? {
        guard body.count == 4, body.bigEndianUInt32(at: 0) != 0 else { return nil }
        return body.bigEndianUInt32(at: 0)
    }

    /// PNG 3rd ed. §11.3.2.1 "cHRM Primary chromaticities and white point".
    private static func chromaticities(_ body: Span<UInt8>) -> Chromaticities? {
        guard body.count == 32 else { return nil }
        func point(_ offset: Int) -> Chromaticities.Point {
            Chromaticities.Point(x: body.bigEndianUInt32(at: offset), y: body.bigEndianUInt32(at: offset + 4))
        }
        return Chromaticities(white: point(0), red: point(8), green: point(16), blue: point(24))
    }

    /// PNG 3rd ed. §11.3.2.5 "sRGB Standard RGB colour space".
    private static func renderingIntent(_ body: Span<UInt8>) -> RenderingIntent? {
        body.count == 1 ? RenderingIntent(rawValue: body[0]) : nil
    }

    /// PNG 3rd ed. §11.3.2.6 "cICP Coding-independent code points for video signal type identification".
    private static func codePoints(_ body: Span<UInt8>) -> CodingIndependentCodePoints? {
        guard body.count == 4, body[3] <= 1 else { return nil }
        return CodingIndependentCodePoints(
            primaries: body[0], transfer: body[1], matrix: body[2], isFullRange: body[3] == 1)
    }

    /// PNG 3rd ed. §11.3.2.7 "mDCV Mastering Display Color Volume": red, green, blue and white in steps of 0.00002.
    private static func masteringDisplay(_ body: Span<UInt8>) -> MasteringDisplay? {
        guard body.count == 24 else { return nil }
        func point(_ offset: Int) -> Chromaticities.Point {
            Chromaticities.Point(
                x: 2 * UInt32(body.bigEndianUInt16(at: offset)), y: 2 * UInt32(body.bigEndianUInt16(at: offset + 2)))
        }
        return MasteringDisplay(
            chromaticities: Chromaticities(white: point(12), red: point(0), green: point(4), blue: point(8)),
            maxLuminance: body.bigEndianUInt32(at: 16), minLuminance: body.bigEndianUInt32(at: 20))
    }

    /// PNG 3rd ed. §11.3.2.8 "cLLI Content Light Level Information".
    private static func contentLight(_ body: Span<UInt8>) -> ContentLightLevel? {
        guard body.count == 8 else { return nil }
        return ContentLightLevel(
            maximum: body.bigEndianUInt32(at: 0), maximumFrameAverage: body.bigEndianUInt32(at: 4))
    }

    /// Extensions to the PNG 1.2 Specification 1.4.0, §2.1 "oFFs Image offset".
    private static func placement(_ body: Span<UInt8>) -> PicturePlacement? {
        guard body.count == 9, let unit = PicturePlacement.Unit(rawValue: body[8]) else { return nil }
        return PicturePlacement(
            x: Int32(bitPattern: body.bigEndianUInt32(at: 0)), y: Int32(bitPattern: body.bigEndianUInt32(at: 4)),
            unit: unit)
    }

    /// Extensions to the PNG 1.2 Specification 1.4.0, §2.2 "pCAL Calibration of pixel values", §2.3 "sCAL Physical scale of image
    /// subject". The first one that is as it should be counts.
    private mutating func readMeasures(
        _ type: ChunkType, _ body: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) {
        let isScale = type == .physicalScale
        guard isScale ? MeasureChunks.isScale(body) : MeasureChunks.isCalibration(body) else { return }
        seen.insert(type)
        guard try texts.admit(body.count) else { return }
        let bytes = try body.copiedBytes(work: &work)
        if isScale { metadata.physicalScale = bytes } else { metadata.calibration = bytes }
    }

    /// PNG 3rd ed. §11.3.2.4 "sBIT Significant bits".
    private static func significantBits(_ body: Span<UInt8>, _ header: ImageHeader) -> [UInt8]? {
        let channels = header.colorType == .indexed ? 3 : header.colorType.channelCount
        let depth = header.colorType == .indexed ? 8 : header.bitDepth
        let bits = Array(body)
        guard bits.count == channels, bits.allSatisfy({ $0 >= 1 && $0 <= depth }) else { return nil }
        return bits
    }

    /// PNG 3rd ed. §11.3.4.1 "bKGD Background colour".
    private static func background(
        _ body: Span<UInt8>, _ header: ImageHeader, _ paletteCount: Int
    ) -> BackgroundColor? {
        switch header.colorType {
        case .indexed:
            guard body.count == 1, Int(body[0]) < paletteCount else { return nil }
            return .paletteIndex(body[0])
        case .gray, .grayAlpha:
            guard body.count == 2 else { return nil }
            return .gray(body.bigEndianUInt16(at: 0))
        case .rgb, .rgba:
            guard body.count == 6 else { return nil }
            return .rgb(
                red: body.bigEndianUInt16(at: 0), green: body.bigEndianUInt16(at: 2),
                blue: body.bigEndianUInt16(at: 4))
        }
    }

    /// PNG 3rd ed. §11.3.4.2 "hIST Image histogram".
    private static func histogram(_ body: Span<UInt8>, _ paletteCount: Int) -> [UInt16]? {
        guard paletteCount > 0, body.count == 2 * paletteCount else { return nil }
        return (0..<paletteCount).map { body.bigEndianUInt16(at: 2 * $0) }
    }

    /// PNG 3rd ed. §11.3.4.3 "pHYs Physical pixel dimensions".
    private static func density(_ body: Span<UInt8>) -> PixelDensity? {
        guard body.count == 9, body[8] <= 1 else { return nil }
        return PixelDensity(
            x: body.bigEndianUInt32(at: 0), y: body.bigEndianUInt32(at: 4),
            unit: body[8] == 1 ? .meter : .aspectRatio)
    }

    /// PNG 3rd ed. §11.3.4.4 "sPLT Suggested palette".
    private mutating func readSuggestedPalette(_ body: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        var nameEnd = 0
        while nameEnd < min(body.count, 80), body[nameEnd] != 0 { nameEnd += 1 }
        guard (1...79).contains(nameEnd), body.count - nameEnd >= 2, body[nameEnd] == 0 else { return }
        let depth = body[nameEnd + 1]
        let (entrySize, start) = (depth == 8 ? 6 : 10, nameEnd + 2)
        guard depth == 8 || depth == 16, (body.count - start) % entrySize == 0 else { return }
        let count = (body.count - start) / entrySize
        // An entry has five samples of sixteen bits, whatever they have in the file.
        guard try texts.admit(count * 10, name: body.extracting(0..<nameEnd)) else { return }
        var entries: [SuggestedPalette.Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            try work.spend(entrySize)
            let at = start + index * entrySize
            func sample(_ number: Int) -> UInt16 {
                depth == 8 ? UInt16(body[at + number]) : body.bigEndianUInt16(at: at + 2 * number)
            }
            entries.append(
                SuggestedPalette.Entry(
                    red: sample(0), green: sample(1), blue: sample(2), alpha: sample(3),
                    frequency: body.bigEndianUInt16(at: at + entrySize - 2)))
        }
        metadata.suggestedPalettes.append(
            SuggestedPalette(
                name: try texts.budget.string(body.extracting(0..<nameEnd), .latin1), sampleDepth: Int(depth),
                entries: entries))
    }

    /// PNG 3rd ed. §11.3.4.5 "tIME Image last-modification time".
    private static func time(_ body: Span<UInt8>) -> ModificationTime? {
        guard body.count == 7, (1...12).contains(body[2]), (1...31).contains(body[3]), body[4] <= 23,
            body[5] <= 59, body[6] <= 60
        else { return nil }
        return ModificationTime(
            year: body.bigEndianUInt16(at: 0), month: body[2], day: body[3], hour: body[4], minute: body[5],
            second: body[6])
    }

    /// PNG 3rd ed. §11.3.4.6 "eXIf Exchangeable Image File (Exif) Profile". The first one that has anything in it counts,
    /// wherever it stands; but it has to come before the image data (§5.6 "Chunk ordering"), and after them it does not turn the picture.
    private mutating func readExif(
        _ body: Span<UInt8>, hasImageData: Bool, _ work: inout WorkGuard
    ) throws(ImageError) {
        seen.insert(.exif)
        if !hasImageData { metadata.orientation = exifOrientation(in: body) ?? .up }
        if try texts.admit(body.count) { metadata.exif = try body.copiedBytes(work: &work) }
    }
}
