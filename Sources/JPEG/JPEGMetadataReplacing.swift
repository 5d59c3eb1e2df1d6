// A JPEG file with other metadata, and nothing else changed.
//
//   SOI ─▶ JFIF, EXIF ─▶ what changed ─▶ the other segments, scans ─▶ EOI ─▶ what follows

public import ImageCodecsCore
public import ImagePhotoMetadata
import JPEGBaselineCodec

extension JPEGCoder: MetadataRewritingCoder {
    /// Writes a JPEG file anew with other metadata; nothing is decoded, and tables, scans, unknown segments and what follows the picture
    /// stay as they are.
    ///
    /// Second pictures after the first one stay with metadata of their own, and an index of them (MPF) says where they are now. Without
    /// `ImageMetadata.furtherPictures` the index and the pictures in it go. Whatever else follows stays, films above all.
    ///
    /// - Parameters:
    ///   - file: a JPEG file.
    ///   - metadata: the profile, if it is one of such pixels, EXIF, XMP, IPTC and comments, and the density if the file has a JFIF
    ///     segment; what is `nil` or empty is removed, and what the file says already stays as it is. Of EXIF, XMP, IPTC and comments no
    ///     segment stays that readers pass over; if there is one, all of its kind are written anew. The orientation counts as
    ///     well: what it is decides how viewers turn the picture, whatever EXIF says.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat` for a file that is no JPEG; what reading its headers throws; `truncated` for a segment before the scans that is cut off;
    ///   `invalidArgument` for more metadata than a file can hold: EXIF data have at most 65527 bytes.
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
                var rewriting = SegmentRewriting(difference, try Self.componentCount(in: bytes, work))
                var written = try rewriting.bytes(of: bytes, &work)
                guard rewriting.removeHidden() else { return written }
                written = []
                return try rewriting.bytes(of: bytes, &work)
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
    /// What was read of the file.
    private let before: ImageMetadata
    private let segments: MetadataSegments
    private var replaced: Set<MetadataPart> = []
    /// How much was copied: bytes of what may have many segments, else how many.
    private var copied: [MetadataPart: Int] = [:]
    /// The index of further pictures, and where its byte order mark is now, if it is still there.
    private var index: (read: MultiPictureIndex, start: Int?)?
    private var markers = MarkerWriter()

    init(_ difference: MetadataDifference, _ componentCount: Int) {
        before = difference.before
        let model: JPEGColorModel = componentCount == 1 ? .grayscale : componentCount == 4 ? .cmyk : .yCbCr
        segments = MetadataSegments(difference.after, orientation: difference.after.orientation, colorModel: model)
        if difference.changes(.density) { replaced.insert(.density) }
        if difference.changes(.exif) { replaced.insert(.exif) }
        if difference.changes(.xmp) { replaced.insert(.xmp) }
        if difference.changes(.iccProfile) { replaced.insert(.profile) }
        if difference.changes(.iptc) { replaced.insert(.resources) }
        if difference.changes(.comments) { replaced.insert(.comments) }
        if difference.changes(.furtherPictures), difference.after.furtherPictures == nil {
            replaced.insert(.furtherPictures)
        }
    }

    /// Finds out whether more was copied than was read, as second and damaged blocks and those after damage: what was removed from the first
    /// may be in them. They are left out by another ``bytes(of:_:)``.
    mutating func removeHidden() -> Bool {
        let read: [MetadataPart: Int] = [
            .exif: before.exif == nil ? 0 : 1, .xmp: before.xmp?.count ?? 0, .resources: before.iptc?.count ?? 0,
            .comments: before.comments.count,
        ]
        let hidden = read.filter { part, count in copied[part, default: 0] > count }.keys
        replaced.formUnion(hidden)
        return !hidden.isEmpty
    }

    private mutating func countCopy(of part: MetadataPart, _ body: Span<UInt8>) {
        let count: Int
        switch part {
        case .xmp:
            count = ExtendedXMP.byteCount(ofSegment: body, alone: before.xmp ?? [])
        case .resources: count = body.count - MetadataSegments.resourceNameByteCount
        default: count = 1
        }
        copied[part, default: 0] += count
    }

