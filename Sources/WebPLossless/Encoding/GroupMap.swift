// Which pixels share prefix codes, and what those codes are made from.

import ImageCodecsCore

/// Which group of codes each block of an image has, and how often each symbol occurs in each group.
struct GroupMap: Sendable {
    let grid: BlockGrid
    /// The group of each block.
    let groups: [UInt16]
    let groupCount: Int
    /// In the order of ``PixelSymbols``, one group after the other.
    let counts: NumberBuffer<UInt32>
}

extension GroupMap {
    /// One group for all pixels.
    init(_ totals: SymbolTotals, _ size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        grid = BlockGrid(size: size, sizeBits: CodedImagePlan.wholeSizeBits)
        (groups, groupCount) = ([0], 1)
        var counts = try NumberBuffer<UInt32>(count: totals.counts.count, meter: meter)
        counts.withMutableSpan { counts in
            for symbol in totals.counts.indices { counts[symbol] = totals.counts[symbol] }
        }
        self.counts = counts
    }
}
