// Where one block ends and the next begins: where the statistics of the symbols change by more than a header costs.

import ImageCodecsCore

/// Cuts the sequences of a segment into blocks.
///
/// The segment is cut into chunks of about as many symbols each. Then, again and again, the two neighbours that cost the least
/// more with one code than with two become one, as long as that costs less than the header that is saved. If codes are made to
/// see what blocks cost, the chunks are shorter, become the blocks that cost the least in all before that, and the blocks'
/// boundaries are moved after it; see BlockBoundaries.swift.
struct BlockSplitting: Sendable {
    /// A block to be.
    struct Block: Hashable, Sendable {
        /// Its sequences, by number.
        var sequences: Range<Int>
        /// What they stand for, as positions in the window.
        var bytes: Range<Int>
        /// What coding it costs, in 1/256 of a bit.
        var cost = 0
        /// Which histogram is its.
        var histogram = 0
    }

    private let mostChunks: Int
    var histograms: NumberBuffer<UInt32>
    var tally: NumberBuffer<UInt32>
    /// Makes the codes of blocks to see what they cost.
    private var measure: BlockWriter?
    private var isExact = false
    /// Small numbers times their logarithms.
    private let products = (0..<256).map { UInt32($0 * BinaryLogarithm.of(max(1, $0))) }

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - isThorough: whether it may be asked to make codes to see what blocks cost, instead of estimating it.
    ///   - meter: counts the histograms.
    init(segmentByteCount: Int, isThorough: Bool, meter: MemoryMeter?) throws(ImageError) {
        if isThorough { measure = try BlockWriter(care: .thorough, meter: meter) }
        mostChunks = Self.mostBlocks(segmentByteCount: segmentByteCount, isThorough: isThorough)
        histograms = try NumberBuffer(count: mostChunks * DeflateCounts.count, meter: meter)
        tally = try NumberBuffer(count: DeflateCounts.count, meter: meter)
    }

    /// Bytes that it holds.
    static func byteCount(segmentByteCount: Int, isThorough: Bool) -> Int {
        let blockCount = mostBlocks(segmentByteCount: segmentByteCount, isThorough: isThorough)
        return 4 * DeflateCounts.count * (blockCount + 1) + BlockWriter.byteCount
    }

    /// Blocks that a segment of `segmentByteCount` bytes is cut into at most. More than 32 take time, and make files shorter only
    /// where all the rest is done for it.
    static func mostBlocks(segmentByteCount: Int, isThorough: Bool = true) -> Int {
        max(1, min(segmentByteCount / 1024, isThorough ? 256 : max(32, segmentByteCount >> 12)))
    }

    /// Symbols of the smallest chunk: fewer say little about what follows.
    private static let fewestSymbols = 256
    /// The same, and the most chunks, if boundaries are moved afterwards.
    private static let fewestExactSymbols = 64, mostExactChunks = 128

    /// The blocks of a segment.
    ///
    /// - Parameters:
    ///   - sequences: all of the segment, two words each.
    ///   - window: the input.
    ///   - start: where in it the segment begins.
    ///   - isExact: whether codes are made to see what blocks cost, if that was prepared.
    ///   - work: is asked for the time.
    mutating func split(
        _ sequences: Span<UInt32>, _ window: RawSpan, from start: Int, isExact: Bool = false, work: inout WorkGuard
    ) throws(ImageError) -> [Block] {
        self.isExact = isExact && measure != nil
        var blocks = chunks(sequences, from: start)
        for index in 0..<blocks.count {
            let range = blocks[index].sequences
            try work.spend(DeflateCounts.count + blocks[index].bytes.count / 16)
            tally.count(
                sequences.extracting(2 * range.lowerBound..<2 * range.upperBound), window,
                from: blocks[index].bytes.lowerBound)
            blocks[index].histogram = index
            tally.withSpan { tally in
                histograms.withMutableSpan { histograms in
                    for symbol in 0..<DeflateCounts.count {
                        histograms[index * DeflateCounts.count + symbol] = tally[symbol]
                    }
                }
            }
        }
        guard blocks.count > 1 else { return blocks }
        if self.isExact { try partition(&blocks, &work) }
        try merge(&blocks, &work)
        if self.isExact { try settle(&blocks, sequences, window, &work) }
        return blocks
    }

    /// How often each symbol of a block occurs; see ``DeflateCounts``.
    func withCounts<R>(of block: Block, _ body: (Span<UInt32>) -> R) -> R {
        let start = block.histogram * DeflateCounts.count
        return histograms.withSpan { body($0.extracting(start..<start + DeflateCounts.count)) }
    }

    private mutating func chunks(_ sequences: Span<UInt32>, from start: Int) -> [Block] {
        let symbolCount = sequences.count / 2 + (0..<sequences.count / 2).reduce(0) { $0 + Int(sequences[2 * $1]) }
        let mostChunks = isExact ? min(mostChunks, Self.mostExactChunks) : mostChunks
        let chunkSymbolCount = max(
            isExact ? Self.fewestExactSymbols : Self.fewestSymbols, symbolCount / mostChunks + 1)
        var chunks: [Block] = []
        var (first, position, symbolsOfChunk) = (0, start, 0)
        var chunkStart = start
        let count = sequences.count / 2
        for index in 0..<count {
            let sequence = DeflateSequence(sequences, at: index)
            position += sequence.totalCount
            symbolsOfChunk += sequence.literalCount + 1
            guard symbolsOfChunk >= chunkSymbolCount && chunks.count < mostChunks - 1 || index == count - 1 else {
                continue
            }
            chunks.append(Block(sequences: first..<index + 1, bytes: chunkStart..<position))
            (first, chunkStart, symbolsOfChunk) = (index + 1, position, 0)
        }
        return chunks
    }