    mutating func bytes(of file: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        markers = MarkerWriter()
        index = nil
        var position = 0
        var hasWrittenNew = false
        var hasScan = false
        // Where the coded data end that were written last; nil if something else was.
        var codedEnd: Int?
        while case .found(let marker, let end, _) = try MarkerReader.next(in: file, from: position, work: work) {
            try work.spend(64)
            // What stands before a marker without belonging to a segment goes with it; not if it would come to stand after coded data, as
            // the segment between them is gone: it would be some of them.
            let start = codedEnd.map { $0 != position } == true ? end - 2 : position
            // After a scan reserved markers are damage, and so are lengths that do not count themselves: other segments may follow.
            let length = MarkerReader.bodyLength(in: file, at: end)
            let isDamage = hasScan && (marker.isReserved || length.map { $0 < 0 } ?? false)
            guard !marker.isStandalone, !isDamage else {
                try copy(file.extracting(start..<end), work)
                (position, codedEnd) = (end, nil)
                if marker == .eoi { break }
                continue
            }
            guard let length, length >= 0 else { break }
            // What is cut off after the scans ends where the file does.
            let bodyEnd = hasScan ? min(end + 2 + length, file.count) : end + 2 + length
            guard bodyEnd <= file.count else { throw .truncated(.jpeg, offset: file.count) }
            let body = file.extracting(end + 2..<bodyEnd)
            let part = MetadataPart(marker, body)
            let isReplaced = part.map { replaced.contains($0) } ?? false
            if !hasWrittenNew, !isReplaced, marker != .app0, part != .exif {
                hasWrittenNew = true
                try appendNew()
            }
            if part == .furtherPictures, index == nil {
                let newStart = markers.bytes.count + bodyEnd - start - body.count + Self.indexNameByteCount
                index = (
                    MultiPictureIndex(
                        body.extracting(droppingFirst: Self.indexNameByteCount), at: end + 2 + Self.indexNameByteCount),
                    isReplaced ? nil : newStart
                )
            }
            if !isReplaced {
                if let part { countCopy(of: part, body) }
                try copy(file.extracting(start..<bodyEnd), work)
                codedEnd = nil
            } else if part == .density {
                try segments.append(.density, to: &markers)
                codedEnd = nil
            }
            position = bodyEnd
            guard marker == .sos else { continue }
            hasScan = true
            var skipper = ScanSkipper()
            let scan = file.extracting(droppingFirst: position)
            let step = try skipper.passOver(scan, work: &work)
            try copy(scan.extracting(first: step.consumedCount), work)
            position += step.consumedCount
            codedEnd = position
        }
        // The marker that ended the coded data may be gone with its segment, and nothing follow.
        if let codedEnd, codedEnd != position, position == file.count { markers.append(.eoi) }
        try appendRest(of: file, from: position, work)
        return markers.bytes
    }

    /// `MPF` and a zero byte.
    private static let indexNameByteCount = 4

    /// Copies what follows the picture, with an index that is right, or without the pictures of an index that is gone.
    private mutating func appendRest(of file: Span<UInt8>, from end: Int, _ work: WorkGuard) throws(ImageError) {
        var position = end
        if let index, let start = index.start {
            for correction in index.read.corrections(end: end, newEnd: markers.bytes.count, newStart: start) {
                markers.replace(at: start + correction.place, with: correction.bytes)
            }
        } else if let index {
            let pictures = index.read.furtherPictures(after: end, fileByteCount: file.count)
            for picture in pictures.sorted(by: { $0.lowerBound < $1.lowerBound }) where picture.upperBound > position {
                try copy(file.extracting(position..<max(position, picture.lowerBound)), work)
                position = picture.upperBound
            }
        }
        try copy(file.extracting(droppingFirst: position), work)
    }

    /// What has changed, but for the density, which has a place of its own.
    private mutating func appendNew() throws(ImageError) {
        for part in MetadataPart.allCases where part != .density && replaced.contains(part) {
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
