// The marker segments of a file as they lie in it, damaged or not: what `imagetool inspect` prints.

public import ImageCodecsCore
package import JPEGBaselineCodec

/// The marker segments of a JPEG file in file order.
///
/// Made for looking at damaged files too: nothing but a missing SOI is an error. The walk ends at EOI or at a
/// segment that does not fit into the file.
///
/// - Source: ITU-T T.81 (1992) §B.2.1 "High-level syntax".
public struct JPEGMarkerListing: Sendable {
    /// A marker, its segment, and after SOS the entropy-coded data.
    public struct Segment: Hashable, Sendable {
        /// The marker's name in the standard: `SOF0`, `DHT`, `APP1`, ...
        public let name: String
        /// Where the marker's `0xFF` is in the file.
        public let offset: Int
        /// Bytes of the segment after its length field; `nil` for markers that stand alone.
        public let byteCount: Int?
        /// Whether the file holds all of the segment.
        public let isWhole: Bool
        /// Bytes of entropy-coded data that follow, restart markers included; 0 for all but SOS.
        public let codedByteCount: Int
        /// Restart markers in those data.
        public let restartCount: Int
        /// What the segment says in a few words; empty for segments that are not described.
        public let summary: String
    }

    /// The segments, one that is cut off included.
    public private(set) var segments: [Segment] = []
    /// Bytes between segments that belong to none.
    public private(set) var strayByteCount = 0
    /// Bytes after EOI, or after the last segment listed.
    public private(set) var trailingByteCount = 0
    /// Whether the walk stopped because there were more segments than asked for.
    public private(set) var isCut = false

    /// The header of the frame, if it is of a process that this package decodes.
    package private(set) var frame: JPEGFrameHeader?
    /// The quantization tables as they stand before the first scan, by slot.
    private var tables: [QuantizationTable?] = Array(repeating: nil, count: 4)
    /// Whether a scan was listed.
    package private(set) var hasScan = false

    /// What the scans' headers say of the encoder's choices.
    package private(set) var script = JPEGScanScript()

    /// The quality setting that the first component's table is of; `nil` if there is no such table.
    package var qualityEstimate: QualityEstimate? {
        tables[frame?.components.first?.quantizationTable ?? 0].map { QualityEstimate($0) }
    }

    /// Lists the segments of a file.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - maxSegmentCount: segments after which the listing stops.
    ///   - limits: of which time counts.
    /// - Throws: `unknownFormat` when the file does not start with SOI; `limitExceeded(.time)`, `cancelled`.
    public init(
        _ data: ImageData, maxSegmentCount: Int = 1 << 20, limits: DecodingLimits = .default
    ) throws(ImageError) {
        let startsRight = data.withBytes { $0.count >= 2 && $0[0] == 0xFF && $0[1] == Marker.soi.rawValue }
        guard startsRight else { throw .unknownFormat }
        var work = WorkGuard(limits: limits)
        work.begin()
        try data.withBytes { (bytes) throws(ImageError) in try walk(bytes, maxSegmentCount: maxSegmentCount, &work) }
    }

    /// What a marker costs besides its bytes, in units of `WorkGuard`.
    private static let markerCost = 64

    private mutating func walk(
        _ bytes: Span<UInt8>, maxSegmentCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        var position = 0
        while segments.count < maxSegmentCount {
            try work.spend(Self.markerCost)
            let search = try MarkerReader.next(in: bytes, from: position, work: work)
            guard case .found(let marker, let end, let skipped) = search else {
                trailingByteCount = bytes.count - position
                return
            }
            strayByteCount += skipped
            position = end
            if marker.isStandalone {
                append(marker, at: end - 2)
                guard marker != .eoi else {
                    trailingByteCount = bytes.count - end
                    return
                }
            } else {
                guard let next = try appendSegment(marker, in: bytes, behind: end, &work) else { return }
                position = next
            }
        }
        isCut = true
    }

    private mutating func append(_ marker: Marker, at offset: Int) {
        segments.append(
            Segment(
                name: JPEGSegmentSummary.name(of: marker), offset: offset, byteCount: nil, isWhole: true,
                codedByteCount: 0, restartCount: 0, summary: ""))
    }

    /// Lists a marker with a length, and answers where the next one is looked for; `nil` when the file ends first.
    private mutating func appendSegment(
        _ marker: Marker, in bytes: Span<UInt8>, behind end: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        let length = max(0, MarkerReader.bodyLength(in: bytes, at: end) ?? 0)
        let bodyStart = min(end + 2, bytes.count)
        let isWhole = bytes.count - end >= 2 && length <= bytes.count - bodyStart
        let bodyEnd = isWhole ? bodyStart + length : bytes.count
        // What it says is read, and put into words.
        try work.spend(bodyEnd - bodyStart)
        if isWhole { record(marker, bytes.extracting(bodyStart..<bodyEnd), offset: end - 2) }
        var scan = (end: bodyEnd, restarts: 0)
        if marker == .sos && isWhole { scan = try Self.codedData(in: bytes, from: bodyEnd, &work) }
        segments.append(
            Segment(
                name: JPEGSegmentSummary.name(of: marker), offset: end - 2, byteCount: length, isWhole: isWhole,
                codedByteCount: scan.end - bodyEnd, restartCount: scan.restarts,
                summary: isWhole ? JPEGSegmentSummary.text(marker, bytes.extracting(bodyStart..<bodyEnd)) : ""))
        return isWhole ? scan.end : nil
    }

    /// Records what a segment says about the file as a whole; a damaged body adds nothing.
    private mutating func record(_ marker: Marker, _ body: Span<UInt8>, offset: Int) {
        if marker == .sos {
            hasScan = true
            script.add(scan: body)
        }
        if marker == .dht { script.add(tables: body) }
        if marker == .dqt, !hasScan {
            var slots = tables
            if (try? QuantizationTable.read(body, into: &slots, offset: offset)) != nil { tables = slots }
        }
        if marker.isStartOfFrame, frame == nil {
            frame = try? JPEGFrameHeader(marker: marker, body: body, offset: offset)
            script.isProgressive = marker == .sof2 || marker == .sof10
            script.isArithmetic = frame?.isArithmetic == true
            script.isLossless = marker == .sof3
        }
    }

    /// Where the entropy-coded data from `start` end, and how many restart markers are in them.
    private static func codedData(
        in bytes: Span<UInt8>, from start: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> (end: Int, restarts: Int) {
        var position = start
        var restarts = 0
        while case .found(let marker, let end, _) = try MarkerReader.next(in: bytes, from: position, work: work) {
            guard !marker.endsCodedData else { return (end - 2, restarts) }
            if marker.restartNumber != nil { restarts += 1 }
            try work.spend(markerCost + end - position)
            position = end
        }
        return (bytes.count, restarts)
    }
}
