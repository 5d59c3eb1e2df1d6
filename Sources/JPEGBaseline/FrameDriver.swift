// The marker loop: reads segments, keeps tables, and hands entropy-coded data to the decoder of the frame.
//
// In: the bytes of a file in pieces of any size. Out: calls of a `FrameDecoder`, and what the headers say. Both
// sequential and progressive frames run under this one loop; who decodes a frame is decided by the `FrameSource` that
// is passed with the bytes.

package import ImageCore

/// Reads a JPEG stream.
///
/// The states in their usual order: `start`, then `marker` and `segment` in turn, `entropyCodedData` after each
/// SOS segment, and `complete` from EOI on. `complete` consumes nothing: what follows is counted as trailing bytes.
///
/// - Source: ITU-T T.81 (1992) §B.2.1 "High-level syntax", §E.2 "Decoder control procedures".
package struct FrameDriver: Sendable {
    private enum State: Sendable {
        case start
        case marker
        /// A marker was found at `offset`; its segment follows.
        case segment(Marker, offset: Int)
        case entropyCodedData
        case complete
    }

    private var state = State.start
    private var tables = DecodingTables()
    /// In a frame whose height follows in a DNL segment: how far that was looked for, from the SOS segment on.
    private var heightSearchPosition = 0
    /// The longest unit that was waited for: a segment, or what lies between SOS and DNL.
    private var longestUnitByteCount = 0
    /// Where the first scan begins: until then the bytes are kept, lest another coder is asked.
    private var headerByteCount = 0
    /// When a unit of the scan that was not complete is tried again.
    private var reattempt = Reattempt()
    private let request: DecodingRequest

    /// What APPn and COM segments say.
    package private(set) var segments: ApplicationSegments
    /// The frame header, once read.
    package private(set) var header: FrameHeader?
    /// The decoder of the frame, once the first scan began.
    package var frame: (any FrameDecoder)?
    /// Scans begun.
    package private(set) var scanCount = 0

    package init(_ request: DecodingRequest) {
        self.request = request
        segments = ApplicationSegments(request)
    }

    private var limits: DecodingLimits { request.options.limits }
    private var strictness: DecodingOptions.Strictness { request.options.strictness }

    /// Whether EOI was read.
    package var isComplete: Bool { if case .complete = state { true } else { false } }

    /// Bytes that metadata and the input's left-overs take at most, as far as the file is known. Saturates.
    package var inputSideByteCount: Int {
        let fill = min(frame?.longestFill ?? 1, EntropyBitReader.maximumFill)
        let unit = max(longestUnitByteCount, SequentialScan.longestMCUByteCount * (fill + 1))
        return InputBuffer.peakByteCount(unitByteCount: unit, inputByteCount: request.inputByteCount)
            .addingSaturated(ByteCollector.peakByteCount(collecting: headerByteCount))
            .addingSaturated(segments.peakByteCount)
    }

    /// Reads as far as the bytes allow.
    ///
    /// - Parameters:
    ///   - input: All unread bytes; `offset` is that of the first.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked in every loop.
    ///   - frames: Makes the decoder of the frame, when the first scan begins.
    /// - Returns: How many bytes were consumed. The rest must be passed again, with more.
    /// - Throws: any error of the stream; `truncated` when the final bytes end before the picture does.
    package mutating func advance(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard, frames: inout FrameSource
    ) throws(ImageError) -> Int {
        var position = 0
        while true {
            let isStalled: Bool
            // A segment costs more than its bytes.
            try work.spend(64)
            switch state {
            case .start:
                isStalled = try !readStart(input, &position)
            case .marker:
                isStalled = try !findMarker(input, offset: offset, &position, work)
            case .segment(let marker, let markerOffset):
                isStalled = try !readSegment(
                    marker, markerOffset, input, offset: offset, &position, &work, &frames)
            case .entropyCodedData:
                isStalled = try !decodeScan(input, offset: offset, isFinal: isFinal, &position, &work)
            case .complete:
                return position
            }
            guard isStalled else { continue }
            if isFinal, frame?.isComplete != true { throw .truncated(.jpeg, offset: offset + input.count) }
            return position
        }
    }

    /// Ends the frame: the stream is complete, or no more bytes will come.
    ///
    /// - Throws: under `.strict`, `corrupt` where the scans leave out a component.
    package mutating func endFrame(work: WorkGuard) throws(ImageError) {
        var work = work
        try segments.assemble(work: &work)
        guard request.purpose != .inspection else { return }
        try frame?.finish(isWhole: true, work: work)
        if strictness == .strict, let size = header?.size, let frame, frame.realRows != [0..<size.height] {
            throw .corruptJPEG(0, "the scans leave out part of the picture")
        }
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
        _ input: Span<UInt8>, offset: Int, _ position: inout Int, _ work: WorkGuard
    ) throws(ImageError) -> Bool {
        switch try MarkerReader.next(in: input, from: position, work: work) {
        case .found(let marker, let end, _):
            position = end
            state = .segment(marker, offset: offset + end - 2)
            return true
        case .needsMoreInput(let resumeAt, _):
            position = resumeAt
            return false
        }
    }

    private mutating func readSegment(
        _ marker: Marker, _ markerOffset: Int, _ input: Span<UInt8>, offset: Int, _ position: inout Int,
        _ work: inout WorkGuard, _ frames: inout FrameSource
    ) throws(ImageError) -> Bool {
        if marker == .eoi {
            guard frame != nil else { throw .corruptJPEG(markerOffset, "no picture before the end of the image") }
            state = .complete
            return true
        }
        if marker.isStartOfFrame, header != nil { throw .corruptJPEG(markerOffset, "second frame header") }
        if marker == .soi { throw .corruptJPEG(markerOffset, "second start of image") }
        if marker.isStandalone {
            state = .marker
            return true
        }
        if marker.isReserved, frame != nil {
            // Not the beginning of a segment, but what damage has made of coded data.
            guard strictness == .tolerant else { throw unknown(marker, markerOffset) }
            state = .marker
            return true
        }
        guard let length = MarkerReader.bodyLength(in: input, at: position) else { return false }
        guard length >= 0 else { throw .corruptJPEG(markerOffset, "segment with a length below 2") }
        longestUnitByteCount = max(longestUnitByteCount, length + 2)
        try work.spend(length)
        guard input.count - position - 2 >= length else { return false }
        let body = input.extracting(position + 2..<position + 2 + length)
        if marker == .sos, header?.size.height == 0 {
            let rest = input.extracting(droppingFirst: position)
            guard try findHeight(rest, offset: offset + position, &work) else { return false }
        }
        // Before the body is acted on: an error must not leave the segment to be read twice.
        position += 2 + length
        state = .marker
        try act(on: marker, body, markerOffset, &work, &frames)
        return true
    }

    private mutating func act(
        on marker: Marker, _ body: Span<UInt8>, _ offset: Int, _ work: inout WorkGuard, _ frames: inout FrameSource
    ) throws(ImageError) {
        switch marker {
        case .dqt: try QuantizationTable.read(body, into: &tables.quantization, offset: offset)
        case .dht: try HuffmanSpecification.read(body, dc: &tables.dc, ac: &tables.ac, offset: offset)
        case .dri: tables.restartInterval = try RestartInterval.read(body, offset: offset)
        case .sos: try beginScan(body, offset, &work, &frames)
        case .com: try segments.read(body, marker: marker, isLate: frame != nil)
        case .dac: throw .unsupported(.jpeg, feature: "arithmetic coding")
        // Heights are looked for in front of the first scan; a DNL segment at its place says nothing new.
        case .dnl: break
        case _ where marker.isStartOfFrame:
            let header = try FrameHeader(marker: marker, body: body, offset: offset)
            try limits.check(size: header.size)
            self.header = header
        case _ where marker.rawValue & 0xF0 == 0xE0:
            try segments.read(body, marker: marker, isLate: frame != nil)
        default:
            guard strictness == .tolerant else { throw unknown(marker, offset) }
        }
    }

    private func unknown(_ marker: Marker, _ offset: Int) -> ImageError {
        .corruptJPEG(offset, "unknown marker \(String(marker.rawValue, radix: 16, uppercase: true))")
    }

    private mutating func beginScan(
        _ body: Span<UInt8>, _ offset: Int, _ work: inout WorkGuard, _ frames: inout FrameSource
    ) throws(ImageError) {
        try work.check()
        guard let header else { throw .corruptJPEG(offset, "scan in front of the frame header") }
        let scan = try ScanHeader(body: body, frame: header, offset: offset)
        scanCount += 1
        guard scanCount <= limits.maxScans else {
            throw .limitExceeded(.scans, requested: scanCount, allowed: limits.maxScans)
        }
        if frame == nil {
            try segments.assemble(work: &work)
            // Up to the DNL segment where there is one; that was looked for from the segment's length on.
            headerByteCount = offset + max(body.count + 4, heightSearchPosition + 2)
            frame = try frames.makeFrame(
                FrameContext(
                    header: header, colorModel: JPEGColorModel(header, segments: segments), firstScan: scan,
                    metadata: segments.metadata, inputSideByteCount: inputSideByteCount))
        }
        // A picture that is complete needs no further scan: its data are passed over like stray bytes.
        guard frame?.isComplete == false else { return }
        if !header.isProgressive { tables.fillInStandardTables() }
        try frame?.beginScan(scan, tables: tables, work: work)
        state = .entropyCodedData
        reattempt = Reattempt()
    }

    private mutating func decodeScan(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ position: inout Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let rest = input.extracting(droppingFirst: position)
        guard isFinal || reattempt.isDue(rest),
            let step = try frame?.decode(rest, offset: offset + position, isFinal: isFinal, work: &work)
        else { return false }
        position += step.consumedCount
        if step.isScanComplete {
            state = .marker
        } else {
            reattempt.noteFailure(byteCount: rest.count - step.consumedCount)
        }
        return step.isScanComplete
    }

    /// Looks behind the first scan for the number of lines that the frame header leaves out.
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
                longestUnitByteCount = max(longestUnitByteCount, input.count)
                heightSearchPosition = resumeAt
                return false
            case .found(let marker, let end, _):
                longestUnitByteCount = max(
                    longestUnitByteCount, min(end.addingSaturated(WorkGuard.stepByteCount), input.count))
                if marker.restartNumber != nil {
                    try work.spend(16)
                    heightSearchPosition = end
                    continue
                }
                guard marker == .dnl else {
                    throw .corruptJPEG(offset + end - 2, "neither the frame header nor a DNL segment has the height")
                }
                guard input.count - end >= 4 else { return false }
                header?.size.height = try NumberOfLines.read(
                    input.extracting(end + 2..<end + 4), offset: offset + end - 2)
                if let header { try limits.check(size: header.size) }
                heightSearchPosition = end + 4
                return true
            }
        }
    }
}
