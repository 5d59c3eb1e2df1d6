// The symbols of each block of a picture.

import ImageCodecsCore

/// For each block, which symbols occur in it, and how often.
struct BlockSymbols: Sendable {
    private(set) var grid: BlockGrid
    /// Of all blocks.
    private(set) var totals: SymbolTotals
    /// What entries are numbers of.
    private(set) var used: UsedSymbols
    /// For each row of blocks, one block after the other: number of a symbol below, count from bit 16 on.
    private var rows: [NumberBuffer<UInt32>] = []
    /// For each block, where its entries end in its row.
    private var ends: [UInt32] = []
    /// Entries of the row that is being counted.
    private var found: NumberBuffer<UInt32>

    init(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ grid: BlockGrid, meter: MemoryMeter?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        self.grid = grid
        totals = SymbolTotals(cacheBits: plan.cacheBits)
        used = UsedSymbols(totals)
        // Pixels have four symbols at most, copies fewer.
        let blockCount = min(plan.symbolCount, 4 << (2 * grid.sizeBits))
        found = try NumberBuffer(count: grid.columnCount * blockCount + 1, meter: meter)
        var counts = try NumberBuffer<UInt32>(count: grid.columnCount * plan.symbolCount, meter: meter)
        // Taken out for the call: the closure below changes it. Of a buffer that two values hold, a write would make a copy.
        var taken = self
        taken.found = found.handedOver()
        taken.ends.reserveCapacity(grid.count)
        taken.totals.extraBitCount = try counts.withMutableSpan { (counts) throws(ImageError) in
            try plan.count(pixels, copies, sizeBits: grid.sizeBits, counts: &counts, work: &work) {
                (row, counts) throws(ImageError) in
                try taken.skip(to: row, meter: meter)
                try taken.append(&counts, symbolCount: plan.symbolCount, meter: meter)
            }
        }
        try taken.skip(to: grid.rowCount, meter: meter)
        try taken.number(&work)
        self = taken
    }

    /// Adds rows without symbols: those that a copy goes over.
    private mutating func skip(to row: Int, meter: MemoryMeter?) throws(ImageError) {
        while rows.count < row {
            rows.append(try NumberBuffer(count: 0, meter: meter))
            for _ in 0..<grid.columnCount { ends.append(0) }
        }
    }

    /// Adds the counts of a row of blocks, and sets them to zero.
    private mutating func append(
        _ counts: inout MutableSpan<UInt32>, symbolCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        var end = 0
        for column in 0..<grid.columnCount {
            found.withMutableSpan { found in
                SymbolGatherKernel.gather(
                    &counts, column * symbolCount..<(column + 1) * symbolCount, to: &found, at: &end)
            }
            ends.append(UInt32(end))
        }
        var entries = try NumberBuffer<UInt32>(count: end, meter: meter)
        entries.withMutableSpan { entries in
            found.withSpan { found in
                for index in 0..<end {
                    entries[index] = found[index]
                    totals.counts[Int(found[index] & 0xFFFF)] += found[index] >> 16
                }
            }
        }
        rows.append(entries)
    }

    /// Puts numbers of ``used`` in the place of symbols.
    private mutating func number(_ work: inout WorkGuard) throws(ImageError) {
        used = UsedSymbols(totals)
        var numbers = [UInt32](repeating: 0, count: totals.counts.count)
        for number in used.symbols.indices { numbers[Int(used.symbols[number])] = UInt32(number) }
        for row in rows.indices {
            try work.spend(rows[row].count)
            rows[row].withMutableSpan { entries in
                for index in entries.indices {
                    entries[index] = entries[index] & 0xFFFF_0000 | numbers[Int(entries[index] & 0xFFFF)]
                }
            }
        }
    }

    /// Where a block's entries are in its row.
    @inline(__always)
    private func range(ofBlock block: Int) -> Range<Int> {
        (block % grid.columnCount > 0 ? Int(ends[block - 1]) : 0)..<Int(ends[block])
    }

    /// The entries of a block.
    @inline(__always)
    func withEntries<R>(ofBlock block: Int, _ body: (Span<UInt32>) -> R) -> R {
        rows[block / grid.columnCount].withSpan { body($0.extracting(range(ofBlock: block))) }
    }

    /// How many entries a block has.
    func entryCount(ofBlock block: Int) -> Int { range(ofBlock: block).count }
}
