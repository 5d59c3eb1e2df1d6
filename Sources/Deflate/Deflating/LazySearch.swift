// Effort default: chains of earlier places, each match priced against its literals, blocks where statistics change.

import ImageCodecsCore

/// Codes segments with matches that save bits, each chosen when it is known that the next byte begins none that saves more.
///
/// Segments of few literals are searched for the cheapest way too, and the shorter result is used; see ``RefinementChoice``.
struct LazySearch: Sendable {
    private var table: NumberBuffer<UInt16>
    private var sequences: NumberBuffer<UInt32>
    /// What the literals before each byte of the segment cost together.
    private var sums: NumberBuffer<UInt32>
    private var splitting: BlockSplitting
    /// Symbols of a block without matches.
    private var literals: NumberBuffer<UInt32>
    /// By the symbols of the segment before; none before the first.
    private(set) var prices: DeflatePrices?
    private let segmentByteCount: Int
    private let meter: MemoryMeter?
    /// Whether segments of few literals are searched once more; by what, made when the first comes.
    private let isRefined: Bool
    private var finer: OptimalParsing?
    private var choice: RefinementChoice

    /// Bytes of input between two looks at the clock.
    private static let stepByteCount = 1 << 13
    /// Matches are few that stand for less than this part of a block.
    private static let fewMatches = 8
    private static let effort = ChainSearchEffort(
        depth: 32, lazyDepth: 12, niceLength: 96, lazyLength: 64, longRun: 32)
    /// For what is known to have few literals: the longest match is worth looking for.
    private static let patientEffort = ChainSearchEffort(
        depth: 32, lazyDepth: 32, niceLength: DeflateSymbols.longestMatch, lazyLength: DeflateSymbols.longestMatch,
        longRun: 32)

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - isRefined: whether segments of few literals are searched for the cheapest way too; if not, all are taken to be such.
    ///   - byteCount: bytes of the stream, `Int.max` if that is not known.
    ///   - meter: counts the tables.
    init(
        segmentByteCount: Int, isRefined: Bool, byteCount: Int = .max, meter: MemoryMeter?
    ) throws(ImageError) {
        choice = RefinementChoice(byteCount: byteCount)
        self.segmentByteCount = segmentByteCount
        self.isRefined = isRefined
        self.meter = meter
        table = try NumberBuffer(count: ChainMatchKernel.tableByteCount / 2, meter: meter)
        sequences = try NumberBuffer(count: Self.wordCount(segmentByteCount), meter: meter)
        sums = try NumberBuffer(count: segmentByteCount + 1, meter: meter)
        literals = try NumberBuffer(count: DeflateCounts.count, meter: meter)
        splitting = try BlockSplitting(segmentByteCount: segmentByteCount, isThorough: false, meter: meter)
    }

    /// Words of sequences: two for each match of three bytes, and for what is left.
    private static func wordCount(_ segmentByteCount: Int) -> Int { 2 * (segmentByteCount / 3) + 4 }

    /// Bytes that it holds at most.
    static func byteCount(segmentByteCount: Int, isRefined: Bool) -> Int {
        (isRefined ? OptimalParsing.byteCount(segmentByteCount: segmentByteCount) : 0) + ChainMatchKernel.tableByteCount
            + 4 * wordCount(segmentByteCount) + 4 * (segmentByteCount + 1)
            + 4 * DeflateCounts.count
            + BlockSplitting.byteCount(segmentByteCount: segmentByteCount, isThorough: false)
    }

