// A JPEG file with other metadata, and nothing else changed.
//
//   SOI ─▶ JFIF, EXIF ─▶ what changed ─▶ the other segments, scans ─▶ EOI ─▶ what follows

public import ImageCodecsCore
import JPEGBaselineCodec

extension JPEGCoder: MetadataReplacingCoder {
    /// Writes a JPEG file anew with other metadata; nothing is decoded, and tables, scans, unknown segments and what follows the picture
    /// stay as they are.
    ///
    /// A second picture after the first one (MPF), or a film, stays with metadata of its own. The length of the first picture that an
    /// index of such pictures states is not corrected.
    ///
    /// - Parameters:
    ///   - file: a JPEG file.
    ///   - metadata: the profile, if it is one of such pixels, EXIF, XMP, IPTC and comments, and the density if the file has a JFIF
    ///     segment; what is `nil` or empty is removed, and what the file says already stays as it is. Of EXIF and XMP no segment stays
    ///     that readers pass over; if there is one, all of its kind are written anew. The orientation counts as well: what it is
    ///     decides how viewers turn the picture, whatever EXIF says.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat` for a file that is no JPEG; what reading its headers throws; `truncated` for a segment before the scans that is cut off;
    ///   `invalidArgument` for more metadata than a file can hold: EXIF data have at most 65527 bytes.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        let difference = MetadataDifference(from: try storedMetadata(of: file, limits: limits), to: metadata)
        var work = WorkGuard(limits: limits)
        work.begin()
        return ImageData(
            try file.withBytes { (bytes) throws(ImageError) in
                var rewriting = SegmentRewriting(difference, try Self.componentCount(in: bytes, work))
                let written = try rewriting.bytes(of: bytes, &work)
                return try rewriting.removeHidden() ? rewriting.bytes(of: bytes, &work) : written
            })
    }

    /// How many components the frame header of a file states.
    private static func componentCount(in file: Span<UInt8>, _ work: WorkGuard) throws(ImageError) -> Int {
        var position = 0
        while case .found(let marker, let end, _) = try MarkerReader.next(in: file, from: position, work: work) {
            position = end
            guard !marker.isStandalone else { continue }
            guard let length = MarkerReader.bodyLength(in: file, at: end), length >= 0, length <= file.count - end - 2
            else { break }
            if marker.isStartOfFrame { return length > 5 ? Int(file[end + 7]) : 0 }
            position = end + 2 + length
        }
        return 0
    }
}

/// Copies segments, and puts others in the place of those that say something else.
private struct SegmentRewriting {
    private let difference: MetadataDifference
    private let segments: MetadataSegments
    private var replacesExif: Bool
    private var replacesXMP: Bool
    private var copiedExifCount = 0
    /// Bytes of packets, which may have many segments.
    private var copiedXMPByteCount = 0
    private var markers = MarkerWriter()

    init(_ difference: MetadataDifference, _ componentCount: Int) {
        self.difference = difference
        let model: JPEGColorModel = componentCount == 1 ? .grayscale : componentCount == 4 ? .cmyk : .yCbCr
        segments = MetadataSegments(difference.after, orientation: difference.after.orientation, colorModel: model)
        replacesExif = difference.changesExif
        replacesXMP = difference.changes(\.xmp)
    }

    /// Finds out whether more was copied than readers take, as second and damaged blocks; what was removed from the first may be in them. They
    /// are left out by another ``bytes(of:_:)``.
    mutating func removeHidden() -> Bool {
        let hasHiddenExif = copiedExifCount > (difference.before.exif == nil ? 0 : 1)
        let hasHiddenXMP = copiedXMPByteCount > (difference.before.xmp.map { ExtendedXMP($0).byteCount } ?? 0)
        replacesExif = replacesExif || hasHiddenExif
        replacesXMP = replacesXMP || hasHiddenXMP
        return hasHiddenExif || hasHiddenXMP
    }

    private func isReplaced(_ part: MetadataPart) -> Bool {
        switch part {
        case .density: difference.changes(\.density)
        case .exif: replacesExif
        case .xmp: replacesXMP
        case .profile: difference.changes(\.iccProfile)
        case .resources: difference.changes(\.iptc)
        case .transform: false
        case .comments: difference.changes(\.comments)
        }
    }

    mutating func bytes(of file: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        markers = MarkerWriter()
        var position = 0
        var hasWrittenNew = false
        var hasScan = false
        while case .found(let marker, let end, _) = try MarkerReader.next(in: file, from: position, work: work) {
            try work.spend(64)
            // What stands before a marker without belonging to a segment goes with it. After a scan reserved markers are damage, and so are
            // lengths that do not count themselves: other segments may follow.
            let length = MarkerReader.bodyLength(in: file, at: end)
            let isDamage = hasScan && (marker.isReserved || length.map { $0 < 0 } ?? false)
            guard !marker.isStandalone, !isDamage else {
                try copy(file.extracting(position..<end), work)
                position = end
                if marker == .eoi { break }
                continue
            }
            guard let length, length >= 0 else { break }
            // What is cut off after the scans ends where the file does.
            let bodyEnd = hasScan ? min(end + 2 + length, file.count) : end + 2 + length
            guard bodyEnd <= file.count else { throw .truncated(.jpeg, offset: file.count) }
            let body = file.extracting(end + 2..<bodyEnd)
            let part = MetadataPart(marker, body)
            let isReplaced = part.map { self.isReplaced($0) } ?? false
            if !hasWrittenNew, !isReplaced, marker != .app0, part != .exif {
                hasWrittenNew = true
                try appendNew()
            }
            if !isReplaced {
                if part == .exif { copiedExifCount += 1 }
                copiedXMPByteCount += ExtendedXMP.byteCount(ofSegment: body) ?? 0
                try copy(file.extracting(position..<bodyEnd), work)
            } else if part == .density {
                try segments.append(.density, to: &markers)
            }
            position = bodyEnd
            guard marker == .sos else { continue }
            hasScan = true
            var skipper = ScanSkipper()
            let scan = file.extracting(droppingFirst: position)
            let step = try skipper.passOver(scan, work: &work)
            try copy(scan.extracting(first: step.consumedCount), work)
            position += step.consumedCount
        }
        try copy(file.extracting(droppingFirst: position), work)
        return markers.bytes
    }

    /// What has changed, but for the density, which has a place of its own.
    private mutating func appendNew() throws(ImageError) {
        for part in MetadataPart.allCases where part != .density && isReplaced(part) {
            try segments.append(part, to: &markers)
        }
    }

    private mutating func copy(_ bytes: Span<UInt8>, _ work: WorkGuard) throws(ImageError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.extracting(first: WorkGuard.stepByteCount)
            markers.append(copying: piece)
            rest = rest.extracting(droppingFirst: piece.count)
            try work.check()
        }
    }
}
