// Which blocks of a picture share prefix codes: blocks whose symbols are alike.
//
//   blocks by how many bits their green, red and blue have ──▶ first groups
//   each block to the group it costs least in, again and again ──▶ groups merged as long as that saves ──▶ once again

import ImageCodecsCore

/// Groups the blocks of a picture.
struct BlockGroups: Sendable {
    /// How much is tried.
    struct Effort: Hashable, Sendable {
        /// Groups at first, at most.
        var groupCount: Int
        /// How often blocks may change their group before groups are merged, and after.
        var roundCount: Int
    }

    private let symbols: BlockSymbols
    private let effort: Effort
    private let meter: MemoryMeter?
    private let used: UsedSymbols
    private let symbolCount: Int
    /// How many symbols the alphabet of each code has.
    private let alphabets: [UInt32]
    private var groupCount: Int
    /// The group of each block.
    private var groups: [UInt16]
    /// Symbols of each group, one group after the other.
    private var counts: NumberBuffer<UInt32>
    private var prices: NumberBuffer<Int32>
    private var costs: NumberBuffer<Int32>
    /// Entries of one block.
    private var entries: NumberBuffer<UInt32>

    /// Bits that a group's codes take at least.
    private static let headerBitCount = 1000

    /// Bytes held at most, those of the map that is made included: of each group counts and prices, or counts twice; of each block its
    /// group and how much is in it.
    static func byteCount(_ grid: BlockGrid, _ groupCount: Int, symbolCount: Int) -> Int {
        8 * padded(min(groupCount, grid.count)) * symbolCount + 40 * grid.count
    }

    init(_ symbols: BlockSymbols, _ effort: Effort, meter: MemoryMeter?) throws(ImageError) {
        self.meter = meter
        self.symbols = symbols
        self.effort = effort
        used = symbols.used
        symbolCount = used.count
        alphabets = PixelSymbols.ranges(cacheBits: symbols.totals.cacheBits).map { code in
            UInt32(code.reduce(0) { $0 + $1.count })
        }
        groupCount = max(1, min(effort.groupCount, symbols.totals.bitCount / Self.headerBitCount, symbols.grid.count))
        let paddedCount = Self.padded(groupCount)
        groups = Array(repeating: 0, count: symbols.grid.count)
        counts = try NumberBuffer(count: paddedCount * symbolCount, meter: meter)
        prices = try NumberBuffer(count: paddedCount * symbolCount, meter: meter)
        costs = try NumberBuffer(count: paddedCount, meter: meter)
        entries = try NumberBuffer(count: symbols.largestEntryCount, meter: meter)
    }

    /// The groups of the blocks.
    mutating func grouped(_ work: inout WorkGuard) throws(ImageError) -> GroupMap {
        guard groupCount > 1 else { return try GroupMap(symbols.totals, symbols.grid.size, meter: meter) }
        try makeFirstGroups(&work)
        for _ in 0..<effort.roundCount { if try !improve(&work) { break } }
        try merge(&work)
        for _ in 0..<effort.roundCount { if try !improve(&work) { break } }
        return try numbered()
    }

    // MARK: Groups

    /// Puts blocks together whose green, red and blue have about as much in them.
    private mutating func makeFirstGroups(_ work: inout WorkGuard) throws(ImageError) {
        var contents: [SIMD4<UInt64>] = []
        contents.reserveCapacity(groups.count)
        let ends = SIMD4(used.codes[0].upperBound, used.codes[1].upperBound, used.codes[2].upperBound, 0)
        var (least, most) = (SIMD4(repeating: UInt64.max), SIMD4<UInt64>())
        for block in groups.indices {
            try work.spend(16 + 4 * symbols.entryCount(ofBlock: block))
            let bits = symbols.withEntries(ofBlock: block, in: &entries) { Self.content($0, ends) }
            contents.append(bits)
            for code in 0..<3 {
                least[code] = min(least[code], bits[code])
                most[code] = max(most[code], bits[code])
            }
        }
        // Green has most of a picture's content: as many levels as there may be.
        let others = groupCount >= 64 ? 4 : groupCount >= 16 ? 2 : 1
        let greens = max(1, groupCount / (others * others))
        let levels = SIMD4(UInt64(greens), UInt64(others), UInt64(others), 1)
        var numbers = [Int](repeating: -1, count: greens * others * others)
        groupCount = 0
        for block in groups.indices {
            var place = 0
            for code in 0..<3 {
                let range = most[code] - least[code] + 1
                let level = (contents[block][code] - least[code]) * levels[code] / range
                place = place * Int(levels[code]) + Int(level)
            }
            if numbers[place] < 0 {
                numbers[place] = groupCount
                groupCount += 1
            }
            groups[block] = UInt16(numbers[place])
        }
        try count(&work)
    }

