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
    /// Entries of the row that is being counted.
    private var found: [UInt32] = []

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
        taken.found = []
        self = taken
    }

    /// Adds rows without symbols: those that a copy goes over.
    private mutating func skip(to row: Int, meter: MemoryMeter?) throws(ImageError) {
        while rows.count < row {
            rows.append(try NumberBuffer(count: 0, meter: meter))
            for _ in 0..<grid.columnCount { ends.append(0) }
        }
    }

    /// Whether eight numbers are zero.
    @inline(__always)
    private static func areZero(_ counts: borrowing MutableSpan<UInt32>, at index: Int) -> Bool {
        (counts[index] | counts[index &+ 1] | counts[index &+ 2] | counts[index &+ 3] | counts[index &+ 4]
            | counts[index &+ 5] | counts[index &+ 6] | counts[index &+ 7]) == 0
    }

    /// Adds the counts of a row of blocks, and sets them to zero.
    private mutating func append(_ counts: inout MutableSpan<UInt32>, meter: MemoryMeter?) throws(ImageError) {
        found.removeAll(keepingCapacity: true)
        for column in 0..<grid.columnCount {
            var first = column * symbolCount
            let end = first + symbolCount
            // Most symbols do not occur: eight of them are passed at once.
            while first < end {
                let next = min(first + 8, end)
                if next - first == 8, Self.areZero(counts, at: first) {
                    first = next
                    continue
                }
                for index in first..<next where counts[index] > 0 {
                    found.append(UInt32(index - column * symbolCount) | min(counts[index], 0xFFFF) << 16)
                    counts[index] = 0
                }
                first = next
            }
            ends.append(UInt32(found.count))
        }
        var entries = try NumberBuffer<UInt32>(count: found.count, meter: meter)
        entries.withMutableSpan { entries in for index in found.indices { entries[index] = found[index] } }
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
