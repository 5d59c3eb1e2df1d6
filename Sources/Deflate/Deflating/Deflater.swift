// Compresses into a zlib stream: bytes are collected until a segment is full, which is then coded as one block or more.
//
//   buffer  [ what distances reach, 32 KiB | segment ............ | what kernels may look at ]
//           0                              start               end
//
//   segment ──▶ matches (FastSearch, LazySearch, OptimalParsing, BestSearch) ──▶ sequences ──▶ BlockSplitting ──▶ BlockWriter ──▶ pieces
//
// Segments begin at multiples of their length, so that nothing depends on how the input was cut into calls.

package import ImageCodecsCore

/// Compresses what is written to it into one zlib stream.
///
/// What comes out depends on the bytes and on where ``flush(work:emit:)`` was called, not on how the bytes were cut into calls. Not a
/// value, whatever it looks like: of two copies only one may be used.
///
/// Source: RFC 1950 "ZLIB Compressed Data Format Specification", RFC 1951 "DEFLATE Compressed Data Format Specification".
package struct Deflater: Sendable {
    /// How matches are found. Large values, each behind a reference, so that a deflater is a small one.
    private enum Search: Sendable {
        case none
        case fast(Indirect<FastSearch>)
        case lazy(Indirect<LazySearch>)
        case optimal(Indirect<OptimalParsing>)
        case best(Indirect<BestSearch>)
    }

    private let pieceByteCount: Int
    private let segmentByteCount: Int
    private let windowBits: Int
    private let effort: CompressionEffort
    private var buffer: ScratchBuffer
    /// Where the segment begins, and how far it is filled.
    private var start = 0
    private var end = 0
    /// What is added to a position in the buffer to get one in the input.
    private var origin = 0
    private var hasHeader = false
    private var adler = Adler32()
    private var search: Search
    private var writer: BlockWriter
    private var output: BitOutput

    /// Bytes after the input that kernels may look at.
    private static let lookAhead = 16
    /// Bytes of the longest segment of an effort. In short streams of few symbols each block's header counts: there are fewer of them.
    private static func longestSegment(_ effort: CompressionEffort, _ byteCount: Int) -> Int {
        switch effort {
        case .stored: 1 << 15
        case .fast: byteCount <= RefinementChoice.shortByteCount ? 1 << 17 : 1 << 16
        case .default: 1 << 17
        case .thorough: 1 << 18
        case .best: 1 << 20
        }
    }

    private static func segmentByteCount(_ effort: CompressionEffort, _ byteCount: Int) -> Int {
        min(longestSegment(effort, byteCount), max(64, byteCount))
    }

    private static func bufferByteCount(_ segmentByteCount: Int, _ byteCount: Int) -> Int {
        let history = byteCount <= segmentByteCount ? 0 : DeflateSymbols.windowByteCount
        return history + segmentByteCount + lookAhead
    }

    /// Bytes that may wait to be handed out: less than a piece, the blocks of a segment, and what begins or ends a stream.
    private static func outputByteCount(_ segmentByteCount: Int, _ pieceByteCount: Int) -> Int {
        let blocks = BlockWriter.largestByteCount(
            segmentByteCount, blockCount: BlockSplitting.mostBlocks(segmentByteCount: segmentByteCount))
        return pieceByteCount.addingSaturated(blocks + 64)
    }

    /// Bytes that compressing holds at most. Saturates.
    ///
    /// - Parameters:
    ///   - effort: how hard to look for repetitions.
    ///   - byteCount: how many bytes will be written, `Int.max` if that is not known.
    ///   - pieceByteCount: bytes of the pieces handed out.
    package static func estimatedByteCount(effort: CompressionEffort, byteCount: Int, pieceByteCount: Int) -> Int {
        let segment = segmentByteCount(effort, byteCount)
        let search =
            switch effort {
            case .stored: 0
            case .fast: FastSearch.byteCount(segmentByteCount: segment)
            case .default: LazySearch.byteCount(segmentByteCount: segment, isRefined: true)
            case .thorough: OptimalParsing.byteCount(segmentByteCount: segment)
            case .best where byteCount <= RefinementChoice.shortByteCount:
                BestSearch.byteCount(segmentByteCount: segment)
            case .best: OptimalParsing.byteCount(segmentByteCount: segment)
            }
        return bufferByteCount(segment, byteCount)
            .addingSaturated(BitOutput.estimatedByteCount(outputByteCount(segment, pieceByteCount)))
            .addingSaturated(BlockWriter.byteCount)
            .addingSaturated(search)
            .addingSaturated(1024)
    }

    /// - Parameters:
    ///   - effort: how hard to look for repetitions.
    ///   - byteCount: how many bytes will be written, `Int.max` if that is not known; small amounts get small tables.
    ///   - pieceByteCount: bytes of the pieces handed out, of all but the last and those before a flush; at least 1.
    ///   - meter: counts what is held.
    package init(
        effort: CompressionEffort, byteCount: Int, pieceByteCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        let segment = Self.segmentByteCount(effort, byteCount)
        self.effort = effort
        self.pieceByteCount = max(1, pieceByteCount)
        segmentByteCount = segment
        windowBits = Self.windowBits(for: byteCount)
        buffer = try ScratchBuffer(
            byteCount: Self.bufferByteCount(segment, byteCount), filledWith: 0, meter: meter)
        let care: BlockWriter.Care =
            effort == .fast ? .quick : effort == .best || effort == .thorough ? .thorough : .usual
        writer = try BlockWriter(care: care, meter: meter)
        output = try BitOutput(byteCount: Self.outputByteCount(segment, max(1, pieceByteCount)), meter: meter)
        search =
            switch effort {
            case .stored: .none
            case .fast: .fast(Indirect(try FastSearch(segmentByteCount: segment, byteCount: byteCount, meter: meter)))
            case .default:
                .lazy(
                    Indirect(
                        try LazySearch(segmentByteCount: segment, isRefined: true, byteCount: byteCount, meter: meter)))
            case .best where byteCount <= RefinementChoice.shortByteCount:
                .best(Indirect(try BestSearch(segmentByteCount: segment, meter: meter)))
            case .best, .thorough:
                .optimal(Indirect(try OptimalParsing(segmentByteCount: segment, effort, meter: meter)))
            }
    }

    /// Takes bytes and hands out each piece of the stream that gets full.
    package mutating func write(
        _ bytes: RawSpan, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var rest = bytes
        while rest.byteCount > 0 {
            if end - start == segmentByteCount { try compressSegment(isLast: false, &work, emit) }
            let step = rest.extracting(first: min(segmentByteCount - (end - start), WorkGuard.stepByteCount))
            adler.add(step)
            let position = end
            buffer.withMutableBytes(position..<position + step.byteCount) { $0.copy(step) }
            end += step.byteCount
            rest = rest.extracting(droppingFirst: step.byteCount)
        }
    }

    /// Hands out all that was written so far, up to a byte boundary (zlib's "sync flush"): an inflater that has these bytes has
    /// everything.
    package mutating func flush(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        if end > start { try compressSegment(isLast: false, &work, emit) }
        writeHeader()
        BlockWriter.writeStored(RawSpan(), 0..<0, isLast: false, to: &output)
        try output.emit(pieceByteCount: pieceByteCount, isLast: true, emit)
    }

    /// Ends the stream, checksum included, and hands out what is left of it.
    package mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try compressSegment(isLast: true, &work, emit)
        output.align()
        output.write(adler.value.byteSwapped, count: 32)
        try output.emit(pieceByteCount: pieceByteCount, isLast: true, emit)
    }

    /// Codes what has come of the segment, and makes room for the next.
    private mutating func compressSegment(
        isLast: Bool, _ work: inout WorkGuard, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        writeHeader()
        try codeSegment(DeflateSegment(range: start..<end, origin: origin, isLast: isLast), &work)
        try output.emit(pieceByteCount: pieceByteCount, isLast: false, emit)
        slide()
    }

    private mutating func codeSegment(_ segment: DeflateSegment, _ work: inout WorkGuard) throws(ImageError) {
        let buffer = buffer
        try buffer.withBytes { (window) throws(ImageError) in
            // Taken out for the call, so that nothing is copied.
            switch search {
            case .none:
                try work.spend(segment.range.count / 4)
                BlockWriter.writeStored(window, segment.range, isLast: segment.isLast, to: &output)
            case .fast(var fast):
                search = .none
                try fast.value.compress(segment, window, &writer, to: &output, &work)
                search = .fast(fast)
            case .lazy(var lazy):
                search = .none
                try lazy.value.compress(segment, window, &writer, to: &output, &work)
                search = .lazy(lazy)
            case .optimal(var optimal):
                search = .none
                try optimal.value.compress(segment, window, &writer, to: &output, &work)
                search = .optimal(optimal)
            case .best(var best):
                search = .none
                try best.value.compress(segment, window, &writer, to: &output, &work)
                search = .best(best)
            }
        }
    }

    /// Moves what distances reach to the front if there is no room for another segment.
    private mutating func slide() {
        start = end
        guard start + segmentByteCount + Self.lookAhead > buffer.byteCount else { return }
        let kept = min(
            start, DeflateSymbols.windowByteCount, max(0, buffer.byteCount - Self.lookAhead - segmentByteCount))
        let dropped = start - kept
        buffer.withMutableBytes { $0.move(from: dropped, to: 0, count: kept) }
        origin += dropped
        (start, end) = (kept, kept)
    }

    /// Writes the two bytes before the first block.
    ///
    /// - Source: RFC 1950 section 2.2 "Data format".
    private mutating func writeHeader() {
        guard !hasHeader else { return }
        hasHeader = true
        let level: Int =
            switch effort {
            case .stored: 0
            case .fast: 1
            case .default: 2
            case .thorough, .best: 3
            }
        let header = (windowBits - 8) << 12 | 8 << 8 | level << 6
        // The whole is a multiple of 31.
        let checked = header + (31 - header % 31) % 31
        output.write(UInt32(checked >> 8 | (checked & 0xFF) << 8), count: 16)
    }

    /// The smallest window in which everything is within reach of everything else: 8...15.
    ///
    /// Some programs made of zlib have trouble with windows of 256 bytes, so that 9 is the least.
    private static func windowBits(for byteCount: Int) -> Int {
        var bits = 9
        while bits < 15 && 1 << bits < byteCount { bits += 1 }
        return bits
    }
}

