// Where blocks begin if time does not matter: the cheapest of all ways to cut chunks into blocks, then boundaries between chunks
// that are moved sequence by sequence.

import ImageCodecsCore

extension BlockSplitting {
    /// Eighths of an estimated header that a block is counted with: blocks that do not pay for theirs are merged afterwards, by what
    /// their codes really cost.
    private static let headerShare = 6

    /// Turns chunks into the blocks that cost the least in all, by the entropy of their symbols.
    ///
    /// Every run of chunks may become a block. The cheapest way to the end of each chunk is the cheapest way to the begin of its
    /// block and that block.
    mutating func partition(_ chunks: inout [Block], _ work: inout WorkGuard) throws(ImageError) {
        let count = chunks.count
        // By the number of chunks before it: what the way to a chunk costs, and where its last block begins.
        var costs = [Int](repeating: .max, count: count + 1)
        var starts = [Int](repeating: 0, count: count + 1)
        costs[0] = 0
        for first in 0..<count {
            try work.spend((count - first) * DeflateCounts.count)
            tally.withMutableSpan { tally in for symbol in 0..<tally.count { tally[symbol] = 0 } }
            for last in first..<count {
                addToTally(chunks[last].histogram)
                let cost = tally.withSpan { tally in
                    estimatedCost(headerShare: Self.headerShare) { Int(tally[$0]) }
                }
                let sum = costs[first] + cost
                if sum < costs[last + 1] { (costs[last + 1], starts[last + 1]) = (sum, first) }
            }
        }
        var blocks: [Block] = []
        var end = count
        while end > 0 {
            let start = starts[end]
            for chunk in start + 1..<max(end, start + 1) {
                add(histogram: chunks[chunk].histogram, to: chunks[start].histogram)
            }
            var block = chunks[start]
            block.sequences = block.sequences.lowerBound..<chunks[end - 1].sequences.upperBound
            block.bytes = block.bytes.lowerBound..<chunks[end - 1].bytes.upperBound
            blocks.append(block)
            end = start
        }
        chunks = blocks.reversed()
    }

    private mutating func addToTally(_ histogram: Int) {
        let start = histogram * DeflateCounts.count
        histograms.withSpan { histograms in
            tally.withMutableSpan { tally in
                for symbol in 0..<DeflateCounts.count { tally[symbol] += histograms[start + symbol] }
            }
        }
    }

    /// Moves the boundaries of blocks as long as that makes them shorter: by many sequences at first, then by fewer.
    mutating func settle(
        _ blocks: inout [Block], _ sequences: Span<UInt32>, _ window: RawSpan, _ work: inout WorkGuard
    ) throws(ImageError) {
        for index in 0..<blocks.count {
            blocks[index].cost = try cost(of: blocks[index], sequences, window, &work)
        }
        for index in 1..<max(1, blocks.count) {
            var step = Self.longestMove
            while step > 0 {
                var isMoved = try move(boundary: index, of: &blocks, by: step, sequences, window, &work)
                if !isMoved { isMoved = try move(boundary: index, of: &blocks, by: -step, sequences, window, &work) }
                if !isMoved { step /= 2 }
            }
        }
    }

    /// Sequences by which a boundary is moved at once at most.
    private static let longestMove = 32

    /// Moves the boundary before a block if that makes it and the one before shorter; whether it does.
    private mutating func move(
        boundary index: Int, of blocks: inout [Block], by step: Int, _ sequences: Span<UInt32>, _ window: RawSpan,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var (first, second) = (blocks[index - 1], blocks[index])
        let boundary = second.sequences.lowerBound + step
        guard boundary > first.sequences.lowerBound, boundary < second.sequences.upperBound else { return false }
        let moved = min(boundary, boundary - step)..<max(boundary, boundary - step)
        let byteCount = moved.reduce(0) { $0 + DeflateSequence(sequences, at: $1).totalCount }
        let position = second.bytes.lowerBound + (step > 0 ? byteCount : -byteCount)
        (first.sequences, second.sequences) = (
            first.sequences.lowerBound..<boundary, boundary..<second.sequences.upperBound
        )
        (first.bytes, second.bytes) = (first.bytes.lowerBound..<position, position..<second.bytes.upperBound)
        first.cost = try cost(of: first, sequences, window, &work)
        guard first.cost < blocks[index - 1].cost + blocks[index].cost else { return false }
        second.cost = try cost(of: second, sequences, window, &work)
        guard first.cost + second.cost < blocks[index - 1].cost + blocks[index].cost else { return false }
        (blocks[index - 1], blocks[index]) = (first, second)
        return true
    }

    /// What a block costs, by making its codes.
    private mutating func cost(
        of block: Block, _ sequences: Span<UInt32>, _ window: RawSpan, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        try work.spend(BlockWriter.thoroughWork + block.sequences.count + block.bytes.count / 16)
        tally.count(
            sequences.extracting(2 * block.sequences.lowerBound..<2 * block.sequences.upperBound), window,
            from: block.bytes.lowerBound)
        return measuredCostOfTally()
    }
}
