// The symbols of each block of a picture.
//
// A block has a list of those that occur in it, in ascending order. An entry is one byte, or more if what it says is large:
//
//   bits 3 to 7   how much greater the symbol is than the one before, less one; 31: two bytes more say it
//   bits 0 to 2   how often it occurs, less one; 7: two bytes more say it

import ImageCodecsCore

/// For each block, which symbols occur in it, and how often.
struct BlockSymbols: Sendable {
    private(set) var grid: BlockGrid
    /// Of all blocks.
    private(set) var totals: SymbolTotals
    /// What entries are numbers of.
    private(set) var used: UsedSymbols
    /// The numbers of symbols.
    private var numbers: [UInt16] = []
    /// For each row of blocks, the lists of one block after the other.
    private var rows: [ScratchBuffer] = []
    /// For each block, where its list ends in its row.
    private var ends: [UInt32] = []
    /// Entries of the row that is being counted: symbol below, count from bit 16 on.
    private var found: NumberBuffer<UInt32>

    private static let largeStep = 31, largeCount = 7

    /// Bytes that the lists of a picture take at most; channels that are the same in all pixels have one symbol.
    static func byteCount(_ grid: BlockGrid, symbolCount: Int, channelCount: Int) -> Int {
        let occurrenceCount = channelCount << (2 * grid.sizeBits)
        return grid.count * (listByteCount(occurrenceCount, symbolCount) + 5 * (4 - channelCount))
    }

    /// Bytes that are held besides while a row of blocks is counted.
    static func rowByteCount(_ grid: BlockGrid, symbolCount: Int) -> Int {
        4 * grid.columnCount * (symbolCount + entryCount(grid, symbolCount))
    }

    /// Entries of a block at most: pixels have four symbols, copies fewer.
    private static func entryCount(_ grid: BlockGrid, _ symbolCount: Int) -> Int {
        min(symbolCount, 4 << (2 * grid.sizeBits))
    }

    /// Bytes of a block's list at most: that of one in which all pixels are written by their channels, and differ as far as they can.
    private static func listByteCount(_ occurrenceCount: Int, _ symbolCount: Int) -> Int {
        let entryCount = min(occurrenceCount, symbolCount)
        let range = occurrenceCount <= PixelSymbols.cache ? PixelSymbols.cache : symbolCount
        return entryCount + 2 * min(entryCount, range / largeStep)
            + 2 * min(entryCount, (occurrenceCount - entryCount) / largeCount)
    }

    init(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: CopyList, _ grid: BlockGrid, meter: MemoryMeter?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        self.grid = grid
        totals = SymbolTotals(cacheBits: plan.cacheBits)
        used = UsedSymbols(totals)
        found = try NumberBuffer(count: grid.columnCount * Self.entryCount(grid, plan.symbolCount) + 1, meter: meter)
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
        taken.number()
        _ = taken.found.handedOver()
        self = taken
    }

    /// Adds rows without symbols: those that a copy goes over.
    private mutating func skip(to row: Int, meter: MemoryMeter?) throws(ImageError) {
        while rows.count < row {
            rows.append(try ScratchBuffer(byteCount: 0, meter: meter))
            for _ in 0..<grid.columnCount { ends.append(0) }
        }
    }

    /// Adds the counts of a row of blocks, and sets them to zero.
    private mutating func append(
        _ counts: inout MutableSpan<UInt32>, symbolCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        var entryEnds: [Int] = []
        var (end, byteCount) = (0, 0)
        for column in 0..<grid.columnCount {
            let start = end
            found.withMutableSpan { found in
                SymbolGatherKernel.gather(
                    &counts, column * symbolCount..<(column + 1) * symbolCount, to: &found, at: &end)
            }
            entryEnds.append(end)
            byteCount += add(start..<end)
            ends.append(UInt32(byteCount))
        }
        var row = try ScratchBuffer(byteCount: byteCount, meter: meter)
        row.withMutableBytes { bytes in
            found.withSpan { found in
                var (start, place) = (0, 0)
                for end in entryEnds {
                    Self.write(found.extracting(start..<end), to: &bytes, at: &place)
                    start = end
                }
            }
        }
        rows.append(row)
    }

