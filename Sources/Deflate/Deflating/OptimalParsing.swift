// Efforts thorough and best, and what has few literals at effort default: all matches of a segment are found once; then the
// cheapest way through them is looked for again and again, each time at the prices that the way before has led to.
//
//   segment ──▶ matches of every position (TreeMatchKernel)
//           ──▶ ways at prices of the whole segment ──▶ blocks (BlockSplitting)
//           ──▶ of each block: ways at prices of its own, until it gets no shorter ──▶ BlockWriter

import ImageCodecsCore

/// Codes segments as short as repeated search for the cheapest way makes them.
struct OptimalParsing: Sendable {
    private var table: NumberBuffer<UInt32>
    private var matches: NumberBuffer<UInt32>
    private var ends: NumberBuffer<UInt32>
    private var costs: NumberBuffer<UInt32>
    private var steps: NumberBuffer<UInt32>
    private var sequences: NumberBuffer<UInt32>
    private var tally: NumberBuffer<UInt32>
    /// What a quick search looks things up in.
    private var quickTable: ScratchBuffer
    private var splitting: BlockSplitting
    private var measure: BlockWriter
    /// By the symbols of the segment before; none before the first.
    private var prices: DeflatePrices?
    /// From which ways through blocks are looked for too, and from those of literals alone.
    private var otherPrices: DeflatePrices?

    /// Matches that there is room for, for each byte of a segment.
    private static let matchesOfByte = 4
    /// How thoroughly a segment is searched.
    private struct Thoroughness: Sendable {
        /// Places looked at for one position, and the length of a match within which no others are looked for.
        var depth: Int, niceLength: Int
        /// Ways through each block at most, and how often a segment is cut into blocks and these are improved.
        var passCount: Int, roundCount: Int
        /// Ways through the whole segment, before it is cut into blocks.
        var wayCount = 2
        /// A way that saves less than this part of a block, a power of one half, is the last.
        var enoughShift: Int

        /// Once through the segment and once through each block.
        static let single = Thoroughness(
            depth: 16, niceLength: 64, passCount: 1, roundCount: 1, wayCount: 1, enoughShift: 10)
        /// For what has few literals, at effort default.
        static let refining = Thoroughness(
            depth: 24, niceLength: 128, passCount: 2, roundCount: 1, enoughShift: 9)
        /// The same in short streams: what lies within long matches is searched too.
        static let refiningShort = Thoroughness(
            depth: 24, niceLength: .max, passCount: 2, roundCount: 1, enoughShift: 9)
        /// The same, of what has few symbols.
        static let refiningWhole = Thoroughness(
            depth: 48, niceLength: .max, passCount: 2, roundCount: 1, enoughShift: 10)
        /// The same, of what has so few that each decides about many bytes: rows that repeat.
        static let refiningRows = Thoroughness(
            depth: 250, niceLength: .max, passCount: 2, roundCount: 1, enoughShift: 10)
        static let usual = Thoroughness(depth: 100, niceLength: .max, passCount: 5, roundCount: 1, enoughShift: 10)
        /// For what has few symbols: drawings and texts that repeat, of which each symbol decides about many bytes.
        static let whole = Thoroughness(depth: 250, niceLength: .max, passCount: 6, roundCount: 2, enoughShift: 12)
    }

    /// Bytes for each symbol, by a quick search, from which on a segment has few of them, and very few.
    private static let bytesOfSymbol = 16, bytesOfSymbolInRows = 64

    /// Matches that save less than this part of a segment, or of a block, save hardly anything.
    private static let leastGain = 32, leastBlockGain = 8
    /// In shorter segments the header of a block decides, or fixed codes are shorter, which these sums do not see.
    private static let leastWeighedByteCount = 1 << 12

    /// Positions of a step of looking for ways, and of one of looking for matches, each of which may take 100 times as long.
    private static let stepByteCount = 1 << 12, matchStepByteCount = 1 << 8

