// What a VP8 stream knows between two pieces: the steps of a frame, from its first bytes to its last row.

import ImageCodecsCore

/// A frame while it is decoded.
struct VP8StreamState: Sendable {
    private enum Stage: Sendable {
        /// The first ten bytes are not there yet.
        case header
        /// The first partition is being collected.
        case firstPartition
        /// The sizes of the token partitions are not there yet.
        case partitionSizes(BooleanDecoder)
        /// Rows of macroblocks.
        case rows
        /// Everything that is wanted was read: every row was handed over.
        case complete
    }

    /// The first ten bytes, once they are there. Nothing but small values is held until the next call.
    private(set) var header: VP8Header?
    /// The frame header, once it is read.
    private var frame: VP8FrameHeader?
    private var stage = Stage.header
    /// Bytes of the frame that are not needed again.
    private var position = 0
    private var firstPartition: ScratchBuffer?
    private var collectedCount = 0
    /// Whether the whole frame came at once, so that the first partition is read where it is. All rows are decoded in that
    /// call then, or there is an error.
    private var isInPlace = false
    private var parser: RowParser?
    private var parsed: ParsedRow?
    private var picture: PictureRows?
    /// What is known of the macroblocks, if that is kept.
    private(set) var macroblocks: MacroblockRecords?
    /// Up to which byte of the frame input must have come before the incomplete macroblock is decoded again.
    private var retryEnd = 0
    /// Further parsed rows for a second thread; none if one thread does it all.
    private var spareRows: [ParsedRow] = []
    /// How the threads got on with each other so far.
    private var policy = HelperPolicy(unit: 1)
    private let extent: VP8Stream.Extent
    private let keepsSamples: Bool
    private let keepsMacroblocks: Bool
    private let threads: Int
    private let meter: MemoryMeter?

    /// See ``VP8Stream``.
    init(
        extent: VP8Stream.Extent, meter: MemoryMeter?, threads: Int, keepsSamples: Bool, keepsMacroblocks: Bool
    ) {
        self.extent = extent
        self.meter = meter
        self.threads = threads
        self.keepsSamples = keepsSamples
        self.keepsMacroblocks = keepsMacroblocks
    }

    /// Frames of fewer pixels are not worth a second thread, nor is input of fewer bytes.
    private static let secondThread = SecondThread(smallestPixelCount: 1 << 20, smallestByteCount: 1 << 14)

    static func spareRowCount(_ workspace: MacroblockWorkspace, threads: Int) -> Int {
        guard secondThread.isPossible(workspace.size, threads: threads) else { return 0 }
        return RowPipeline<ParsedRow>.bufferCount(policy(workspace))
    }

    private static func policy(_ workspace: MacroblockWorkspace) -> HelperPolicy {
        HelperPolicy(pixelsPerRow: 256 * workspace.columnCount)
    }

    /// Whether everything that is wanted was read, and every row handed over.
    var isComplete: Bool {
        if case .complete = stage { true } else { false }
    }

    /// Rows handed over.
    var rowCount: Int { picture?.rowCount ?? 0 }

    /// Y, U and V, if they are kept.
    var samples: YUVPlanes? { picture?.samples }

    /// What is known of the frame.
    var frameInfo: VP8FrameInfo? {
        guard let header else { return nil }
        var info = VP8FrameInfo(header)
        if let frame { info.update(from: frame) }
        if let partitions = parser?.partitions {
            info.partitionByteCounts = partitions.ranges.map { $0.upperBound == .max ? 0 : $0.count }
        }
        return info
    }

    mutating func makeUnique() throws(ImageError) {
        if case .firstPartition = stage { try firstPartition?.makeUnique() }
        try parser?.makeUnique()
        try parsed?.makeUnique()
        for index in spareRows.indices { try spareRows[index].makeUnique() }
        try picture?.makeUnique()
        try macroblocks?.makeUnique()
    }

