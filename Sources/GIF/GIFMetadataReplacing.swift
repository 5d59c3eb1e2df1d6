// A GIF file with other metadata, and nothing else changed.
//
//   header, screen, table ─▶ extensions that stay ─▶ those that are new ─▶ first image ... trailer ─▶ what follows

public import ImageCodecsCore
import ImageEncoding
public import ImagePhotoMetadata

extension GIFCoder: MetadataRewritingCoder {
    /// Writes a GIF file anew with other metadata: comments, the XMP packet and the profile. Nothing is decoded, and images and other
    /// extensions stay as they are.
    ///
    /// - Parameters:
    ///   - file: a GIF file, animated or not.
    ///   - metadata: what the file is to say; what is `nil` or empty is removed.
    ///   - limits: bounds on reading the file.
    /// - Throws: `invalidArgument` for EXIF data, IPTC data, texts or an orientation that the file does not have already: there is no
    ///   place for them; what reading its headers throws.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        try rewriting(file, with: metadata, limits: limits)
    }

    package func rewriting(
        _ file: ImageData, _ difference: MetadataDifference, limits: DecodingLimits
    ) throws(ImageError) -> ImageData {
        let (before, after) = (difference.before, difference.after)
        let homeless = [
            (difference.changes(.exif), "EXIF data"), (difference.changes(.iptc) && after.iptc != nil, "IPTC data"),
            (before.texts != after.texts && !after.texts.isEmpty, "texts with keywords"),
        ]
        if let part = homeless.first(where: \.0)?.1 { throw .invalidArgument("GIF files have no place for \(part)") }
        var work = WorkGuard(limits: limits)
        work.begin()
        return ImageData(
            try file.withBytes { (bytes) throws(ImageError) in
                var rewriting = BlockRewriting(difference)
                return try rewriting.bytes(of: bytes, &work)
            })
    }
}

/// Copies blocks, and puts others in the place of those that say something else.
private struct BlockRewriting {
    private let difference: MetadataDifference
    /// What is new; `nil` once it is written.
    private var new: MetadataBlocks?
    private var file = GIFBlockWriter()

    /// Header and logical screen descriptor.
    private static let screenByteCount = 13
    private static let descriptorByteCount = 10

    init(_ difference: MetadataDifference) {
        self.difference = difference
        var metadata = ImageMetadata()
        if difference.changes(.comments) { metadata.comments = difference.after.comments }
        if difference.changes(.xmp) { metadata.xmp = difference.after.xmp }
        if difference.changes(.iccProfile) { metadata.iccProfile = difference.after.iccProfile }
        new = MetadataBlocks(metadata)
    }

    mutating func bytes(of source: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        guard source.count >= Self.screenByteCount else { throw .truncated(.gif, offset: source.count) }
        var position = Self.screenByteCount + Self.tableByteCount(source[10])
        guard position <= source.count else { throw .truncated(.gif, offset: source.count) }
        try copy(source.extracting(0..<position), work)
        while position < source.count, let end = try endOfBlock(at: position, source, &work) {
            let isRemoved = isReplaced(position, source)
            if !isRemoved {
                if isShown(position, source) { try writeNew(&work) }
                try copy(source.extracting(position..<min(end, source.count)), work)
            }
            position = min(end, source.count)
        }
        try writeNew(&work)
        try copy(source.extracting(droppingFirst: position), work)
        return file.pending.bytes
    }

    /// Where the block after that at `position` begins, beyond the end for one that is cut off; `nil` for the trailer, and for what is no
    /// block.
    private func endOfBlock(
        at position: Int, _ source: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        var position = position
        switch source[position] {
        case BlockReader.extensionIntroducer: position += 2
        case BlockReader.imageSeparator:
            guard position + Self.descriptorByteCount <= source.count else { return .max }
            // The minimum code size stands before the data.
            position +=
                Self.descriptorByteCount + Self.tableByteCount(source[position + Self.descriptorByteCount - 1]) + 1
        default: return nil
        }
        while position < source.count {
            let length = Int(source[position])
            try work.spend(1 + length)
            position += 1 + length
            if length == 0 { return position }
        }
        return .max
    }

    /// Whether a block is an image, or what belongs to one.
    private func isShown(_ position: Int, _ source: Span<UInt8>) -> Bool {
        guard source[position] == BlockReader.extensionIntroducer, position + 1 < source.count else { return true }
        return [ExtensionReader.graphicControlLabel, ExtensionReader.plainTextLabel].contains(source[position + 1])
    }

    /// Whether a block says what is said otherwise now.
    private func isReplaced(_ position: Int, _ source: Span<UInt8>) -> Bool {
        guard source[position] == BlockReader.extensionIntroducer, position + 1 < source.count else { return false }
        switch source[position + 1] {
        case ExtensionReader.commentLabel: return difference.changes(.comments)
        case ExtensionReader.applicationLabel:
            let start = position + 3
            let end = start + ApplicationExtension.identifierByteCount
            guard end <= source.count, Int(source[position + 2]) == ApplicationExtension.identifierByteCount else {
                return false
            }
            switch ApplicationExtension(source.extracting(start..<end)) {
            case .xmp: return difference.changes(.xmp)
            case .iccProfile: return difference.changes(.iccProfile)
            case .loop, .other: return false
            }
        default: return false
        }
    }

    private mutating func writeNew(_ work: inout WorkGuard) throws(ImageError) {
        guard let blocks = new else { return }
        new = nil
        guard !blocks.isEmpty else { return }
        try blocks.write(to: &file, loopCount: 1, &work)
        // Version 87a has no extensions.
        file.pending.bytes[4] = UInt8(ascii: "9")
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

    private static func tableByteCount(_ packedFields: UInt8) -> Int {
        ColorTable.byteCount(ColorTable.count(packedFields: packedFields))
    }
}
