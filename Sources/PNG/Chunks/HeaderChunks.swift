// Everything a PNG file says besides the image data, collected chunk by chunk.

import ImageCodecsCore

/// The contents of the chunks around the image data, with the rules of their order.
///
/// Source: PNG 3rd ed. §5.6 "Chunk ordering".
struct HeaderChunks: Sendable {
    private(set) var header: ImageHeader?
    private(set) var palette: PaletteChunk?
    private(set) var transparency: Transparency?
    /// Whether an animation control chunk announces frames besides the default image.
    private(set) var hasAnimation = false
    private var ancillary: AncillaryChunks
    /// Whether CgBI came, before IHDR.
    private var isAppleVariant = false

    init(_ request: DecodingRequest) {
        ancillary = AncillaryChunks(request)
    }

    /// What the ancillary chunks so far say.
    var metadata: ImageMetadata { ancillary.metadata }

    /// What to do with the body of a chunk.
    enum Disposition: Hashable, Sendable {
        /// Collect it and call ``read(_:body:_:)``.
        case read
        /// Pass over it.
        case skip
        /// It is image data.
        case imageData
        /// It is the end of the picture.
        case end
    }

    /// Decides about a chunk from its header alone, before any of its body is kept.
    ///
    /// - Parameter hasImageData: whether image data was read already.
    mutating func disposition(of chunk: ChunkHeader, hasImageData: Bool) throws(ImageError) -> Disposition {
        guard let header else {
            if chunk.type == .appleVariant, chunk.length == 4, !isAppleVariant { return .read }
            guard chunk.type == .imageHeader else {
                throw .corrupt(
                    .png, .pngChunkOrder, offset: chunk.offset, reason: "\(chunk.type.name) instead of IHDR comes first"
                )
            }
            guard chunk.length == ImageHeader.byteCount else {
                throw .corrupt(
                    .png, .pngHeaderLength, offset: chunk.offset, reason: "IHDR of \(chunk.length) bytes instead of 13")
            }
            return .read
        }
        switch chunk.type {
        case .imageHeader:
            throw .corrupt(.png, .pngChunkOrder, offset: chunk.offset, reason: "a second IHDR")
        case .appleVariant:
            throw .corrupt(.png, .pngChunkOrder, offset: chunk.offset, reason: "CgBI after IHDR")
        case .palette:
            return try paletteDisposition(chunk, header, hasImageData)
        case .imageData:
            guard header.colorType != .indexed || palette != nil else {
                throw .corrupt(
                    .png, .pngPaletteMissing, offset: chunk.offset, reason: "no PLTE before the image data")
            }
            return .imageData
        case .imageEnd:
            return .end
        case .transparency:
            let isInPlace = !hasImageData && transparency == nil && chunk.length <= 256
            return isInPlace ? .read : .skip
        default:
            guard !chunk.type.isCritical else {
                throw .unsupported(.png, feature: "critical chunk \(chunk.type.name)")
            }
            // PNG 3rd ed. §13.1 "Error handling": an unknown ancillary chunk, even of a type that is no four letters, is no reason not to
            // show the picture.
            if chunk.type == .animationControl { return !hasImageData && chunk.length == 8 ? .read : .skip }
            return try ancillary.wants(chunk) ? .read : .skip
        }
    }

    /// A palette counts only for indexed colour; in other files it is a suggestion for displays with few colours, and is skipped.
    private func paletteDisposition(
        _ chunk: ChunkHeader, _ header: ImageHeader, _ hasImageData: Bool
    ) throws(ImageError) -> Disposition {
        guard header.colorType == .indexed else { return .skip }
        guard !hasImageData, palette == nil else {
            throw .corrupt(
                .png, .pngChunkOrder, offset: chunk.offset, reason: hasImageData ? "PLTE after IDAT" : "a second PLTE")
        }
        guard chunk.length % 3 == 0, (3...768).contains(chunk.length) else {
            throw .corrupt(.png, .pngPaletteLength, offset: chunk.offset, reason: "PLTE of \(chunk.length) bytes")
        }
        return .read
    }

    /// Reads the body of a chunk that was to be read.
    ///
    /// - Parameter hasImageData: whether image data came before it.
    mutating func read(
        _ chunk: ChunkHeader, body: Span<UInt8>, hasImageData: Bool, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let header else {
            if chunk.type == .appleVariant {
                isAppleVariant = true
            } else {
                self.header = try ImageHeader(body, offset: chunk.bodyOffset, isAppleVariant: isAppleVariant)
            }
            return
        }
        switch chunk.type {
        case .palette:
            palette = PaletteChunk(body)
        case .transparency:
            transparency = Transparency(body, header: header, paletteCount: palette?.colors.count ?? 0)
        case .animationControl:
            // PNG 3rd ed. §11.3.6.1 "acTL Animation Control Chunk": the number of frames comes first.
            hasAnimation = body.bigEndianUInt32(at: 0) > 0
        default:
            try ancillary.read(
                chunk.type, body, header: header, paletteCount: palette?.colors.count ?? 0, hasImageData: hasImageData,
                &work)
        }
    }

    /// The layout of a scanline.
    func layout(_ header: ImageHeader) -> SampleLayout {
        SampleLayout(header: header, palette: palette, transparency: transparency)
    }
}
