// A PNG file with other metadata, and nothing else changed.
//
//   signature, IHDR ─▶ colours that changed ─▶ PLTE, tRNS ... ─▶ what else changed ─▶ IDAT ... IEND ─▶ what follows

import DeflateCodec
public import ImageCodecsCore
import ImageEncoding
public import ImagePhotoMetadata

extension PNGCoder: MetadataRewritingCoder {
    /// Writes a PNG file anew with other metadata; nothing is decoded, and image data, frames of an animation and unknown chunks
    /// stay as they are, with their checksums.
    ///
    /// - Parameters:
    ///   - file: a PNG file, animated or not.
    ///   - metadata: what the file is to say; what is `nil` or empty is removed, and what the file says already stays as it is. A profile is
    ///     written if it is one of such pixels, a background if it is a colour of them and no palette entry, significant bits if they fit; a
    ///     histogram is never written. Of EXIF, XMP, texts and times no chunk stays that readers pass over. The orientation
    ///     counts as well: what it is decides how viewers turn the picture, whatever EXIF says.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat` for a file that is no PNG; `corrupt` and `truncated` for damaged chunks up to the image data; what reading
    ///   its headers throws.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        try rewriting(file, with: metadata, limits: limits)
    }

    package func rewriting(
        _ file: ImageData, _ difference: MetadataDifference, limits: DecodingLimits
    ) throws(ImageError) -> ImageData {
        var work = WorkGuard(limits: limits)
        work.begin()
        return ImageData(
            try file.withBytes { (bytes) throws(ImageError) in
                var rewriting = ChunkRewriting(
                    difference, DecodingRequest(options: .allMetadata(limits), purpose: .inspection))
                return try rewriting.bytes(of: bytes, &work)
            })
    }
}

/// Copies chunks, and puts others in the place of those that say something else.
private struct ChunkRewriting {
    private let difference: MetadataDifference
    /// How often each text stays, and those that are to be written.
    private var keptTexts: [TextEntry: Int] = [:]
    private var newTexts: [TextEntry] = []
    /// Reads what is copied as a decoder does, for what it passes over.
    private var reader: AncillaryChunks
    private var file = ChunkWriter()

    init(_ difference: MetadataDifference, _ request: DecodingRequest) {
        self.difference = difference
        reader = AncillaryChunks(request)
        var before = Dictionary(difference.before.texts.map { ($0, 1) }, uniquingKeysWith: +)
        for text in difference.after.texts {
            if let count = before[text], count > 0 {
                before[text] = count - 1
                keptTexts[text, default: 0] += 1
            } else {
                newTexts.append(text)
            }
        }
    }

    mutating func bytes(of source: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        file.pending.bytes.reserveCapacity(source.count)
        var position = FormatSignature.png.byteCount
        var chunks: (new: PNGMetadataChunks, encoding: PixelEncoding)?
        var header: ImageHeader?
        var hasImageData = false
        while source.count - position >= ChunkHeader.byteCount {
            try work.spend(64)
            let rest = source.extracting(droppingFirst: position)
            // Readers end at what cannot be a chunk.
            if hasImageData, (try? ChunkHeader(rest, offset: position)) == nil {
                position = source.count
                break
            }
            let chunk = try ChunkHeader(rest, offset: position)
            guard chunk.end <= source.count else {
                guard hasImageData else { throw .truncated(.png, offset: source.count) }
                // Cut off, as is what it says.
                if isReplaced(chunk, source) || MetadataKind(chunk, source) != nil { position = source.count }
                break
            }
            if chunk.type == .imageData, !hasImageData {
                hasImageData = true
                if let chunks { try chunks.new.writeAfterPalette(to: &file, chunks.encoding, &work) }
            }
            if !isReplaced(chunk, source), try !isHidden(chunk, source, header, &work) {
                try copy(source.extracting(position..<chunk.end), work)
            }
            if chunk.type == .imageHeader, header == nil {
                let body = source.extracting(chunk.bodyOffset..<chunk.checksumOffset)
                let read = try ImageHeader(body, offset: chunk.bodyOffset)
                header = read
                let encoding = PixelEncoding(read.colorType, bitDepth: read.bitDepth)
                let new = PNGMetadataChunks(picture(read))
                chunks = (new, encoding)
                try new.writeBeforePalette(to: &file, encoding, &work)
            }
            position = chunk.end
            if chunk.type == .imageEnd { break }
        }
        try copy(source.extracting(droppingFirst: position), work)
        return file.bytes
    }

