// ICCP, EXIF and XMP: kept unchanged; their sizes are checked before that.

import ImageCodecsCore
import ImagePhotoMetadata

/// The metadata of a file, wherever its chunks stand. Of two of a kind the first counts.
///
/// - Source: RFC 9649 §2.7.1.4 "Color Profile", §2.7.1.5 "Metadata".
struct WebPMetadataChunks: Sendable {
    private(set) var metadata = ImageMetadata()
    private var budget: MetadataBudget
    /// Kinds that were read, kept or not.
    private var seen: Set<FourCC> = []

    init(_ request: DecodingRequest) {
        budget = MetadataBudget(
            limits: request.options.limits, isInspection: request.keepsLittleMetadata, meter: request.meter)
    }

    /// Whether a chunk is read, if it is the first one like that of its kind.
    static func reads(_ chunk: RIFFChunk) -> Bool {
        [.colorProfile, .exif, .xmp].contains(chunk.type)
            && (1...MetadataBudget.largestItemByteCount).contains(chunk.byteCount)
    }

    /// Whether a payload is worth collecting; others are passed over.
    ///
    /// - Parameter chunk: any chunk.
    /// - Throws: `limitExceeded(.metadata)` for one that is longer than all that may be kept.
    mutating func wants(_ chunk: RIFFChunk) throws(ImageError) -> Bool {
        guard Self.reads(chunk), !seen.contains(chunk.type) else { return false }
        try budget.admit(chunk.byteCount)
        return true
    }

    /// Takes a payload that was wanted.
    ///
    /// - Parameters:
    ///   - chunk: its chunk.
    ///   - body: the payload.
    /// - Throws: `limitExceeded`.
    mutating func read(_ chunk: RIFFChunk, _ body: Span<UInt8>) throws(ImageError) {
        seen.insert(chunk.type)
        if chunk.type == .exif { metadata.orientation = exifOrientation(in: body) ?? .up }
        guard try budget.charge(body.count) else { return }
        switch chunk.type {
        case .colorProfile: metadata.iccProfile = Array(body)
        case .exif:
            // Some writers put in front what stands before it in JPEG files.
            let hasName = body.hasBytes("Exif\0") && body.count >= 6
            metadata.exif = Array(hasName ? body.extracting(droppingFirst: 6) : body)
        case .xmp: metadata.xmp = Array(body)
        default: break
        }
    }
}
