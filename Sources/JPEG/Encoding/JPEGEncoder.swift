// From rows to the bytes of a JPEG file.
//
//   1. decide      colours, sampling, tables, scans                EncodingDecisions
//   2. survey      a preview; how much chroma 4:2:0 would lose     PreviewCollector, Recipe/SubsamplingSurvey
//   3. describe    JFIF, EXIF, XMP, profile, ... as segments       Markers/MetadataSegments
//   4. transform   rows -> samples -> quantised coefficients       Samples/, Transform/; Recipe/ with fitted tables
//   5. code        coefficients -> Huffman codes                   Entropy/
//
// Step 2 is done only if something is to be decided by it. One pass (`Effort.fast`) does 4 and 5 for each MCU row. Otherwise
// coefficients are kept, and Huffman tables and scans are made for them: `CoefficientFileWriter`.

package import ImageCodecsCore
package import ImageEncoding
import ImagePhotoMetadata
import JPEGBaselineCodec

/// Writes one picture as a JPEG file.
///
/// - Source: ITU-T T.81 (1992); ITU-T T.871 (2011, JFIF).
package struct JPEGEncoder: RowEncoder {
    /// What takes the rows: large values, each behind a reference, so that a row does not copy them.
    private enum State: Sendable {
        case ready
        case surveying(Indirect<RowSurvey>)
        case onePass(Indirect<BaselineScanEncoder>)
        case collecting(Indirect<CoefficientSource>)
        case ended
    }

    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let decisions: EncodingDecisions
    private var state = State.ready
    private var pending = PendingBytes()
    /// Counts what is pending, in one pass.
    private var waiting: MemoryReservation?
    package private(set) var fixedByteCount = 0

    /// - Throws: `invalidArgument` for a side above 65,500 (65,535 if long sides are allowed), and for options that make no
    ///   sense.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        try EncodingDecisions.checkSides(of: picture.size, request.options.jpeg)
        self.picture = picture
        self.request = request
        decisions = try EncodingDecisions(request.options, format: picture.format)
    }

    package var rowFormat: PixelFormat { decisions.rowFormat }

    package var surveysRows: Bool { RowSurvey.isNeeded(picture.size, decisions, request.options) }

    package var estimatedByteCount: Int {
        let coding =
            decisions.isOnePass
            ? decisions.geometry(picture.size, decisions.subsampling ?? .yCbCr420).map {
                BaselineScanEncoder.byteCount($0) + Self.waitingByteCount
            } ?? .max
                // What waits for the sink is twice a piece at most.
            : CoefficientSource.byteCount(picture.size, decisions).addingSaturated(2 * PendingBytes.pieceByteCount)
        // The survey has ended before anything is coded, and the preview is coded while nothing else is held.
        return surveysRows ? max(coding, RowSurvey.byteCount(picture.size, decisions, request.options)) : coding
    }

    /// Bytes that wait for the sink at most, in one pass.
    private static let waitingByteCount = PendingBytes.pieceByteCount + BaselineScanEncoder.mostBytesAtOnce

    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool {
        if case .ready = state {
            state = .surveying(
                Indirect(try RowSurvey(picture.size, decisions, request.options, meter: request.meter, work: work)))
        }
        guard case .surveying(var survey) = taken() else { return false }
        try survey.value.add(row)
        state = .surveying(survey)
        return true
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        switch state {
        case .ready: try begin(nil, work)
        case .surveying(let survey):
            state = .ready
            try begin(consume survey, work)
        case .onePass, .collecting, .ended: break
        }
        switch taken() {
        case .onePass(var encoder):
            try encoder.value.write(row) { (bytes) throws(ImageError) in
                pending.bytes.append(bytes)
                try pending.sendIfFull(to: sink)
            }
            state = .onePass(encoder)
        case .collecting(var source):
            try source.value.write(row, work: work)
            state = .collecting(source)
        case .ready, .surveying, .ended: break
        }
    }

    /// The state, which is ``State/ended`` afterwards: what is taken out can be changed without being copied.
    private mutating func taken() -> State {
        var current = State.ended
        swap(&current, &state)
        return current
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        switch taken() {
        case .onePass(var encoder):
            try encoder.value.finish { pending.bytes.append($0) }
            var end = MarkerWriter()
            end.append(.eoi)
            pending.bytes += end.bytes
        case .collecting(var source):
            guard let coefficients = try source.value.finish(work: work) else { return }
            var writer = try writer(coefficients, work: &work)
            return try write(&writer, to: sink, work: &work)
        case .ready, .surveying, .ended: break
        }
        try pending.send(to: sink)
    }
}