    private let effort: CompressionEffort
    private let isPatient: Bool

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - effort: `thorough` or `best`; `default` for segments of few literals alone.
    ///   - isPatient: whether more is done at effort `default` for what has few symbols.
    ///   - meter: counts the tables.
    init(
        segmentByteCount: Int, _ effort: CompressionEffort, isPatient: Bool = false, meter: MemoryMeter?
    ) throws(ImageError) {
        self.effort = effort
        self.isPatient = isPatient
        table = try NumberBuffer(count: TreeMatchKernel.tableCount, meter: meter)
        matches = try NumberBuffer(count: Self.matchCount(segmentByteCount), meter: meter)
        ends = try NumberBuffer(count: segmentByteCount, meter: meter)
        costs = try NumberBuffer(count: segmentByteCount + 1, meter: meter)
        steps = try NumberBuffer(count: segmentByteCount, meter: meter)
        sequences = try NumberBuffer(count: Self.wordCount(segmentByteCount), meter: meter)
        tally = try NumberBuffer(count: DeflateCounts.count, meter: meter)
        quickTable = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, meter: meter)
        splitting = try BlockSplitting(segmentByteCount: segmentByteCount, isThorough: true, meter: meter)
        measure = try BlockWriter(care: .usual, meter: meter)
    }

    private static func matchCount(_ segmentByteCount: Int) -> Int {
        matchesOfByte * segmentByteCount + 2 * TreeMatchKernel.mostMatches
    }

    /// Words of sequences: two for each match of three bytes, and for what is left.
    private static func wordCount(_ segmentByteCount: Int) -> Int { 2 * (segmentByteCount / 3) + 4 }

    /// Bytes that it holds.
    static func byteCount(segmentByteCount: Int) -> Int {
        let words =
            TreeMatchKernel.tableCount + matchCount(segmentByteCount) + 3 * segmentByteCount + 1
            + wordCount(segmentByteCount) + DeflateCounts.count
        return 4 * words + FastMatchKernel.tableByteCount
            + BlockSplitting.byteCount(segmentByteCount: segmentByteCount, isThorough: true)
            + BlockWriter.byteCount
    }

    /// Codes a segment.
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let blocks = try findBlocks(segment, window, prices, &work)
        try write(blocks, segment, window, &writer, to: &output, &work)
    }

    /// The blocks of a segment, for which ways are also looked for from the prices of another way.
    mutating func findBlocks(
        _ segment: DeflateSegment, _ window: RawSpan, beside others: DeflatePrices?, _ work: inout WorkGuard
    ) throws(ImageError) -> [Range<Int>] {
        otherPrices = others
        defer { otherPrices = nil }
        return try findBlocks(segment, window, prices, &work)
    }

    /// The blocks of a segment, the cheapest way through each of which is left in ``steps``.
    ///
    /// - Parameter known: about what symbols will cost; `nil` if nothing is known but the bytes.
    mutating func findBlocks(
        _ segment: DeflateSegment, _ window: RawSpan, _ known: DeflatePrices?, _ work: inout WorkGuard
    ) throws(ImageError) -> [Range<Int>] {
        let range = segment.range
        let thoroughness = try thoroughness(segment, window, &work)
        try findMatches(segment, window, thoroughness, &work)
        // Matches seem cheap at first: those that are not are given up one pass later, but those that are would not be found.
        var prices =
            known ?? DeflatePrices(bytes: window.extracting(range).byteCounts, lengthBits: 3, distanceBits: 4)
        var wordCount = 0
        // Ways through the whole segment before it is cut into blocks.
        for _ in 0..<thoroughness.wayCount {
            wordCount = try findWay(through: range, of: range, window, prices, &work)
            prices = countedPrices(window, from: range.lowerBound, wordCount: wordCount)
        }
        if range.count >= Self.leastWeighedByteCount {
            (wordCount, prices) = try weighLiterals(instead: wordCount, prices, window, range, &work)
        }
        self.prices = prices
        var blocks = try split(window, from: range.lowerBound, wordCount: wordCount, thoroughness, &work)
        for round in 0..<thoroughness.roundCount {
            if round > 0 {
                let wordCount = collect(range, from: range.lowerBound)
                blocks = try split(window, from: range.lowerBound, wordCount: wordCount, thoroughness, &work)
            }
            for block in blocks { try improveWay(through: block, of: range, window, thoroughness, &work) }
        }
        return blocks
    }

    /// Bits of the blocks that were found last.
    mutating func bitCount(
        _ blocks: [Range<Int>], _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var count = 0
        for block in blocks {
            try work.spend(BlockWriter.thoroughWork / 8 + block.count / 8)
            let wordCount = collect(block, from: segment.range.lowerBound)
            count += sequences.withSpan {
                writer.bitCount($0.extracting(first: wordCount), window, from: block.lowerBound)
            }
        }
        return count
    }

    /// Codes a segment as the blocks that were found last.
    mutating func write(
        _ blocks: [Range<Int>], _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter,
        to output: inout BitOutput, _ work: inout WorkGuard
    ) throws(ImageError) {
        for (index, block) in blocks.enumerated() {
            try work.spend(BlockWriter.thoroughWork + block.count / 8)
            let wordCount = collect(block, from: segment.range.lowerBound)
            let isLast = segment.isLast && index == blocks.count - 1
            let sequences = sequences
            sequences.withSpan { sequences in
                writer.write(sequences.extracting(first: wordCount), window, block, isLast: isLast, to: &output)
            }
        }
    }

    /// Gives up the dearest matches if they hardly save anything, and the codes of literals get better by more.
    ///
    /// - Parameters:
    ///   - wordCount: words of the way through the segment that was found, whose symbols are in `tally`.
    ///   - prices: those of its symbols.
    /// - Returns: words and prices of the better way.
    private mutating func weighLiterals(
        instead wordCount: Int, _ prices: DeflatePrices, _ window: RawSpan, _ range: Range<Int>, _ work: inout WorkGuard
    ) throws(ImageError) -> (Int, DeflatePrices) {
        let bitCount = tally.withSpan { measure.dynamicBitCount($0) }
        tally.count(literals: window.extracting(range))
        let literalBitCount = tally.withSpan { measure.dynamicBitCount($0) }
        guard bitCount > literalBitCount - literalBitCount / Self.leastGain else { return (wordCount, prices) }
        let literalPrices = tally.withSpan { tally in DeflatePrices(counts: (0..<tally.count).map { tally[$0] }) }
        let otherCount = try findWay(through: range, of: range, window, literalPrices, &work)
        let otherPrices = countedPrices(window, from: range.lowerBound, wordCount: otherCount)
        if tally.withSpan({ measure.dynamicBitCount($0) }) < bitCount { return (otherCount, otherPrices) }
        return (try findWay(through: range, of: range, window, prices, &work), prices)
    }

    private mutating func thoroughness(
        _ segment: DeflateSegment, _ window: RawSpan, _ work: inout WorkGuard
    ) throws(ImageError) -> Thoroughness {
        let byteCount = segment.range.count
        switch effort {
        case .best:
            return try Self.bytesOfSymbol * symbolCount(segment, window, &work) < byteCount ? .whole : .usual
        case .default:
            guard isPatient else { return .refining }
            let symbolCount = try symbolCount(segment, window, &work)
            if Self.bytesOfSymbolInRows * symbolCount < byteCount { return .refiningRows }
            return Self.bytesOfSymbol * symbolCount < byteCount ? .refiningWhole : .refiningShort
        case .stored, .fast, .thorough: return .single
        }
    }

    /// How many symbols a segment has, by a quick search.
    private mutating func symbolCount(
        _ segment: DeflateSegment, _ window: RawSpan, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        let range = segment.range
        quickTable.fill(0..<FastMatchKernel.tableByteCount, with: 0)
        var state = MatchSearchState(at: range.lowerBound)
        while state.position <= range.upperBound - FastMatchKernel.shortestMatch {
            let stop = min(state.position + FastSearch.stepByteCount, range.upperBound)
            try work.spend(stop - state.position)
            quickTable.withMutableBytes { table in
                sequences.withMutableSpan { sequences in
                    FastMatchKernel.search(
                        window, &state, stop: stop, end: range.upperBound, origin: segment.origin, table: &table,
                        sequences: &sequences)
                }
            }
        }
        let wordCount = sequences.finish(state, at: range.upperBound)
        return sequences.withSpan { sequences in
            (0..<wordCount / 2).reduce(wordCount / 2) { $0 + Int(sequences[2 * $1]) }
        }
    }

    private mutating func findMatches(
        _ segment: DeflateSegment, _ window: RawSpan, _ thoroughness: Thoroughness, _ work: inout WorkGuard
    ) throws(ImageError) {
        let range = segment.range
        var (matchCount, skipped) = (0, 0)
        var position = range.lowerBound
        while position < range.upperBound {
            let step = position..<min(position + Self.matchStepByteCount, range.upperBound)
            try work.spend(step.count * thoroughness.depth / 2)
            table.withMutableSpan { table in
                matches.withMutableSpan { matches in
                    ends.withMutableSpan { ends in
                        TreeMatchKernel.find(
                            window, step, end: range.upperBound, isLast: segment.isLast, origin: segment.origin,
                            depth: thoroughness.depth,
                            niceLength: thoroughness.niceLength, skipped: &skipped, table: &table, matches: &matches,
                            matchCount: &matchCount, ends: &ends, from: range.lowerBound)
                    }
                }
            }
            position = step.upperBound
        }
    }

    /// The cheapest way through a part of the segment.
    ///
    /// - Returns: words of its sequences.
    private mutating func findWay(
        through part: Range<Int>, of range: Range<Int>, _ window: RawSpan, _ prices: DeflatePrices,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        costs.withMutableSpan { $0[part.upperBound - range.lowerBound] = 0 }
        var position = part.upperBound
        while position > part.lowerBound {
            let step = max(part.lowerBound, position - Self.stepByteCount)..<position
            // A position is the begin of up to 256 steps.
            try work.spend(4 * step.count)
            search(step, end: part.upperBound, from: range.lowerBound, window, prices)
            position = step.lowerBound
        }
        try work.spend(part.count / 16)
        return collect(part, from: range.lowerBound)
    }

    private mutating func search(
        _ step: Range<Int>, end: Int, from first: Int, _ window: RawSpan, _ prices: DeflatePrices
    ) {
        prices.prices.withSpan { prices in
            matches.withSpan { matches in
                ends.withSpan { ends in
                    costs.withMutableSpan { costs in
                        steps.withMutableSpan { steps in
                            ShortestPathKernel.search(
                                window, step, end: end, from: first, prices: prices, matches: matches, ends: ends,
                                costs: &costs, steps: &steps)
                        }
                    }
                }
            }
        }
    }

    /// Makes sequences of the steps of a way.
    private mutating func collect(_ part: Range<Int>, from first: Int) -> Int {
        steps.withSpan { steps in
            sequences.withMutableSpan { sequences in
                var state = MatchSearchState(at: part.lowerBound)
                while state.position < part.upperBound {
                    let step = steps[state.position - first]
                    guard step > 1 else {
                        state.position += 1
                        continue
                    }
                    sequences[state.wordCount] = UInt32(state.position - state.literalStart)
                    sequences[state.wordCount + 1] = step
                    state.wordCount += 2
                    state.position += Int(step & 0x1FF)
                    state.literalStart = state.position
                }
                sequences[state.wordCount] = UInt32(part.upperBound - state.literalStart)
                sequences[state.wordCount + 1] = 0
                return state.wordCount + 2
            }
        }
    }

    /// Prices of the symbols of the way that was collected last.
    private mutating func countedPrices(_ window: RawSpan, from start: Int, wordCount: Int) -> DeflatePrices {
        let sequences = sequences
        sequences.withSpan { tally.count($0.extracting(first: wordCount), window, from: start) }
        return tally.withSpan { tally in DeflatePrices(counts: (0..<tally.count).map { tally[$0] }) }
    }

    private mutating func split(
        _ window: RawSpan, from start: Int, wordCount: Int, _ thoroughness: Thoroughness, _ work: inout WorkGuard
    ) throws(ImageError) -> [Range<Int>] {
        let sequences = sequences
        return try sequences.withSpan { (sequences) throws(ImageError) in
            let blocks = try splitting.split(
                sequences.extracting(first: wordCount), window, from: start, isExact: thoroughness.roundCount > 1,
                work: &work)
            return blocks.map(\.bytes)
        }
    }

    /// Looks for ways through a block as long as they make it shorter; the shortest is left in ``steps``.
    private mutating func improveWay(
        through block: Range<Int>, of range: Range<Int>, _ window: RawSpan, _ thoroughness: Thoroughness,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let wordCount = collect(block, from: range.lowerBound)
        let prices = countedPrices(window, from: block.lowerBound, wordCount: wordCount)
        var best = FoundWay(bitCount: .max, prices: prices)
        try lookForWays(through: block, of: range, window, from: prices, thoroughness, &best, &work)
        if let otherPrices, range.count >= Self.leastWeighedByteCount {
            try lookForWays(through: block, of: range, window, from: otherPrices, thoroughness, &best, &work)
            // From where there are no matches another way may be found, on which only those are that save the most.
            try work.spend(block.count / 16)
            tally.count(literals: window.extracting(block))
            let literalBitCount = tally.withSpan { measure.dynamicBitCount($0) }
            if best.bitCount > literalBitCount - literalBitCount / Self.leastBlockGain {
                let prices = tally.withSpan { tally in DeflatePrices(counts: (0..<tally.count).map { tally[$0] }) }
                try lookForWays(through: block, of: range, window, from: prices, thoroughness, &best, &work)
            }
        }
        if !best.isLast { _ = try findWay(through: block, of: range, window, best.prices, &work) }
    }

    /// The shortest way so far: bits of its block, by which prices it was found, and whether it is the one in ``steps``.
    private struct FoundWay {
        var bitCount: Int
        var prices: DeflatePrices
        var isLast = false
    }

    /// Looks for ways, each at the prices to which the one before has led.
    private mutating func lookForWays(
        through block: Range<Int>, of range: Range<Int>, _ window: RawSpan, from first: DeflatePrices,
        _ thoroughness: Thoroughness, _ best: inout FoundWay, _ work: inout WorkGuard
    ) throws(ImageError) {
        var (prices, lastBitCount) = (first, Int.max)
        for pass in 0..<thoroughness.passCount {
            let wordCount = try findWay(through: block, of: range, window, prices, &work)
            let next = countedPrices(window, from: block.lowerBound, wordCount: wordCount)
            let bitCount = tally.withSpan { measure.dynamicBitCount($0) }
            best.isLast = bitCount < best.bitCount
            if best.isLast { best = FoundWay(bitCount: bitCount, prices: prices, isLast: true) }
            let saved = lastBitCount - bitCount
            lastBitCount = min(lastBitCount, bitCount)
            if pass > 0, saved < bitCount >> thoroughness.enoughShift { break }
            prices = next
        }
    }
}