    /// See ``VP8Stream/consume(_:offset:isFinal:byteCount:work:place:take:)``.
    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, byteCount: Int, work: inout WorkGuard,
        place: RowPlacing, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        // Bytes after the frame are not ours.
        let input = bytes.extracting(first: min(bytes.count, byteCount - position))
        let inputStart = position
        var used = 0
        while true {
            let rest = input.extracting(droppingFirst: used)
            let step: Int?
            switch stage {
            case .header:
                guard let count = try readHeader(rest, offset: offset, byteCount: byteCount) else { return used }
                position += count
                return used + count
            case .firstPartition:
                let isAll = position + rest.count == byteCount
                step = try collect(rest, offset: offset + used, isAll: isAll)
            case .partitionSizes(let decoder):
                step = try beginRows(decoder, rest, offset: offset + used, byteCount: byteCount)
            case .rows:
                let isAll = isFinal || position + rest.count == byteCount
                guard let first = rangeInPlace(from: inputStart) else { return used }
                step = try decodeRows(
                    rest, input.extracting(first), offset: offset + used, isAll: isAll, work: &work, place: place,
                    take: take)
                position += step ?? 0
                return used + (step ?? 0)
            case .complete:
                position += rest.count
                return input.count
            }
            guard let step else { return used }
            position += step
            used += step
            if case .firstPartition = stage { return used }
        }
    }

    private mutating func readHeader(
        _ bytes: Span<UInt8>, offset: Int, byteCount: Int
    ) throws(ImageError) -> Int? {
        guard bytes.count >= VP8Header.byteCount else { return nil }
        let header = try VP8Header(bytes, offset: offset, payloadByteCount: byteCount)
        self.header = header
        stage = .firstPartition
        return VP8Header.byteCount
    }

    /// Collects the first partition, if it is not read in place, and reads the frame header when it is there.
    private mutating func collect(_ bytes: Span<UInt8>, offset: Int, isAll: Bool) throws(ImageError) -> Int {
        guard let wanted = header?.firstPartitionByteCount else { return 0 }
        // After the frame header nothing of it is needed again if only headers are wanted.
        if collectedCount == 0, isAll || extent == .headers, bytes.count >= wanted {
            isInPlace = true
            // There may be one with nothing in it.
            firstPartition = nil
            let (frame, decoder) = try Self.frameHeader(bytes.extracting(first: wanted), offset: offset)
            beginPartitions(frame, decoder)
            return wanted
        }
        if firstPartition == nil { firstPartition = try ScratchBuffer(byteCount: wanted, meter: meter) }
        let piece = bytes.extracting(first: min(bytes.count, wanted - collectedCount))
        let start = collectedCount
        firstPartition?.withMutableBytes { $0.copy(piece, at: start) }
        collectedCount += piece.count
        guard collectedCount == wanted else { return piece.count }
        let read = try firstPartition?.withBytes { (input) throws(ImageError) in
            try input.withNumbers { (input) throws(ImageError) in
                try Self.frameHeader(input, offset: offset + piece.count - wanted)
            }
        }
        if let (frame, decoder) = read { beginPartitions(frame, decoder) }
        return piece.count
    }

    /// Reads the frame header.
    private static func frameHeader(
        _ firstPartition: Span<UInt8>, offset: Int
    ) throws(ImageError) -> (VP8FrameHeader, BooleanDecoder) {
        var decoder = BooleanDecoder()
        let frame = try VP8FrameHeader(&decoder, firstPartition, offset: offset)
        return (frame, decoder)
    }

    private mutating func beginPartitions(_ frame: VP8FrameHeader, _ decoder: BooleanDecoder) {
        self.frame = frame
        stage = extent == .headers ? .complete : .partitionSizes(decoder)
    }

    /// Where the first partition lies in an input that begins at `start`: nowhere if there is a copy, `nil` if it was in an
    /// earlier one.
    private func rangeInPlace(from start: Int) -> Range<Int>? {
        guard isInPlace, let header else { return 0..<0 }
        guard start <= VP8Header.byteCount else { return nil }
        let lower = VP8Header.byteCount - start
        return lower..<lower + header.firstPartitionByteCount
    }

    /// Reads where the token partitions are, and makes what decodes them.
    private mutating func beginRows(
        _ decoder: BooleanDecoder, _ bytes: Span<UInt8>, offset: Int, byteCount: Int
    ) throws(ImageError) -> Int? {
        guard let header, let frame, isInPlace || firstPartition != nil else { return nil }
        let tableByteCount = TokenPartitions.tableByteCount(partitionCount: frame.partitionCount)
        guard byteCount - position > tableByteCount else {
            throw .corrupt(.webP, .vp8Partitions, offset: offset, reason: "nothing follows the first partition")
        }
        guard bytes.count >= tableByteCount else { return nil }
        let partitions = try TokenPartitions(
            bytes, partitionCount: frame.partitionCount, start: position, frameByteCount: byteCount, offset: offset)
        let workspace = MacroblockWorkspace(header.size)
        parser = try RowParser(
            frame, firstPartition: firstPartition, decoder: decoder, partitions: partitions, workspace: workspace,
            meter: meter)
        self.firstPartition = nil
        parsed = try ParsedRow(workspace, meter: meter)
        for _ in 0..<Self.spareRowCount(workspace, threads: threads) {
            spareRows.append(try ParsedRow(workspace, meter: meter))
        }
        policy = Self.policy(workspace)
        picture = try PictureRows(
            workspace, filter: FilterPlan(frame.filter, frame.segments), keepsSamples: keepsSamples, meter: meter)
        if keepsMacroblocks { macroblocks = try MacroblockRecords(workspace, frame, meter: meter) }
        stage = .rows
        return tableByteCount
    }
}

// MARK: - Rows