extension JPEGEncoder {
    /// Writes what stands before the coded data, as far as it is known, and makes what takes the rows.
    private mutating func begin(_ survey: consuming Indirect<RowSurvey>?, _ work: WorkGuard) throws(ImageError) {
        let segments = try segments(survey?.value)
        let subsampling = survey?.value.subsampling(decisions) ?? decisions.subsampling ?? .yCbCr420
        // Its memory is given back before that of the coefficients is asked for.
        survey = nil
        guard decisions.isOnePass else {
            pending.bytes = segments
            fixedByteCount = segments.count
            state = .collecting(
                Indirect(try CoefficientSource(picture.size, decisions, subsampling, meter: request.meter)))
            return
        }
        let frame = try decisions.standardFrame(picture.size)
        waiting = try MemoryReservation(byteCount: Self.waitingByteCount, meter: request.meter)
        pending.bytes = Self.head(frame, segments, decisions)
        pending.bytes.reserveCapacity(Self.waitingByteCount)
        fixedByteCount = pending.bytes.count
        state = .onePass(
            Indirect(
                try BaselineScanEncoder(
                    frame, format: decisions.rowFormat, restartInterval: decisions.restartInterval,
                    meter: request.meter)))
    }

    /// Application segments and comments.
    private func segments(_ survey: RowSurvey?) throws(ImageError) -> [UInt8] {
        var metadata = picture.metadata
        if let preview = try survey?.preview(request), mayEmbed(preview) {
            metadata.exif =
                ExifThumbnail.embed(jpeg: preview, into: metadata.exif, byteCount: MetadataSegments.largestExif)
                ?? metadata.exif.map { ExifThumbnail.removed(from: $0) }
        }
        let segments = MetadataSegments(
            metadata, orientation: picture.orientation, colorModel: decisions.colorModel)
        segments.recordLosses(in: request.options.losses)
        return try segments.bytes()
    }

    /// Whether a preview leaves at least half of a file of limited length to the picture.
    private func mayEmbed(_ preview: [UInt8]) -> Bool {
        guard let most = request.options.maxFileByteCount else { return true }
        let others =
            (picture.metadata.exif?.count ?? 0) + (picture.metadata.xmp?.count ?? 0)
            + (picture.metadata.iccProfile?.count ?? 0)
        // A picture of one pixel takes less than 1,200 bytes.
        return preview.count.addingSaturated(others).addingSaturated(1200) <= most / 2
    }

    /// Everything before the coded data of the only scan, with the tables of the standard.
    private static func head(_ frame: EncoderFrame, _ segments: [UInt8], _ decisions: EncodingDecisions) -> [UInt8] {
        var markers = MarkerWriter()
        markers.append(.soi)
        markers.append(segments: segments)
        markers.appendQuantizationTables(frame.quantizationTables)
        markers.appendFrame(frame.geometry, marker: .sof0)
        let slots = frame.geometry.components.indices.map { frame.huffmanSlot($0) }
        for slot in 0...(slots.max() ?? 0) {
            markers.appendHuffmanTables([
                HuffmanTableSlot(.dc, slot: slot, StandardTables.dc[slot]),
                HuffmanTableSlot(.ac, slot: slot, StandardTables.ac[slot]),
            ])
        }
        if decisions.restartInterval > 0 { markers.appendRestartInterval(decisions.restartInterval) }
        markers.appendScan(
            .sequential(Array(frame.geometry.components.indices)), of: frame.geometry,
            tables: slots.map { (dc: $0, ac: $0) })
        return markers.bytes
    }

    private func writer(
        _ coefficients: CoefficientPicture, work: inout WorkGuard
    ) throws(ImageError) -> CoefficientFileWriter {
        let process = decisions.process(quality: decisions.quality)
        var writer = try CoefficientFileWriter(
            coefficients, process: process, segments: pending.bytes,
            restartInterval: decisions.restartInterval > 0 ? decisions.restartInterval : nil, meter: request.meter,
            work: &work)
        if request.options.maxFileByteCount != nil, decisions.isProgressive, decisions.mayBeSequential {
            // Of small files the headers of many scans are too much.
            try writer.useSmallest(of: [process, .sequential], sampling: 1 << 12, work: &work)
        }
        return writer
    }

    /// Hands a whole file on.
    private func write(
        _ writer: inout CoefficientFileWriter, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        var waiting = PendingBytes()
        try writer.write(work: &work) { (bytes) throws(ImageError) in
            waiting.bytes.append(bytes)
            try waiting.sendIfFull(to: sink)
        }
        try waiting.send(to: sink)
    }
}
