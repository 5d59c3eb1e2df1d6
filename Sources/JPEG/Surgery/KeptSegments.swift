// What a file says around its coded data, and how much of it is kept.
//
//   SOI ─▶ application segments and comments, in their order ─▶ (tables, frame, scans: coded anew) ─▶ EOI ─▶ what follows

import ImageCodecsCore
import JPEGBaselineCodec

/// The application segments and comments of a file, wherever they stand.
struct KeptSegments: Sendable {
    /// Whole segments, for the place after SOI.
    private(set) var bytes: [UInt8] = []
    /// The index of further pictures (MPF), and where its byte order mark is in ``bytes``.
    private(set) var index: (read: MultiPictureIndex, start: Int)?

    /// `MPF` and a zero byte.
    static let indexNameByteCount = 4

    /// Gathers segments.
    ///
    /// - Parameters:
    ///   - file: the bytes up to the end of the picture.
    ///   - policy: with `.all` every segment stays as it is; otherwise the profile, if it is about colours, and what says how the
    ///     components are meant.
    ///   - orientation: how the picture still has to be turned, for policies that leave EXIF data out.
    /// - Throws: as `work`.
    init(
        of file: Span<UInt8>, _ policy: EncodingOptions.MetadataPolicy, orientation: Orientation,
        _ colorModel: JPEGColorModel, _ work: inout WorkGuard
    ) throws(ImageError) {
        var markers = MarkerWriter()
        if policy != .all {
            let fresh = MetadataSegments(ImageMetadata(), orientation: orientation, colorModel: colorModel)
            for part in [MetadataPart.density, .exif] { try fresh.append(part, to: &markers) }
        }
        var position = 0
        var hasScan = false
        while case .found(let marker, let end, _) = try MarkerReader.next(in: file, from: position, work: work) {
            try work.spend(64)
            position = end
            if marker == .eoi { break }
            guard !marker.isStandalone, !marker.isReserved, let length = MarkerReader.bodyLength(in: file, at: end),
                length >= 0, length <= file.count - end - 2
            else { continue }
            position = end + 2 + length
            let body = file.extracting(end + 2..<position)
            if marker == .sos {
                hasScan = true
                var skipper = ScanSkipper()
                position += try skipper.passOver(file.extracting(droppingFirst: position), work: &work).consumedCount
            } else if Self.keeps(marker, body, policy, colorModel), !hasScan || !Self.saysColorModel(marker, body) {
                if policy == .all, index == nil, MetadataPart(marker, body) == .furtherPictures {
                    let start = end + 2 + Self.indexNameByteCount
                    index = (
                        MultiPictureIndex(body.extracting(droppingFirst: Self.indexNameByteCount), at: start),
                        markers.bytes.count + 4 + Self.indexNameByteCount
                    )
                }
                try work.spend(length)
                markers.append(copying: file.extracting(end - 2..<position))
            }
        }
        bytes = markers.bytes
    }

    /// Whether a segment decides what components mean: after a scan it comes too late, and must not come in time now.
    private static func saysColorModel(_ marker: Marker, _ body: Span<UInt8>) -> Bool {
        [.density, .transform].contains(MetadataPart(marker, body))
    }

    private static func keeps(
        _ marker: Marker, _ body: Span<UInt8>, _ policy: EncodingOptions.MetadataPolicy, _ colorModel: JPEGColorModel
    ) -> Bool {
        guard marker == .com || marker.rawValue & 0xF0 == 0xE0 else { return false }
        if policy == .all { return true }
        switch MetadataPart(marker, body) {
        case .profile: return policy == .colors
        // It says whether inks are inverted.
        case .transform: return colorModel != .grayscale
        default: return false
        }
    }
}
