// A PNG file with other metadata, and nothing else changed.
//
//   signature, IHDR ─▶ colours that changed ─▶ PLTE, tRNS ... ─▶ what else changed ─▶ IDAT ... IEND ─▶ what follows

public import ImageCodecsCore

extension PNGCoder: MetadataReplacingCoder {
    /// Writes a PNG file anew with other metadata; nothing is decoded, and image data, frames of an animation and unknown chunks
    /// stay as they are, with their checksums.
    ///
    /// - Parameters:
    ///   - file: a PNG file, animated or not.
    ///   - metadata: what the file is to say; what is `nil` or empty is removed, and what the file says already stays as it is. A profile is
    ///     written if it is one of such pixels, a background if it is a colour of them and no palette entry, significant bits if they fit; a
    ///     histogram is never written. Second EXIF and XMP chunks go, and damaged ones, texts and times if there is to be none. The
    ///     orientation counts as well: what it is decides how viewers turn the picture, whatever EXIF says.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat` for a file that is no PNG; `corrupt` and `truncated` for damaged chunks up to the image data; what reading
    ///   its headers throws.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        let difference = MetadataDifference(from: try storedMetadata(of: file, limits: limits), to: metadata)
        var work = WorkGuard(limits: limits)
        work.begin()
        return ImageData(
            try file.withBytes { (bytes) throws(ImageError) in
                var rewriting = ChunkRewriting(difference)
                let written = try rewriting.bytes(of: bytes, &work)
                return try rewriting.removeRepeated() ? rewriting.bytes(of: bytes, &work) : written
            })
    }
}

/// Copies chunks, and puts others in the place of those that say something else.
private struct ChunkRewriting {
    private let difference: MetadataDifference
    private var removesExif: Bool
    private var removesXMP: Bool
    private var removesTexts: Bool
    private var copiedExifCount = 0
    private var copiedXMPCount = 0
    private var file = ChunkWriter()

    init(_ difference: MetadataDifference) {
        self.difference = difference
        removesExif = difference.removesExif
        removesXMP = difference.removes(\.xmp)
        let saysNothing = difference.after.texts.isEmpty && difference.after.comments.isEmpty
        removesTexts = difference.changes(\.texts) || difference.changes(\.comments) || saysNothing
    }

    /// Marks what stood in the file more often than a reader takes it, to be written once by another ``bytes(of:_:)``; answers whether
    /// there is such a chunk.
    mutating func removeRepeated() -> Bool {
        removesExif = removesExif || copiedExifCount > 1
        removesXMP = removesXMP || copiedXMPCount > 1
        return copiedExifCount > 1 || copiedXMPCount > 1
    }

    mutating func bytes(of source: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        file = ChunkWriter()
        file.pending.bytes.reserveCapacity(source.count)
        var position = FormatSignature.png.byteCount
        var chunks: (new: PNGMetadataChunks, encoding: PixelEncoding)?
        var hasImageData = false
        while source.count - position >= ChunkHeader.byteCount {
            try work.spend(64)
            let rest = source.extracting(droppingFirst: position)
            // What cannot be a chunk after the image data follows the file, whatever it is.
            if hasImageData, (try? ChunkHeader(rest, offset: position)) == nil { break }
            let chunk = try ChunkHeader(rest, offset: position)
            guard chunk.end <= source.count else {
                guard hasImageData else { throw .truncated(.png, offset: source.count) }
                // Cut off, as is what it says.
                if isReplaced(chunk, source) { position = source.count }
                break
            }
            if chunk.type == .imageData, !hasImageData {
                hasImageData = true
                if let chunks { try chunks.new.writeAfterPalette(to: &file, chunks.encoding, &work) }
            }
            if !isReplaced(chunk, source) {
                if chunk.type == .exif { copiedExifCount += 1 }
                if isXMP(chunk, source) { copiedXMPCount += 1 }
                try copy(source.extracting(position..<chunk.end), work)
            }
            if chunk.type == .imageHeader, chunks == nil {
                let body = source.extracting(chunk.bodyOffset..<chunk.checksumOffset)
                let header = try ImageHeader(body, offset: chunk.bodyOffset)
                let encoding = PixelEncoding(header.colorType, bitDepth: header.bitDepth)
                let new = PNGMetadataChunks(picture(header))
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
        if removesExif { new.exif = after.exif }
        if removesXMP { new.xmp = after.xmp }
        if removesTexts { (new.texts, new.comments) = (after.texts, after.comments) }
        if changesProfile {
            (new.iccProfile, new.iccProfileName) = (after.iccProfile, after.iccProfileName)
            new.renderingIntent = after.renderingIntent
        }
        if difference.changes(\.density) { new.density = after.density }
        if difference.changes(\.gamma) { new.gamma = after.gamma }
        if difference.changes(\.chromaticities) { new.chromaticities = after.chromaticities }
        if difference.changes(\.codePoints) { new.codePoints = after.codePoints }
        if difference.changes(\.significantBits) { new.significantBits = after.significantBits }
        if difference.changes(\.background) { new.background = after.background }
        if difference.changes(\.suggestedPalettes) { new.suggestedPalettes = after.suggestedPalettes }
        if difference.changes(\.modificationTime) { new.modificationTime = after.modificationTime }
        return EncodedPicture(
            size: header.size, format: .rgba, orientation: removesExif ? after.orientation : .up,
            metadata: new)
    }

    /// A file has either a profile or a rendering intent.
    private var changesProfile: Bool {
        difference.changes(\.iccProfile) || difference.changes(\.iccProfileName)
            || difference.changes(\.renderingIntent)
    }

    private func isXMP(_ chunk: ChunkHeader, _ source: Span<UInt8>) -> Bool {
        chunk.type == .internationalText
            && source.extracting(chunk.bodyOffset..<min(chunk.checksumOffset, source.count))
                .hasBytes("XML:com.adobe.xmp\0")
    }

    /// Whether a chunk says something that differs.
    private func isReplaced(_ chunk: ChunkHeader, _ source: Span<UInt8>) -> Bool {
        switch chunk.type {
        case .exif: return removesExif
        case .internationalText:
            return isXMP(chunk, source) ? removesXMP : removesTexts
        case .text, .compressedText: return removesTexts
        case .iccProfile, .standardRGB: return changesProfile
        case .physicalPixelDimensions: return difference.changes(\.density)
        case .gamma: return difference.changes(\.gamma)
        case .chromaticities: return difference.changes(\.chromaticities)
        case .codePoints: return difference.changes(\.codePoints)
        case .significantBits: return difference.changes(\.significantBits)
        case .background: return difference.changes(\.background)
        case .histogram: return difference.changes(\.histogram)
        case .suggestedPalette: return difference.changes(\.suggestedPalettes)
        case .time: return difference.removes(\.modificationTime)
        default: return false
        }
    }
}