    /// Codes a segment.
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let blocks = try findBlocks(segment, window, &work)
        let wordCount = 2 * (blocks.last?.sequences.upperBound ?? 0)
        guard isRefined, choice.isWorthwhile(sequences, wordCount: wordCount, segment.range.count),
            try refine(segment, window, instead: blocks, &writer, to: &output, &work)
        else { return try write(blocks, segment, window, &writer, to: &output, &work) }
    }

    /// The blocks of a segment, whose sequences are left in ``sequences`` and whose symbols in ``splitting``.
    mutating func findBlocks(
        _ segment: DeflateSegment, _ window: RawSpan, _ work: inout WorkGuard
    ) throws(ImageError) -> [BlockSplitting.Block] {
        // Of the first segment only the bytes are known.
        let prices =
            prices
            ?? DeflatePrices(bytes: window.extracting(segment.range).byteCounts, lengthBits: 7, distanceBits: 5)
        let wordCount = try parse(segment, window, prices, &work)
        let sequences = sequences
        let blocks = try sequences.withSpan { (sequences) throws(ImageError) in
            try splitting.split(
                sequences.extracting(first: wordCount), window, from: segment.range.lowerBound, work: &work)
        }
        var total = [UInt32](repeating: 0, count: DeflateCounts.count)
        for block in blocks {
            splitting.withCounts(of: block) { counts in
                for symbol in 0..<total.count { total[symbol] += counts[symbol] }
            }
        }
        self.prices = DeflatePrices(counts: total)
        return blocks
    }

    /// Bits of the blocks that were found last.
    func bitCount(
        _ blocks: [BlockSplitting.Block], _ writer: inout BlockWriter, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var count = 0
        for block in blocks {
            try work.spend(BlockWriter.thoroughWork / 8)
            count += splitting.withCounts(of: block) { writer.bitCount($0) }
        }
        return count
    }

    /// Codes a segment by the cheapest way that is found, if that is shorter than these blocks.
    ///
    /// - Returns: whether it is.
    private mutating func refine(
        _ segment: DeflateSegment, _ window: RawSpan, instead blocks: [BlockSplitting.Block],
        _ writer: inout BlockWriter, to output: inout BitOutput, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var parsing =
            if let finer { finer } else {
                try OptimalParsing(
                    segmentByteCount: segmentByteCount, .default, isPatient: choice.isShort, meter: meter)
            }
        // Taken out for the call, so that nothing is copied.
        finer = nil
        defer { finer = parsing }
        let ways = try parsing.findBlocks(segment, window, prices, &work)
        let before = try bitCount(blocks, &writer, &work)
        let after = try parsing.bitCount(ways, segment, window, &writer, &work)
        choice.record(before: before, after: after)
        guard after < before else { return false }
        try parsing.write(ways, segment, window, &writer, to: &output, &work)
        return true
    }

    /// Looks for matches in all of a segment.
    ///
    /// - Returns: words of its sequences.
    private mutating func parse(
        _ segment: DeflateSegment, _ window: RawSpan, _ prices: DeflatePrices, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        let range = segment.range
        sumLiterals(window.extracting(range), prices)
        var state = MatchSearchState(at: range.lowerBound)
        while state.position < range.upperBound - 3 {
            let stop = min(state.position + Self.stepByteCount, range.upperBound)
            try work.spend(2 * (stop - state.position))
            search(segment, window, &state, stop: stop, prices)
        }
        return sequences.finish(state, at: range.upperBound)
    }

    /// Codes a segment as the blocks that were found last.
    mutating func write(
        _ blocks: [BlockSplitting.Block], _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter,
        to output: inout BitOutput, _ work: inout WorkGuard
    ) throws(ImageError) {
        let sequences = sequences
        try sequences.withSpan { (sequences) throws(ImageError) in
            for (index, block) in blocks.enumerated() {
                try work.spend(BlockWriter.thoroughWork / 8 + block.bytes.count / 8)
                let isLast = segment.isLast && index == blocks.count - 1
                splitting.withCounts(of: block) { counts in
                    guard isLonger(counts, than: window.extracting(block.bytes), &writer) else {
                        writer.write(
                            sequences.extracting(2 * block.sequences.lowerBound..<2 * block.sequences.upperBound),
                            window, block.bytes, counts: counts, isLast: isLast, to: &output)
                        return
                    }
                    [UInt32(block.bytes.count), 0].withSpan { sequence in
                        literals.withSpan { counts in
                            writer.write(sequence, window, block.bytes, counts: counts, isLast: isLast, to: &output)
                        }
                    }
                }
            }
        }
    }

    /// Whether a block with these symbols is longer than one of nothing but literals, which are counted then: where there are few
    /// matches, they may make the codes of literals worse by more than they save.
    private mutating func isLonger(_ counts: Span<UInt32>, than bytes: RawSpan, _ writer: inout BlockWriter) -> Bool {
        let literalCount = (0..<256).reduce(0) { $0 + Int(counts[$1]) }
        guard literalCount < bytes.byteCount, literalCount > bytes.byteCount - bytes.byteCount / Self.fewMatches
        else { return false }
        literals.count(literals: bytes)
        return literals.withSpan { writer.dynamicBitCount($0) } < writer.dynamicBitCount(counts)
    }

    private mutating func search(
        _ segment: DeflateSegment, _ window: RawSpan, _ state: inout MatchSearchState, stop: Int,
        _ prices: DeflatePrices
    ) {
        prices.prices.withSpan { prices in
            sums.withSpan { sums in
                table.withMutableSpan { table in
                    sequences.withMutableSpan { sequences in
                        ChainMatchKernel.search(
                            window, &state, stop: stop, end: segment.range.upperBound, origin: segment.origin,
                            effort: isRefined ? Self.effort : Self.patientEffort, prices: prices, sums: sums,
                            from: segment.range.lowerBound,
                            table: &table, sequences: &sequences)
                    }
                }
            }
        }
    }

    private mutating func sumLiterals(_ bytes: RawSpan, _ prices: DeflatePrices) {
        prices.prices.withSpan { prices in
            // A segment has at most 2^18 bytes, each of which costs less than 2^8 sixteenths of a bit.
            sums.withMutableSpan { ChainMatchKernel.sum(bytes, prices: prices, into: &$0) }
        }
    }
}

extension RawSpan {
    /// How often each byte occurs.
    var byteCounts: [UInt32] {
        var counts = [UInt32](repeating: 0, count: 256)
        for index in 0..<byteCount { counts[Int(byte(at: index))] += 1 }
        return counts
    }
}
