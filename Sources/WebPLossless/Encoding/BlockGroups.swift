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
    private let symbolCount: Int
    private let codes: [[Range<Int>]]
    private var groupCount: Int
    /// The group of each block.
    private var groups: [UInt16]
    /// Symbols of each group, one group after the other.
    private var counts: NumberBuffer<UInt32>
    private var prices: NumberBuffer<Int32>
    private var costs: NumberBuffer<Int32>

    /// Bits that a group's codes take at least.
    private static let headerBitCount = 1000

    /// - Parameter bitCount: what the picture takes with one group.
    init(
        _ symbols: BlockSymbols, bitCount: Int, effort: Effort, meter: MemoryMeter?
    ) throws(ImageError) {
        self.symbols = symbols
        self.effort = effort
        symbolCount = symbols.symbolCount
        codes = PixelSymbols.ranges(cacheBits: symbols.cacheBits)
        groupCount = max(1, min(effort.groupCount, bitCount / Self.headerBitCount, symbols.grid.count))
        let paddedCount = Self.padded(groupCount)
        groups = Array(repeating: 0, count: symbols.grid.count)
        counts = try NumberBuffer(count: paddedCount * symbolCount, meter: meter)
        prices = try NumberBuffer(count: paddedCount * symbolCount, meter: meter)
        costs = try NumberBuffer(count: paddedCount, meter: meter)
    }

    /// The groups of the blocks; `nil` if one for all is best.
    mutating func grouped(_ work: inout WorkGuard) throws(ImageError) -> GroupMap? {
        guard groupCount > 1 else { return nil }
        try makeFirstGroups(&work)
        for _ in 0..<effort.roundCount { if try !improve(&work) { break } }
        try merge(&work)
        for _ in 0..<effort.roundCount { if try !improve(&work) { break } }
        return numbered()
    }

    // MARK: Groups

    /// Puts blocks together whose green, red and blue have about as much in them.
    private mutating func makeFirstGroups(_ work: inout WorkGuard) throws(ImageError) {
        var contents: [SIMD4<UInt64>] = []
        contents.reserveCapacity(groups.count)
        var (least, most) = (SIMD4(repeating: UInt64.max), SIMD4<UInt64>())
        for block in groups.indices {
            try work.spend(16 + 4 * symbols.entryCount(ofBlock: block))
            let bits = symbols.withEntries(ofBlock: block) { Self.content($0) }
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
    private static func content(_ entries: Span<UInt32>) -> SIMD4<UInt64> {
        var totals = SIMD4<UInt32>()
        var products = SIMD4<UInt64>()
        for index in entries.indices {
            let (symbol, count) = (Int(entries[index] & 0xFFFF), entries[index] >> 16)
            let code =
                switch symbol {
                case ..<PixelSymbols.red: 0
                case ..<PixelSymbols.blue: 1
                case ..<PixelSymbols.alpha: 2
                case ..<PixelSymbols.cache: 3
                default: 0
                }
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
            guard let second else { return Int(CodeCost.bits(a, a, codes, isSum: false)) }
            return Int(
                CodeCost.bits(
                    a, counts.extracting(second * symbolCount..<(second + 1) * symbolCount), codes, isSum: true))
        }
    }

    /// Counts the symbols of all groups.
    private mutating func count(_ work: inout WorkGuard) throws(ImageError) {
        try work.spend(groupCount * symbolCount / 4)
        counts.withMutableSpan { counts in for index in 0..<groupCount * symbolCount { counts[index] = 0 } }
        for block in groups.indices {
            try work.spend(16 + symbols.entryCount(ofBlock: block))
            let base = Int(groups[block]) * symbolCount
            symbols.withEntries(ofBlock: block) { entries in
                counts.withMutableSpan { counts in
                    for index in entries.indices {
                        let entry = entries[index]
                        counts[base + Int(entry & 0xFFFF)] += entry >> 16
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

    /// Sets the prices of the symbols in each group.
    private mutating func setPrices() {
        let (paddedCount, groupCount, symbolCount) = (paddedCount, groupCount, symbolCount)
        let codes = codes
        prices.withMutableSpan { prices in
            counts.withSpan { counts in
                for group in 0..<groupCount {
                    let base = group * symbolCount
                    for ranges in codes {
                        var (total, alphabet): (UInt32, UInt32) = (0, 0)
                        for range in ranges {
                            for symbol in range { total += counts[base + symbol] }
                            alphabet += UInt32(range.count)
                        }
                        // As if each symbol occurred a little more often; of very many that is nothing.
                        let scale = total < 1 << 26 ? Self.priceScale : 1
                        let whole = Entropy.log2(scale * total + alphabet)
                        for range in ranges {
                            for symbol in range {
                                let bits = whole - Entropy.log2(scale * counts[base + symbol] + 1)
                                let price = Float(bits) / 65_536
                                prices[symbol * paddedCount + group] = Int32(bitPattern: price.bitPattern)
                            }
                        }
                    }
                }
            }
        }
    }

    private mutating func findCosts(ofBlock block: Int) {
        let paddedCount = paddedCount
        symbols.withEntries(ofBlock: block) { entries in
            prices.withSpan { prices in
                costs.withMutableSpan { costs in
                    GroupCostKernel.costs(
                        entries, prices.extracting(0..<paddedCount * symbolCount), groupCount: paddedCount, to: &costs)
                }
            }
        }
    }

    /// What symbols cost in the groups of a map that ``grouped(_:)`` has made.
    mutating func prices(of map: GroupMap) -> GroupPrices {
        setPrices()
        var result = GroupPrices(
            map: map, symbolCount: symbolCount, symbols: Array(repeating: 0, count: map.groupCount * symbolCount))
        var isKnown = [Bool](repeating: false, count: map.groupCount)
        let paddedCount = paddedCount
        prices.withSpan { prices in
            for block in groups.indices where !isKnown[Int(map.groups[block])] {
                let (number, group) = (Int(map.groups[block]), Int(groups[block]))
                isKnown[number] = true
                for symbol in 0..<symbolCount {
                    let price = Float(bitPattern: UInt32(bitPattern: prices[symbol * paddedCount + group]))
                    result.symbols[number * symbolCount + symbol] = UInt16(min(15, price) * 64)
                }
            }
        }
        return result
    }

    /// The groups that have blocks, in the order in which they come up.
    private func numbered() -> GroupMap? {
        var numbers = [Int](repeating: -1, count: groupCount)
        var used = 0
        var result = groups
        for block in groups.indices {
            let group = Int(groups[block])
            if numbers[group] < 0 {
                numbers[group] = used
                used += 1
            }
            result[block] = UInt16(numbers[group])
        }
        return used > 1 ? GroupMap(grid: symbols.grid, groups: result, groupCount: used) : nil
    }
}
