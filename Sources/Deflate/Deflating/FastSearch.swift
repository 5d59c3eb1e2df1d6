// Effort fast: one look for a match at each position, blocks of a fixed length.

import ImageCodecsCore

/// Codes segments with as little search as finds most of what repeats; those of few literals also with ``LazySearch``, if that makes
/// them shorter.
struct FastSearch: Sendable {
    private var table: ScratchBuffer
    private var sequences: NumberBuffer<UInt32>
    private let segmentByteCount: Int
    private let meter: MemoryMeter?
    /// Searches segments of few literals once more; made when the first comes.
    private var finer: LazySearch?
    private var choice: RefinementChoice

    /// Bytes of input between two looks at the clock.
    static let stepByteCount = 1 << 14
    /// About how many bytes a block has. Segments are longer for the finer search alone, which finds where blocks had better end.
    private static let blockByteCount = 1 << 16

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - byteCount: bytes of the stream, `Int.max` if that is not known.
    ///   - meter: counts the tables.
    init(segmentByteCount: Int, byteCount: Int = .max, meter: MemoryMeter?) throws(ImageError) {
        choice = RefinementChoice(byteCount: byteCount, isQuick: true)
        self.segmentByteCount = segmentByteCount
        self.meter = meter
        table = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, filledWith: 0, meter: meter)
        sequences = try NumberBuffer(count: Self.wordCount(segmentByteCount), meter: meter)
    }

    /// Words of sequences: two for each match, and for what is left.
    static func wordCount(_ segmentByteCount: Int) -> Int {
        2 * (segmentByteCount / FastMatchKernel.shortestMatch) + 4
    }

    /// Bytes that it holds at most.
    static func byteCount(segmentByteCount: Int) -> Int {
        FastMatchKernel.tableByteCount + 4 * wordCount(segmentByteCount)
            + LazySearch.byteCount(segmentByteCount: segmentByteCount, isRefined: false)
    }

    /// Codes a segment.
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let range = segment.range
        var state = MatchSearchState(at: range.lowerBound)
        // Where blocks end, as words of sequences and as positions.
        var ends: [(wordCount: Int, position: Int)] = []
        while state.position <= range.upperBound - FastMatchKernel.shortestMatch {
            if state.literalStart >= (ends.last?.position ?? range.lowerBound) + Self.blockByteCount {
                ends.append((state.wordCount, state.literalStart))
            }
            let stop = min(state.position + Self.stepByteCount, range.upperBound)
            try work.spend(stop - state.position)
            table.withMutableBytes { table in
                sequences.withMutableSpan { sequences in
                    FastMatchKernel.search(
                        window, &state, stop: stop, end: range.upperBound, origin: segment.origin,
                        table: &table, sequences: &sequences)
                }
            }
        }
        let count = sequences.finish(state, at: range.upperBound)
        if choice.isWorthwhile(sequences, wordCount: count, range.count),
            try refine(segment, window, wordCount: count, &writer, to: &output, &work)
        {
            return
        }
        ends.append((count, range.upperBound))
        var start = (wordCount: 0, position: range.lowerBound)
        sequences.withSpan { sequences in
            for end in ends {
                writer.write(
                    sequences.extracting(start.wordCount..<end.wordCount), window, start.position..<end.position,
                    isLast: segment.isLast && end.position == range.upperBound, to: &output)
                start = end
            }
        }
    }

    /// Codes a segment as a search finds it that takes more time, if that is shorter than the sequences that were found.
    ///
    /// - Returns: whether it is.
    private mutating func refine(
        _ segment: DeflateSegment, _ window: RawSpan, wordCount: Int, _ writer: inout BlockWriter,
        to output: inout BitOutput, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var search =
            if let finer { finer } else {
                try LazySearch(segmentByteCount: segmentByteCount, isRefined: false, meter: meter)
            }
        // Taken out for the call, so that nothing is copied.
        finer = nil
        defer { finer = search }
        let blocks = try search.findBlocks(segment, window, &work)
        let before = sequences.withSpan {
            writer.bitCount($0.extracting(first: wordCount), window, from: segment.range.lowerBound)
        }
        let after = try search.bitCount(blocks, &writer, &work)
        choice.record(before: before, after: after)
        guard after < before else { return false }
        try search.write(blocks, segment, window, &writer, to: &output, &work)
        return true
    }
}

extension NumberBuffer<UInt32> {
    /// Adds the literals after the last match.
    ///
    /// - Returns: words of all sequences.
    mutating func finish(_ state: MatchSearchState, at end: Int) -> Int {
        withMutableSpan { sequences in
            sequences[state.wordCount] = UInt32(end - state.literalStart)
            sequences[state.wordCount + 1] = 0
        }
        return state.wordCount + 2
    }
}