    /// Bits of a block's green, red and blue if it had codes of its own, in 1/65,536.
    ///
    /// - Parameter ends: the first numbers of symbols after those three.
    private static func content(_ entries: Span<UInt32>, _ ends: SIMD4<Int>) -> SIMD4<UInt64> {
        var totals = SIMD4<UInt32>()
        var products = SIMD4<UInt64>()
        for index in entries.indices {
            let (symbol, count) = (Int(entries[index] & 0xFFFF), entries[index] >> 16)
            let code = symbol < ends[0] ? 0 : symbol < ends[1] ? 1 : symbol < ends[2] ? 2 : 3
            totals[code] += count
            products[code] += Entropy.product(count)
        }
        var bits = SIMD4<UInt64>()
        for code in 0..<3 {
            bits[code] = Entropy.product(totals[code]) - min(products[code], Entropy.product(totals[code]))
        }
        return bits
    }

    /// Moves each block to the group in which it costs least.
    ///
    /// - Returns: whether a block moved.
    private mutating func improve(_ work: inout WorkGuard) throws(ImageError) -> Bool {
        guard groupCount > 1 else { return false }
        setPrices()
        var hasMoved = false
        let columnCount = symbols.grid.columnCount
        for block in groups.indices {
            let entryCount = symbols.entryCount(ofBlock: block)
            try work.spend(16 + entryCount * groupCount / 4)
            if entryCount == 0 {
                if block > 0 { groups[block] = groups[block - 1] }
                continue
            }
            findCosts(ofBlock: block)
            let left = block % columnCount > 0 ? Int(groups[block - 1]) : -1
            let above = block >= columnCount ? Int(groups[block - columnCount]) : -1
            let best = costs.withSpan { costs in
                var best = (group: 0, cost: Float.infinity)
                for group in 0..<groupCount {
                    var cost = Float(bitPattern: UInt32(bitPattern: costs[group]))
                    if group == left { cost -= Self.likeNeighbour }
                    if group == above { cost -= Self.likeNeighbour }
                    if cost < best.cost { best = (group, cost) }
                }
                return best.group
            }
            if Int(groups[block]) != best {
                groups[block] = UInt16(best)
                hasMoved = true
            }
        }
        try count(&work)
        return hasMoved
    }

    /// Bits saved in the entropy image if a block's group is that of a neighbour.
    private static let likeNeighbour: Float = 1.5

    /// Merges those two groups of which that saves most, as long as it does.
    private mutating func merge(_ work: inout WorkGuard) throws(ImageError) {
        var own = (0..<groupCount).map { cost(of: $0, and: nil) }
        var gains = [Int](repeating: .min, count: groupCount * groupCount)
        for first in 0..<groupCount {
            try work.spend(groupCount * symbolCount)
            for second in first + 1..<max(first + 1, groupCount) {
                gains[first * groupCount + second] = own[first] + own[second] - cost(of: first, and: second)
            }
        }
        var isUsed = [Bool](repeating: true, count: groupCount)
        while true {
            var best = (gain: 0, first: 0, second: 0)
            for first in 0..<groupCount where isUsed[first] {
                for second in first + 1..<max(first + 1, groupCount) where isUsed[second] {
                    let gain = gains[first * groupCount + second]
                    if gain > best.gain { best = (gain, first, second) }
                }
            }
            guard best.gain > 0 else { break }
            try work.spend(groupCount * symbolCount)
            isUsed[best.second] = false
            let (target, source) = (best.first * symbolCount, best.second * symbolCount)
            counts.withMutableSpan { counts in
                for symbol in 0..<symbolCount { counts[target + symbol] += counts[source + symbol] }
            }
            for block in groups.indices where groups[block] == best.second { groups[block] = UInt16(best.first) }
            own[best.first] = cost(of: best.first, and: nil)
            for other in 0..<groupCount where isUsed[other] && other != best.first {
                let (low, high) = (min(other, best.first), max(other, best.first))
                gains[low * groupCount + high] = own[low] + own[high] - cost(of: low, and: high)
            }
        }
        // Numbers without gaps.
        var numbers: [Int: UInt16] = [:]
        for group in 0..<groupCount where isUsed[group] { numbers[group] = UInt16(numbers.count) }
        for block in groups.indices { groups[block] = numbers[Int(groups[block])] ?? 0 }
        groupCount = numbers.count
        try count(&work)
    }

    /// Bits, in 1/65,536, of the symbols and the codes of a group, or of two together.
    private func cost(of first: Int, and second: Int?) -> Int {
        counts.withSpan { counts in
            let a = counts.extracting(first * symbolCount..<(first + 1) * symbolCount)
            guard let second else { return Int(CodeCost.bits(a, a, used, isSum: false)) }
            return Int(
                CodeCost.bits(
                    a, counts.extracting(second * symbolCount..<(second + 1) * symbolCount), used, isSum: true))
        }
    }

    /// Counts the symbols of all groups.
    private mutating func count(_ work: inout WorkGuard) throws(ImageError) {
        let (symbols, groups, symbolCount) = (symbols, groups, symbolCount)
        let used = groupCount * symbolCount
        try work.spend(used / 4)
        counts.withMutableSpan { counts in for index in 0..<used { counts[index] = 0 } }
        for row in 0..<symbols.grid.rowCount {
            let blocks = row * symbols.grid.columnCount..<(row + 1) * symbols.grid.columnCount
            try work.spend(blocks.reduce(0) { $0 + 16 + symbols.entryCount(ofBlock: $1) })
            counts.withMutableSpan { counts in
                for block in blocks {
                    let base = Int(groups[block]) * symbolCount
                    symbols.withEntries(ofBlock: block, in: &entries) { entries in
                        for index in entries.indices {
                            counts[base + Int(entries[index] & 0xFFFF)] += entries[index] >> 16
                        }
                    }
                }
            }
        }
    }

