// The symbols of each block of a picture.

import ImageCodecsCore

/// For each block, which symbols occur in it, and how often.
struct BlockSymbols: Sendable {
    private(set) var grid: BlockGrid
    private(set) var symbolCount: Int
    private(set) var cacheBits: Int
    /// One block after the other: symbol below, count from bit 16 on.
    private var entries: NumberBuffer<UInt32>
    private var entryCount = 0
    /// For each block, where its entries end.
    private var ends: [Int] = []
    private var meter: MemoryMeter?

    init(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ grid: BlockGrid, meter: MemoryMeter?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        self.grid = grid
        self.meter = meter
        symbolCount = plan.symbolCount
        cacheBits = plan.cacheBits
        entries = try NumberBuffer(count: 1 << 12, meter: meter)
        var counts = try NumberBuffer<UInt32>(count: grid.columnCount * symbolCount, meter: meter)
        ends.reserveCapacity(grid.count)
        // Taken out for the call: the closure below changes it.
        var taken = self
        _ = try counts.withMutableSpan { (counts) throws(ImageError) in
            try plan.count(pixels, copies, sizeBits: grid.sizeBits, counts: &counts, work: &work) {
                (row, counts) throws(ImageError) in
                // Rows that a copy skips have no symbols.
                while taken.ends.count < row * grid.columnCount { taken.ends.append(taken.entryCount) }
                for column in 0..<grid.columnCount { try taken.append(&counts, column) }
            }
        }
        while taken.ends.count < grid.count { taken.ends.append(taken.entryCount) }
        self = taken
    }

    /// Adds a block's counts, and sets them to zero.
    private mutating func append(_ counts: inout MutableSpan<UInt32>, _ column: Int) throws(ImageError) {
        if entryCount + symbolCount > entries.count {
            var larger = try NumberBuffer<UInt32>(
                count: max(entries.count.multipliedSaturated(by: 2), entryCount + symbolCount), meter: meter)
            entries.withSpan { entries in
                larger.withMutableSpan { larger in for index in 0..<entryCount { larger[index] = entries[index] } }
            }
            entries = larger
        }
        let base = column * symbolCount
        var count = entryCount
        entries.withMutableSpan { entries in
            for symbol in 0..<symbolCount where counts[base &+ symbol] > 0 {
                entries[count] = UInt32(symbol) | min(counts[base &+ symbol], 0xFFFF) << 16
                count += 1
                counts[base &+ symbol] = 0
            }
        }
        entryCount = count
        ends.append(count)
    }

    /// The entries of a block.
    func withEntries<R>(ofBlock block: Int, _ body: (Span<UInt32>) -> R) -> R {
        entries.withSpan { entries in body(entries.extracting((block > 0 ? ends[block - 1] : 0)..<ends[block])) }
    }

    /// How many entries a block has.
    func entryCount(ofBlock block: Int) -> Int { ends[block] - (block > 0 ? ends[block - 1] : 0) }
}