extension VP8StreamState {
    /// Decodes rows of macroblocks as far as there are bytes.
    ///
    /// - Parameter first: the first partition, if it is read in place.
    private mutating func decodeRows(
        _ bytes: Span<UInt8>, _ first: Span<UInt8>, offset: Int, isAll: Bool, work: inout WorkGuard,
        place: RowPlacing, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        // Out of `self` for the call, so that their buffers are not shared.
        guard var parser = parser.take(), var parsed = parsed.take() else { return 0 }
        defer { (self.parser, self.parsed) = (parser, parsed) }
        if !spareRows.isEmpty, Self.secondThread.isWorthwhile(byteCount: bytes.count) {
            try decodeInParallel(&parser, &parsed, bytes, first, offset: offset, isAll: isAll, &work, place, take)
        } else if var picture = picture.take() {
            defer { self.picture = picture }
            try parseRows(&parser, &parsed, bytes, first, offset: offset, isAll: isAll, &work) { parsed in
                picture.add(parsed, place: place, take: take)
            }
        }
        guard parser.isComplete else { return released(parser, bytes.count) }
        stage = .complete
        return bytes.count
    }

    /// Parses rows as far as there are bytes, each of which `emit` takes away.
    private mutating func parseRows(
        _ parser: inout RowParser, _ parsed: inout ParsedRow, _ bytes: Span<UInt8>, _ first: Span<UInt8>, offset: Int,
        isAll: Bool, _ work: inout WorkGuard, _ emit: (inout ParsedRow) throws(ImageError) -> Void
    ) throws(ImageError) {
        while !parser.isComplete {
            try work.check()
            let row = parser.row
            guard try parse(&parser, &parsed, bytes, first, offset: offset, isAll: isAll, work) else { return }
            macroblocks?.add(parsed, row: row)
            try emit(&parsed)
        }
    }

    /// Parses rows, while another thread reconstructs them and hands over rows of pixels.
    private mutating func decodeInParallel(
        _ parser: inout RowParser, _ parsed: inout ParsedRow, _ bytes: Span<UInt8>, _ first: Span<UInt8>, offset: Int,
        isAll: Bool, _ work: inout WorkGuard, _ place: RowPlacing, _ take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) {
        var (picture, spare, policy) = (self.picture.take(), [ParsedRow](), self.policy)
        swap(&spare, &spareRows)
        defer { (self.picture, spareRows, self.policy) = (picture, spare, policy) }
        try PictureOutput.lend(&picture, place, take) { (outputs) throws(ImageError) in
            let pipeline = RowPipeline<ParsedRow>(&outputs, spare: &spare, policy: policy)
            var failure: ImageError?
            do throws(ImageError) {
                try parseRows(&parser, &parsed, bytes, first, offset: offset, isAll: isAll, &work) {
                    (parsed) throws(ImageError) in try pipeline.exchange(&parsed)
                }
            } catch {
                failure = error
            }
            // Whatever happened: the other thread may still hold what was lent.
            try pipeline.finish(&outputs, spare: &spare, policy: &policy)
            if let failure { throw failure }
        }
    }

    /// Parses the row that comes next.
    ///
    /// - Returns: `false` if bytes are missing that may come, or would have come in a file that is not cut off.
    private mutating func parse(
        _ parser: inout RowParser, _ parsed: inout ParsedRow, _ bytes: Span<UInt8>, _ first: Span<UInt8>, offset: Int,
        isAll: Bool, _ work: WorkGuard
    ) throws(ImageError) -> Bool {
        guard first.withRawSpan({ parser.parseModes(into: &parsed, inPlace: $0) }) else {
            throw .corrupt(
                .webP, .vp8FirstPartition, offset: offset - position,
                reason: "the first partition ends in the modes of row \(parser.row)")
        }
        let partition = parser.partition
        let end = min(partition.upperBound, position + bytes.count)
        let isWhole = end == partition.upperBound
        // An attempt needs the whole partition, the end of the input, or enough new bytes since the last attempt.
        guard isWhole || isAll || end >= retryEnd else { return false }
        if end > partition.lowerBound {
            let start = position
            let isParsed = try bytes.extracting(first: end - position).withRawSpan { (input) throws(ImageError) in
                try parser.parseTokens(input, start: start, isAll: isWhole || isAll, work: work, into: &parsed)
            }
            if isParsed {
                retryEnd = 0
                return true
            }
        }
        guard !isWhole || partition.upperBound == .max else {
            throw .corrupt(
                .webP, .vp8TokensShort, offset: offset + end - position,
                reason: "the token partition ends in row \(parser.row) of macroblocks")
        }
        retryEnd = end + 1 + (end - min(parser.unitStart, end)) / Self.growthPerAttempt
        return false
    }

    /// An incomplete macroblock is decoded again when it has grown by a fixed part: so that all attempts together
    /// cost no more than reading each byte a fixed number of times.
    private static let growthPerAttempt = 64

    /// How many bytes are not needed again.
    private func released(_ parser: RowParser, _ count: Int) -> Int {
        let free = min(parser.firstNeeded - position, count)
        // What is held back moves to the front when something goes: with several partitions, no less than half goes.
        return parser.partitions.ranges.count == 1 || 2 * free >= count ? max(0, free) : 0
    }
}

extension RawSpan {
    /// Calls `body` with the bytes as numbers.
    fileprivate func withNumbers<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(Span<UInt8>(_bytes: self))
    }
}
