// The ancillary chunks with fixed layouts: colour space, background, density, time and their kin.

import ImageCore

/// Reads ancillary chunks into metadata. A chunk that does not fit its definition is ignored, as is a second
/// one where only one is allowed.
enum AncillaryChunks {
    /// Whether a chunk's body is worth keeping; others are skipped unread.
    static func isKnown(_ type: ChunkType) -> Bool { known.contains(type) }

    private static let known: Set<ChunkType> = [
        .transparency, .gamma, .chromaticities, .standardRGB, .iccProfile, .codePoints, .significantBits,
        .background, .histogram, .physicalPixelDimensions, .suggestedPalette, .time, .exif, .text,
        .compressedText, .internationalText,
    ]

    /// Reads the body of an ancillary chunk other than tRNS into `metadata`.
    ///
    /// - Throws: only `limitExceeded(.metadata)`.
    static func read(
        _ type: ChunkType, _ body: Span<UInt8>, header: ImageHeader, paletteCount: Int,
        into metadata: inout ImageMetadata, budget: inout MetadataBudget
    ) throws(ImageError) {
        switch type {
        case .gamma: metadata.gamma = metadata.gamma ?? gamma(body)
        case .chromaticities: metadata.chromaticities = metadata.chromaticities ?? chromaticities(body)
        case .standardRGB: metadata.renderingIntent = metadata.renderingIntent ?? renderingIntent(body)
        case .codePoints: metadata.codePoints = metadata.codePoints ?? codePoints(body)
        case .significantBits:
            metadata.significantBits = metadata.significantBits ?? significantBits(body, header)
        case .background: metadata.background = metadata.background ?? background(body, header, paletteCount)
        case .histogram: metadata.histogram = metadata.histogram ?? histogram(body, paletteCount)
        case .physicalPixelDimensions: metadata.density = metadata.density ?? density(body)
        case .suggestedPalette:
            if let palette = suggestedPalette(body) { metadata.suggestedPalettes.append(palette) }
        case .time: metadata.modificationTime = metadata.modificationTime ?? time(body)
        case .exif: readExif(body, into: &metadata)
        case .text:
            if let entry = TextChunks.text(body) { metadata.texts.append(entry) }
        case .compressedText:
            if let entry = try TextChunks.compressedText(body, budget: &budget) { metadata.texts.append(entry) }
        case .internationalText:
            guard let (entry, raw) = try TextChunks.internationalText(body, budget: &budget) else { return }
            if entry.keyword == TextChunks.xmpKeyword {
                metadata.xmp = metadata.xmp ?? raw
            } else {
                metadata.texts.append(entry)
            }
        case .iccProfile:
            guard metadata.iccProfile == nil, let (name, profile) = try TextChunks.iccProfile(body, budget: &budget)
            else { return }
            metadata.iccProfile = profile
            metadata.iccProfileName = name
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
    private static func suggestedPalette(_ body: Span<UInt8>) -> SuggestedPalette? {
        var reader = ByteReader(body)
        guard let name = reader.readNullTerminated(), (1...79).contains(name.count),
            let depth = reader.readUInt8(), depth == 8 || depth == 16
        else { return nil }
        let entrySize = depth == 8 ? 6 : 10
        guard reader.remainingCount % entrySize == 0 else { return nil }
        var entries: [SuggestedPalette.Entry] = []
        func sample() -> UInt16? { depth == 8 ? reader.readUInt8().map(UInt16.init) : reader.readBigEndianUInt16() }
        while let red = sample(), let green = sample(), let blue = sample(), let alpha = sample(),
            let frequency = reader.readBigEndianUInt16()
        {
            entries.append(
                SuggestedPalette.Entry(red: red, green: green, blue: blue, alpha: alpha, frequency: frequency))
        }
        return SuggestedPalette(
            name: String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) })), sampleDepth: Int(depth),
            entries: entries)
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

    /// PNG 3rd ed. §11.3.3.5 "eXIf Exchangeable Image File (Exif) Profile".
    private static func readExif(_ body: Span<UInt8>, into metadata: inout ImageMetadata) {
        guard metadata.exif == nil, !body.isEmpty else { return }
        metadata.exif = Array(body)
        metadata.orientation = exifOrientation(in: body) ?? .up
    }
}
