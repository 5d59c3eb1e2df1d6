// A file put together anew from its own chunks: with other metadata, and with shorter bitstreams where there are some.
//
//   VP8X ─▶ ICCP ─▶ everything else, in its order ─▶ EXIF ─▶ XMP          VP8X only if the file needs it

import ImageCodecsCore

/// Writes the chunks of a file again.
struct RewrittenFile {
    private let list: ChunkList
    private let metadata: WrittenMetadata
    /// Whether chunks of unknown types are written as well.
    private let keepsUnknown: Bool

    /// - Parameters:
    ///   - list: of the file.
    ///   - metadata: what stands in the place of the file's own.
    init(_ list: ChunkList, _ metadata: WrittenMetadata, keepsUnknown: Bool) {
        self.list = list
        self.metadata = metadata
        self.keepsUnknown = keepsUnknown
    }

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - file: the one that the list is of.
    ///   - shortened: answers with a shorter payload in the place of one of VP8L, or with `nil`.
    ///   - work: asked for each chunk and while it is copied.
    /// - Throws: `corrupt` for a picture whose header cannot be read, `invalidArgument` if the file gets too long; what `shortened`
    ///   throws.
    func bytes(
        of file: Span<UInt8>, work: inout WorkGuard,
        shortened: (_ chunk: RIFFChunk, _ payload: Span<UInt8>) throws(ImageError) -> [UInt8]?
    ) throws(ImageError) -> [UInt8] {
        var chunks = RIFFWriter()
        chunks.reserve(file.count.addingSaturated(metadata.byteCount).addingSaturated(64))
        let kept = list.chunks.filter { isKept($0.type) }
        if let header = try extendedHeader(kept, file) { chunks.append(.extended, header.body) }
        metadata.appendProfile(to: &chunks)
        for chunk in kept {
            try work.check()
            switch chunk.type {
            case .frame where list.isAnimation && !keepsUnknown:
                try append(frame: chunk, of: file, to: &chunks, &work, shortened)
            case .lossless:
                try append(lossless: chunk, of: file, to: &chunks, work, shortened)
            default: try chunks.append(chunk.type, file.extracting(chunk.body), work: work)
            }
        }
        metadata.appendRest(to: &chunks)
        return try chunks.file()
    }

    private func isKept(_ type: FourCC) -> Bool {
        switch type {
        case .colorProfile, .exif, .xmp: false
        case .lossy, .lossless, .alpha, .animation, .frame: true
        default: keepsUnknown
        }
    }

    /// The extended header; `nil` if a simple file is enough.
    private func extendedHeader(
        _ kept: [RIFFChunk], _ file: Span<UInt8>
    ) throws(ImageError) -> ExtendedHeader? {
        if list.isAnimation, let extended = list.extended {
            let flags = metadata.flags.union(extended.flags.intersection([.animation, .alpha]))
            return ExtendedHeader(flags, canvasSize: extended.canvasSize)
        }
        guard let chunk = kept.first(where: { PictureHeader.kind(of: $0.type) != nil }),
            let kind = PictureHeader.kind(of: chunk.type)
        else { return list.extended }
        let picture = try PictureHeader(kind, file.extracting(chunk.body), chunk)
        let size = list.extended?.canvasSize ?? picture.size
        // A header may state alpha that the picture does not have: decoders go by it.
        let statesAlpha = keepsUnknown && list.extended?.flags.contains(.alpha) ?? false
        if metadata.isEmpty, kept.count == 1, size == picture.size, !statesAlpha || picture.hasAlpha {
            return nil
        }
        let hasAlpha = statesAlpha || picture.hasAlpha || (kind == .lossy && kept.contains { $0.type == .alpha })
        return ExtendedHeader(hasAlpha ? metadata.flags.union(.alpha) : metadata.flags, canvasSize: size)
    }

    private func append(
        lossless chunk: RIFFChunk, of file: Span<UInt8>, to chunks: inout RIFFWriter, _ work: WorkGuard,
        _ shortened: (_ chunk: RIFFChunk, _ payload: Span<UInt8>) throws(ImageError) -> [UInt8]?
    ) throws(ImageError) {
        let payload = file.extracting(chunk.body)
        if let shorter = try shortened(chunk, payload) {
            chunks.append(chunk.type, shorter)
        } else {
            try chunks.append(chunk.type, payload, work: work)
        }
    }

    /// Appends a frame: its head as it is, and its picture.
    private func append(
        frame: RIFFChunk, of file: Span<UInt8>, to chunks: inout RIFFWriter, _ work: inout WorkGuard,
        _ shortened: (_ chunk: RIFFChunk, _ payload: Span<UInt8>) throws(ImageError) -> [UInt8]?
    ) throws(ImageError) {
        var inner = RIFFWriter()
        for chunk in try ChunkList.chunks(in: frame, of: file, work: &work) {
            switch chunk.type {
            case .lossless: try append(lossless: chunk, of: file, to: &inner, work, shortened)
            case .lossy, .alpha: try inner.append(chunk.type, file.extracting(chunk.body), work: work)
            default: break
            }
        }
        chunks.appendHead(.frame, byteCount: FrameChunk.byteCount + inner.bytes.count)
        chunks.append(file.extracting(frame.bodyOffset..<frame.bodyOffset + FrameChunk.byteCount))
        inner.bytes.withSpan { chunks.append($0) }
    }
}