    /// Symbols are taken to occur by one of this many times more often than they do.
    private static let priceScale: UInt32 = 32

    /// A number of groups as the kernel wants it.
    private static func padded(_ groupCount: Int) -> Int {
        (groupCount + GroupCostKernel.width - 1) / GroupCostKernel.width * GroupCostKernel.width
    }

    private var paddedCount: Int { Self.padded(groupCount) }

    /// The price of a symbol that occurs `count` times in a code with this total, in 1/65,536 of a bit.
    private static func price(_ count: UInt32, _ total: CodeTotal) -> UInt64 {
        total.bits - Entropy.log2(total.scale * count + 1)
    }

    /// What prices of a code are made from: by how much counts are multiplied, and the logarithm of their sum.
    private struct CodeTotal {
        let scale: UInt32
        let bits: UInt64
    }

    /// The sum of a code of a group.
    private func total(_ code: Int, _ group: Int) -> CodeTotal {
        let base = group * symbolCount
        let total = counts.withSpan { counts in used.codes[code].reduce(0) { $0 + counts[base + $1] } }
        // As if each symbol occurred a little more often; of very many that is nothing.
        let scale = total < 1 << 26 ? Self.priceScale : 1
        return CodeTotal(scale: scale, bits: Entropy.log2(scale * total + alphabets[code]))
    }

    /// Sets the prices of the symbols in each group.
    private mutating func setPrices() {
        let (paddedCount, symbolCount) = (paddedCount, symbolCount)
        for group in 0..<groupCount {
            for (code, range) in zip(0..., used.codes) {
                let total = total(code, group)
                counts.withSpan { counts in
                    prices.withMutableSpan { prices in
                        for symbol in range {
                            let price = Float(Self.price(counts[group * symbolCount + symbol], total)) / 65_536
                            prices[symbol * paddedCount + group] = Int32(bitPattern: price.bitPattern)
                        }
                    }
                }
            }
        }
    }

    private mutating func findCosts(ofBlock block: Int) {
        let paddedCount = paddedCount
        symbols.withEntries(ofBlock: block, in: &entries) { entries in
            prices.withSpan { prices in
                costs.withMutableSpan { costs in
                    GroupCostKernel.costs(
                        entries, prices.extracting(0..<paddedCount * symbolCount), groupCount: paddedCount, to: &costs)
                }
            }
        }
    }

    /// What symbols cost in the groups of a map that ``grouped(_:)`` has made.
    func prices(of map: GroupMap) -> GroupPrices {
        let allCount = symbols.totals.counts.count
        var result = GroupPrices(
            map: map, symbolCount: allCount, symbols: Array(repeating: 0, count: map.groupCount * allCount))
        var isKnown = [Bool](repeating: false, count: map.groupCount)
        let codes = PixelSymbols.ranges(cacheBits: symbols.totals.cacheBits)
        func price(_ count: UInt32, _ total: CodeTotal) -> UInt16 {
            UInt16(min(15 << 6, Self.price(count, total) >> 10))
        }
        for block in groups.indices where !isKnown[Int(map.groups[block])] {
            let (number, group) = (Int(map.groups[block]), Int(groups[block]))
            isKnown[number] = true
            for code in codes.indices {
                let total = total(code, group)
                for symbol in codes[code].joined() { result.symbols[number * allCount + symbol] = price(0, total) }
                counts.withSpan { counts in
                    for symbol in used.codes[code] {
                        result.symbols[number * allCount + Int(used.symbols[symbol])] = price(
                            counts[group * symbolCount + symbol], total)
                    }
                }
            }
        }
        return result
    }

    /// The groups that have blocks, in the order in which they come up.
    private mutating func numbered() throws(ImageError) -> GroupMap {
        _ = prices.handedOver()
        var numbers = [Int](repeating: -1, count: groupCount)
        var order: [Int] = []
        var result = groups
        for block in groups.indices {
            let group = Int(groups[block])
            if numbers[group] < 0 {
                numbers[group] = order.count
                order.append(group)
            }
            result[block] = UInt16(numbers[group])
        }
        guard order.count > 1 else { return try GroupMap(symbols.totals, symbols.grid.size, meter: meter) }
        let allCount = symbols.totals.counts.count
        var ordered = try NumberBuffer<UInt32>(count: order.count * allCount, meter: meter)
        ordered.withMutableSpan { ordered in
            counts.withSpan { counts in
                for number in order.indices {
                    for symbol in 0..<symbolCount {
                        ordered[number * allCount + Int(used.symbols[symbol])] =
                            counts[order[number] * symbolCount + symbol]
                    }
                }
            }
        }
        return GroupMap(grid: symbols.grid, groups: result, groupCount: order.count, counts: ordered)
    }
}