extension Deflater {
    /// All of `bytes` as one zlib stream.
    package static func compress(
        _ bytes: Span<UInt8>, effort: CompressionEffort, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        var deflater = try Deflater(
            effort: effort, byteCount: bytes.count, pieceByteCount: wholePieceByteCount, meter: meter)
        var compressed: [UInt8] = []
        let append = { (piece: RawSpan) throws(ImageError) in compressed.append(piece) }
        try bytes.withRawBytes { (bytes) throws(ImageError) in
            try deflater.write(bytes, work: &work, emit: append)
        }
        try deflater.finish(work: &work, emit: append)
        return compressed
    }

    /// Bytes that ``compress(_:effort:meter:work:)`` counts at most. Saturates.
    package static func compressingByteCount(effort: CompressionEffort, byteCount: Int) -> Int {
        estimatedByteCount(effort: effort, byteCount: byteCount, pieceByteCount: wholePieceByteCount)
    }

    private static var wholePieceByteCount: Int { 1 << 14 }
}

/// Input that is coded at once.
struct DeflateSegment: Hashable, Sendable {
    /// Where in the window it is.
    var range: Range<Int>
    /// What is added to a position in the window to get one in the whole input.
    var origin: Int
    /// Whether it is the last.
    var isLast: Bool
}
