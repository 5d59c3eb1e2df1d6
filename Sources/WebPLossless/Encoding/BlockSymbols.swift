// The symbols of each block of a picture.

import ImageCodecsCore

/// For each block, which symbols occur in it, and how often.
struct BlockSymbols: Sendable {
    private(set) var grid: BlockGrid
    private(set) var symbolCount: Int
    private(set) var cacheBits: Int
    /// For each row of blocks, one block after the other: symbol below, count from bit 16 on.
    private var rows: [NumberBuffer<UInt32>] = []
    /// For each block, where its entries end in its row.
    private var ends: [UInt32] = []

    init(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ grid: BlockGrid, meter: MemoryMeter?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        self.grid = grid
        symbolCount = plan.symbolCount
        cacheBits = plan.cacheBits
        var counts = try NumberBuffer<UInt32>(count: grid.columnCount * symbolCount, meter: meter)
        ends.reserveCapacity(grid.count)
        // Taken out for the call: the closure below changes it.
        var taken = self
        _ = try counts.withMutableSpan { (counts) throws(ImageError) in
            try plan.count(pixels, copies, sizeBits: grid.sizeBits, counts: &counts, work: &work) {
                (row, counts) throws(ImageError) in
                try taken.skip(to: row, meter: meter)
                try taken.append(&counts, meter: meter)
            }
        }
        try taken.skip(to: grid.rowCount, meter: meter)
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
    private mutating func append(_ counts: inout MutableSpan<UInt32>, meter: MemoryMeter?) throws(ImageError) {
        var entryCount = 0
        for index in 0..<grid.columnCount * symbolCount where counts[index] > 0 { entryCount += 1 }
        var entries = try NumberBuffer<UInt32>(count: entryCount, meter: meter)
        let (columnCount, symbolCount) = (grid.columnCount, symbolCount)
        entries.withMutableSpan { entries in
            var place = 0
            for column in 0..<columnCount {
                let base = column * symbolCount
                for symbol in 0..<symbolCount where counts[base &+ symbol] > 0 {
                    entries[place] = UInt32(symbol) | min(counts[base &+ symbol], 0xFFFF) << 16
                    place += 1
                    counts[base &+ symbol] = 0
                }
                ends.append(UInt32(place))
            }
        }
        rows.append(entries)
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