    private mutating func copy(_ bytes: Span<UInt8>, _ work: WorkGuard) throws(ImageError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.extracting(first: WorkGuard.stepByteCount)
            file.pending.bytes.append(contentsOf: piece)
            rest = rest.extracting(droppingFirst: piece.count)
            try work.check()
        }
    }

    /// A picture about which only what differs is said.
    private func picture(_ header: ImageHeader) -> EncodedPicture {
        let after = difference.after
        var new = ImageMetadata()
        if difference.changes(.exif) { new.exif = after.exif }
        if difference.changes(.xmp) { new.xmp = after.xmp }
        new.texts = newTexts
        if difference.changes(.comments) { new.comments = after.comments }
        if changesProfile {
            (new.iccProfile, new.iccProfileName) = (after.iccProfile, after.iccProfileName)
            new.renderingIntent = after.renderingIntent
        }
        for kind in Self.plainKinds where difference.changes(kind) { new.take(kind, from: after) }
        return EncodedPicture(
            size: header.size, format: .rgba, orientation: difference.changes(.exif) ? after.orientation : .up,
            metadata: new)
    }

    /// Kinds that have a chunk of their own, which is written anew if they change.
    private static let plainKinds: [ImageMetadata.Kind] = [
        .density, .gamma, .chromaticities, .codePoints, .masteringDisplay, .contentLight, .significantBits, .background,
        .suggestedPalettes, .modificationTime, .placement, .stereoLayout,
        .physicalScale, .calibration,
    ]

    /// A file has either a profile or a rendering intent.
    private var changesProfile: Bool {
        difference.changes(.iccProfile) || difference.changes(.renderingIntent)
    }

    /// Whether readers pass over a chunk, as a second or damaged one: what was removed from another may be in it. A text that is not to stay
    /// is hidden as well.
    private mutating func isHidden(
        _ chunk: ChunkHeader, _ source: Span<UInt8>, _ header: ImageHeader?, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard let kind = MetadataKind(chunk, source), let header else { return false }
        // After some damage nothing is read: there may be more here than the limits allow.
        guard (try? reader.wants(chunk)) == true else { return true }
        let body = source.extracting(chunk.bodyOffset..<chunk.checksumOffset)
        var checksum = CRC32(chunk.type)
        try checksum.add(body, work: &work)
        guard checksum.value == source.bigEndianUInt32(at: chunk.checksumOffset) else { return true }
        let count = kind.count(in: reader.metadata)
        try reader.read(chunk.type, body, header: header, paletteCount: 0, hasImageData: false, &work)
        let newCount = kind.count(in: reader.metadata)
        if newCount == count { return true }
        guard kind == .text, let text = reader.metadata.texts.last else {
            return newCount > kind.count(in: difference.before)
        }
        guard let stayCount = keptTexts[text], stayCount > 0 else { return true }
        keptTexts[text] = stayCount - 1
        return false
    }

    /// Whether a chunk says something that differs.
    private func isReplaced(_ chunk: ChunkHeader, _ source: Span<UInt8>) -> Bool {
        switch MetadataKind(chunk, source) {
        case .exif: return difference.changes(.exif)
        case .xmp: return difference.changes(.xmp)
        case .text: return false
        case .time: return difference.changes(.modificationTime)
        case nil: break
        }
        switch chunk.type {
        case .iccProfile, .standardRGB: return changesProfile
        case .physicalPixelDimensions: return difference.changes(.density)
        case .gamma: return difference.changes(.gamma)
        case .chromaticities: return difference.changes(.chromaticities)
        case .codePoints: return difference.changes(.codePoints)
        case .masteringDisplay: return difference.changes(.masteringDisplay)
        case .contentLight: return difference.changes(.contentLight)
        case .placement: return difference.changes(.placement)
        case .stereoLayout: return difference.changes(.stereoLayout)
        case .physicalScale: return difference.changes(.physicalScale)
        case .calibration: return difference.changes(.calibration)
        case .significantBits: return difference.changes(.significantBits)
        case .background: return difference.changes(.background)
        case .histogram: return difference.changes(.histogram)
        case .suggestedPalette: return difference.changes(.suggestedPalettes)
        default: return false
        }
    }
}

/// What a chunk says, of the kinds of which none stays that readers pass over.
private enum MetadataKind {
    case exif, xmp, text, time

    init?(_ chunk: ChunkHeader, _ source: Span<UInt8>) {
        switch chunk.type {
        case .exif: self = .exif
        case .internationalText:
            let body = source.extracting(chunk.bodyOffset..<min(chunk.checksumOffset, source.count))
            self = body.hasBytes("XML:com.adobe.xmp\0") ? .xmp : .text
        case .text, .compressedText: self = .text
        case .time: self = .time
        default: return nil
        }
    }

    /// How many there are.
    func count(in metadata: ImageMetadata) -> Int {
        switch self {
        case .exif: metadata.exif == nil ? 0 : 1
        case .xmp: metadata.xmp == nil ? 0 : 1
        case .text: metadata.texts.count
        case .time: metadata.modificationTime == nil ? 0 : 1
        }
    }
}
