// The marker loop: reads segments and keeps their tables, and stops at each step that `JPEGStream` has to do.
//
// In: the bytes of a file in pieces of any size. Out: steps (a scan begins, its coded data follow, the image ends), and
// what the headers say. The loop knows no frame decoder: `JPEGStream` does as the steps say.

package import ImageCodecsCore

/// Reads a JPEG stream from marker to marker.
///
/// The states in their usual order: `start`, then `marker` and `segment` in turn, `codedData` after each SOS segment whose
/// data are wanted, and `complete` from EOI on, which consumes nothing.
///
/// - Source: ITU-T T.81 (1992) §B.2.1 "High-level syntax", §E.2 "Decoder control procedures".
package struct FrameDriver: Sendable {
    /// What comes next in the stream.
    package enum Step: Sendable {
        /// A scan begins; the tables for it are ``FrameDriver/tables``. Unless ``FrameDriver/beginCodedData()`` is called
        /// its data are passed over like stray bytes.
        case scan(ScanHeader)
        /// The unread bytes are entropy-coded data, until ``FrameDriver/endCodedData()`` is called.
        case codedData
        /// A DNL segment after the first scan states another height than the frame header; until ``FrameDriver/redefine(height:)``
        /// is called nothing has changed.
        case height(Int, offset: Int)
        /// EOI was read.
        case end
        /// The bytes end before the next step.
        case needsMoreInput
    }

    private enum State: Sendable {
        case start
        case marker
        /// A marker was found at `offset`; its segment follows.
        case segment(Marker, offset: Int)
        case codedData
        case complete
    }

    private var state = State.start
    /// In a frame whose height follows in a DNL segment: how far that was looked for, from the SOS segment on.
    private var heightSearchPosition = 0
    /// The height of a DNL segment, once known: that of the frame header counts no more.
    private var redefinedHeight: Int?
    private let limits: DecodingLimits
    private let strictness: DecodingOptions.Strictness

    /// The tables in force.
    package private(set) var tables = DecodingTables()
    /// What APPn and COM segments say.
    package var segments: ApplicationSegments
    /// The frame header, once read.
    package private(set) var header: JPEGFrameHeader?
    /// Scans begun.
    package private(set) var scanCount = 0

    /// - Parameter height: The height of the picture, if a DNL segment was met in an earlier reading of the same file.
    package init(_ request: DecodingRequest, height: Int? = nil) {
        redefinedHeight = height
        limits = request.options.limits
        strictness = request.options.strictness
        segments = ApplicationSegments(request)
    }

    /// Whether EOI was read.
    package var isComplete: Bool { if case .complete = state { true } else { false } }

    /// The scan that was announced has coded data that are wanted.
    package mutating func beginCodedData() { state = .codedData }

    /// All coded data of the scan are consumed: a marker follows.
    package mutating func endCodedData() { state = .marker }

    /// Makes the height that a DNL segment states that of the frame.
    package mutating func redefine(height: Int) throws(ImageError) {
        redefinedHeight = height
        header?.size.height = height
        if let header { try limits.check(size: header.size) }
    }

    /// Reads up to the next step.
    ///
    /// - Parameters:
    ///   - input: All unread bytes; `offset` is that of the first.
    ///   - position: Where to read; moves over what is not needed again.
    ///   - work: Asked in every loop.
    /// - Throws: any error of the stream.
    package mutating func next(
        _ input: Span<UInt8>, offset: Int, _ position: inout Int, work: inout WorkGuard
    ) throws(ImageError) -> Step {
        while true {
            switch state {
            case .start:
                guard try readStart(input, &position) else { return .needsMoreInput }
            case .marker:
                guard try findMarker(input, offset: offset, &position, &work) else { return .needsMoreInput }
            case .segment(let marker, let markerOffset):
                let segment = Segment(marker: marker, offset: markerOffset)
                if let step = try read(segment, input, offset: offset, &position, &work) { return step }
            case .codedData: return .codedData
            case .complete: return .end
            }
        }
    }

    /// A marker and where it is in the file.
    private struct Segment {
        let marker: Marker
        let offset: Int
    }

    private mutating func readStart(_ input: Span<UInt8>, _ position: inout Int) throws(ImageError) -> Bool {
        for (index, byte) in [0xFF, Marker.soi.rawValue].enumerated() where index < input.count {
            guard input[index] == byte else { throw .unknownFormat }
        }
        guard input.count >= 2 else { return false }
        position = 2
        state = .marker
        return true
    }

    private mutating func findMarker(
        _ input: Span<UInt8>, offset: Int, _ position: inout Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        switch try MarkerReader.next(in: input, from: position, work: work) {
        case .found(let marker, let end, _):
            // A segment costs more than its bytes, and a marker alone is one of two bytes. Once for each, however many calls
            // it takes until it is there.
            try work.spend(16)
            position = end
            state = .segment(marker, offset: offset + end - 2)
            return true
        case .needsMoreInput(let resumeAt, _):
            position = resumeAt
            return false
        }
    }

    /// Handles a marker and its segment, if it has one; `nil` if the caller has nothing to do for it.
    private mutating func read(
        _ segment: Segment, _ input: Span<UInt8>, offset: Int, _ position: inout Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Step? {
        let marker = segment.marker
        if marker == .eoi {
            guard scanCount > 0 else {
                throw .corruptJPEG(.jpegScanMissing, segment.offset, "no picture before the end of the image")
            }
            state = .complete
            return .end
        }
        if marker.isStartOfFrame, header != nil {
            throw .corruptJPEG(.jpegFrameRepeated, segment.offset, "second frame header")
        }
        if marker == .soi { throw .corruptJPEG(.jpegImageRepeated, segment.offset, "second start of image") }
        if marker.isStandalone {
            state = .marker
            return nil
        }
        if marker.isReserved, scanCount > 0 {
            // Not the beginning of a segment, but what damage has made of coded data.
            guard strictness == .tolerant else { throw Self.unknown(segment) }
            state = .marker
            return nil
        }
        guard let length = MarkerReader.bodyLength(in: input, at: position) else { return .needsMoreInput }
        guard length >= 0 else {
            throw .corruptJPEG(.jpegSegmentLength, segment.offset, "segment with a length below 2")
        }
        guard input.count - position - 2 >= length else { return .needsMoreInput }
        let body = input.extracting(position + 2..<position + 2 + length)
        if marker == .sos, header?.size.height == 0 {
            let rest = input.extracting(droppingFirst: position)
            guard try findHeight(rest, offset: offset + position, &work) else { return .needsMoreInput }
        }
        try work.spend(length)
        // Before the body is acted on: an error must not leave the segment to be read twice.
        position += 2 + length
        state = .marker
        if marker == .sos { return .scan(try beginScan(body, segment.offset)) }
        if marker == .dnl { return try readHeight(body, segment.offset) }
        try act(on: segment, body)
        return nil
    }

    private mutating func act(on segment: Segment, _ body: Span<UInt8>) throws(ImageError) {
        let offset = segment.offset
        switch segment.marker {
        case .dqt: try tables.readQuantization(body, offset: offset)
        case .dht: try tables.readHuffman(body, offset: offset)
        case .dri: tables.restartInterval = try RestartInterval.read(body, offset: offset)
        case .com: try segments.read(body, marker: .com, isLate: scanCount > 0)
        case .dac: try tables.readConditioning(body, offset: offset)
        case let marker where marker.isStartOfFrame:
            var header = try JPEGFrameHeader(marker: marker, body: body, offset: offset)
            header.size.height = redefinedHeight ?? header.size.height
            try limits.check(size: header.size)
            self.header = header
        case let marker where marker.rawValue & 0xF0 == 0xE0:
            try segments.read(body, marker: marker, isLate: scanCount > 0)
        default:
            guard strictness == .tolerant else { throw Self.unknown(segment) }
        }
    }

    /// Reads a DNL segment. It counts after the first scan only, and once.
    ///
    /// - Source: T.81 §B.2.5 "Define number of lines syntax".
    private func readHeight(_ body: Span<UInt8>, _ offset: Int) throws(ImageError) -> Step? {
        guard let header, scanCount == 1, redefinedHeight == nil else { return nil }
        do throws(ImageError) {
            let height = try NumberOfLines.read(body, offset: offset)
            return height == header.size.height ? nil : .height(height, offset: offset)
        } catch {
            guard strictness == .tolerant else { throw error }
            return nil
        }
    }

    private static func unknown(_ segment: Segment) -> ImageError {
        let code = String(segment.marker.rawValue, radix: 16, uppercase: true)
        return .corruptJPEG(.jpegMarkerUnknown, segment.offset, "unknown marker \(code)")
    }

    private mutating func beginScan(_ body: Span<UInt8>, _ offset: Int) throws(ImageError) -> ScanHeader {
        guard let header else { throw .corruptJPEG(.jpegScanOrder, offset, "scan before the frame header") }
        var scan = try ScanHeader(body: body, frame: header, offset: offset)
        scan.mayEndWithLines = scanCount == 0 && redefinedHeight == nil
        scanCount += 1
        guard scanCount <= limits.maxScanCount else {
            throw .limitExceeded(.scans, requested: scanCount, allowed: limits.maxScanCount)
        }
        if !header.isProgressive { tables.hasStandardTables = true }
        return scan
    }

    /// Looks after the first scan for the number of lines that the frame header leaves out.
    ///
    /// - Parameter input: From the length of the SOS segment on; none of it is consumed.
    /// - Returns: Whether the height is known now.
    private mutating func findHeight(
        _ input: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        heightSearchPosition = max(heightSearchPosition, 2 + (MarkerReader.bodyLength(in: input, at: 0) ?? 0))
        while true {
            switch try MarkerReader.next(in: input, from: heightSearchPosition, work: work) {
            case .needsMoreInput(let resumeAt, _):
                heightSearchPosition = resumeAt
                return false
            case .found(let marker, let end, _):
                if marker.restartNumber != nil {
                    // On top of what reading it will cost: two bytes make no more than twenty-four units of work.
                    try work.spend(4)
                    heightSearchPosition = end
                    continue
                }
                guard marker == .dnl else {
                    throw .corruptJPEG(
                        .jpegLinesMissing, offset + end - 2, "neither the frame header nor a DNL segment has the height"
                    )
                }
                guard input.count - end >= 4 else { return false }
                try redefine(
                    height: try NumberOfLines.read(input.extracting(end + 2..<end + 4), offset: offset + end - 2))
                heightSearchPosition = end + 4
                return true
            }
        }
    }
}