    /// Adds entries of a block to the totals.
    ///
    /// - Returns: bytes of its list.
    private mutating func add(_ range: Range<Int>) -> Int {
        found.withSpan { found in
            var (byteCount, last) = (0, -1)
            for index in range {
                let (symbol, count) = (Int(found[index] & 0xFFFF), found[index] >> 16)
                totals.counts[symbol] += count
                byteCount += 1 + (symbol - last > Self.largeStep ? 2 : 0) + (count > Self.largeCount ? 2 : 0)
                last = symbol
            }
            return byteCount
        }
    }

    private static func write(_ entries: Span<UInt32>, to bytes: inout MutableRawSpan, at place: inout Int) {
        var last = -1
        func writeLarge(_ number: Int, _ bytes: inout MutableRawSpan) {
            bytes.setByte(UInt8(truncatingIfNeeded: number), at: place)
            bytes.setByte(UInt8(truncatingIfNeeded: number >> 8), at: place + 1)
            place += 2
        }
        for index in entries.indices {
            let (symbol, count) = (Int(entries[index] & 0xFFFF), Int(entries[index] >> 16))
            let step = min(symbol - last - 1, largeStep)
            let shortCount = min(count - 1, largeCount)
            bytes.setByte(UInt8(step << 3 | shortCount), at: place)
            place += 1
            if step == largeStep { writeLarge(symbol - last - 1, &bytes) }
            if shortCount == largeCount { writeLarge(count - 1, &bytes) }
            last = symbol
        }
    }

    /// Numbers the symbols that are used.
    private mutating func number() {
        used = UsedSymbols(totals)
        numbers = Array(repeating: 0, count: totals.counts.count)
        for number in used.symbols.indices { numbers[Int(used.symbols[number])] = UInt16(number) }
    }

    /// Where a block's list is in its row.
    @inline(__always)
    private func range(ofBlock block: Int) -> Range<Int> {
        (block % grid.columnCount > 0 ? Int(ends[block - 1]) : 0)..<Int(ends[block])
    }

    /// The entries that a block has at most.
    var largestEntryCount: Int { Self.entryCount(grid, totals.counts.count) }

    /// The entries of a block: number of a symbol below, count from bit 16 on.
    ///
    /// - Parameter buffer: has room for ``largestEntryCount``.
    @inline(__always)
    func withEntries<R>(ofBlock block: Int, in buffer: inout NumberBuffer<UInt32>, _ body: (Span<UInt32>) -> R) -> R {
        let count = rows[block / grid.columnCount].withBytes(range(ofBlock: block)) { bytes in
            numbers.withSpan { numbers in buffer.withMutableSpan { Self.read(bytes, numbers, to: &$0) } }
        }
        return buffer.withSpan { body($0.extracting(0..<count)) }
    }

    /// - Returns: how many entries there are.
    private static func read(_ bytes: RawSpan, _ numbers: Span<UInt16>, to entries: inout MutableSpan<UInt32>) -> Int {
        var (place, symbol, index) = (0, -1, 0)
        while place < bytes.byteCount {
            let byte = bytes.byte(at: place)
            var (step, count) = (Int(byte >> 3), UInt32(byte & 7))
            place &+= 1
            if step == largeStep {
                step = Int(bytes.byte(at: place)) | Int(bytes.byte(at: place &+ 1)) << 8
                place &+= 2
            }
            if count == largeCount {
                count = UInt32(bytes.byte(at: place)) | UInt32(bytes.byte(at: place &+ 1)) << 8
                place &+= 2
            }
            symbol &+= step &+ 1
            entries[index] = UInt32(numbers[symbol]) | (count &+ 1) &<< 16
            index &+= 1
        }
        return index
    }

    /// About how many entries a block has; 0 if it has none.
    func entryCount(ofBlock block: Int) -> Int { range(ofBlock: block).count }
}