    private mutating func merge(_ blocks: inout [Block], _ work: inout WorkGuard) throws(ImageError) {
        // What each block costs alone, and together with the next.
        var pairs: [Int] = []
        for index in 0..<blocks.count {
            blocks[index].cost = try cost(blocks[index], blocks[index], &work)
            if index > 0 { pairs.append(try cost(blocks[index - 1], blocks[index], &work)) }
        }
        while !pairs.isEmpty {
            var (best, bestSaving) = (0, Int.min)
            for index in 0..<pairs.count {
                let saving = blocks[index].cost + blocks[index + 1].cost - pairs[index]
                if saving > bestSaving { (best, bestSaving) = (index, saving) }
            }
            guard bestSaving >= 0 else { return }
            add(histogram: blocks[best + 1].histogram, to: blocks[best].histogram)
            blocks[best].sequences = blocks[best].sequences.lowerBound..<blocks[best + 1].sequences.upperBound
            blocks[best].bytes = blocks[best].bytes.lowerBound..<blocks[best + 1].bytes.upperBound
            blocks[best].cost = pairs[best]
            blocks.remove(at: best + 1)
            pairs.remove(at: best)
            if best < pairs.count { pairs[best] = try cost(blocks[best], blocks[best + 1], &work) }
            if best > 0 { pairs[best - 1] = try cost(blocks[best - 1], blocks[best], &work) }
        }
    }

    mutating func add(histogram source: Int, to target: Int) {
        histograms.withMutableSpan { histograms in
            for symbol in 0..<DeflateCounts.count {
                histograms[target * DeflateCounts.count + symbol] += histograms[source * DeflateCounts.count + symbol]
            }
        }
    }

    /// What two blocks cost as one, by the entropy of their symbols, in 1/256 of a bit; of a block with itself what it costs alone.
    private mutating func cost(_ first: Block, _ second: Block, _ work: inout WorkGuard) throws(ImageError) -> Int {
        try work.spend(isExact ? BlockWriter.thoroughWork : DeflateCounts.count)
        return isExact ? measuredCost(first, second) : estimatedCost(first, second)
    }

    private mutating func measuredCost(_ first: Block, _ second: Block) -> Int {
        let (a, b) = (first.histogram * DeflateCounts.count, second.histogram * DeflateCounts.count)
        histograms.withSpan { histograms in
            tally.withMutableSpan { tally in
                for symbol in 0..<DeflateCounts.count {
                    tally[symbol] = histograms[a + symbol] + (a == b ? 0 : histograms[b + symbol])
                }
            }
        }
        return measuredCostOfTally()
    }

    /// What a block costs that has the symbols of ``tally``, by making its codes, in 1/256 of a bit.
    mutating func measuredCostOfTally() -> Int {
        let counts = tally
        return counts.withSpan { measure?.dynamicBitCount($0) ?? 0 } * BinaryLogarithm.one
    }

    private func estimatedCost(_ first: Block, _ second: Block) -> Int {
        let (a, b) = (first.histogram * DeflateCounts.count, second.histogram * DeflateCounts.count)
        return histograms.withSpan { histograms in
            estimatedCost { symbol in
                Int(histograms[a + symbol]) + (a == b ? 0 : Int(histograms[b + symbol]))
            }
        }
    }

    /// What a block costs by the entropy of its symbols, in 1/256 of a bit.
    ///
    /// - Parameters:
    ///   - headerShare: eighths of the header that are counted.
    ///   - count: how often a symbol occurs; see ``DeflateCounts``.
    @inline(__always)
    func estimatedCost(headerShare: Int = 8, _ count: (_ symbol: Int) -> Int) -> Int {
        var sum = 0
        var (usedCount, gapCount) = (0, 0)
        for alphabet in [0..<DeflateCounts.distances, DeflateCounts.distances..<DeflateCounts.count] {
            var total = 0
            // 1 after a symbol that occurs. No branch depends on that, as it is hardly predictable.
            var before = 1
            for symbol in alphabet {
                let count = count(symbol)
                let isUsed = min(count, 1)
                gapCount &+= before & (1 &- isUsed)
                usedCount &+= isUsed
                before = isUsed
                total &+= count
                sum &-= count < products.count ? Int(products[count]) : count &* BinaryLogarithm.of(count)
            }
            if total > 0 { sum += total * BinaryLogarithm.of(total) }
        }
        let header = Self.headerBits + Self.headerBitsOfSymbol * usedCount + Self.headerBitsOfGap * gapCount
        return sum + header * BinaryLogarithm.one * headerShare / 8
    }

    /// About what a header takes: some bits, some for each symbol with a code, and some for each run of symbols without.
    private static let headerBits = 60, headerBitsOfSymbol = 3, headerBitsOfGap = 8
}
