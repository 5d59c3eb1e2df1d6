// What symbols cost before there are codes for them, as the search for the cheapest way asks.

/// What symbols cost, in 1/64 of a bit, with one group of codes for all.
struct PixelPrices: Sendable {
    /// In the order of ``PixelSymbols``.
    private(set) var symbols: [UInt16]
    /// By length, 0...4096, with extra bits.
    private(set) var lengths: [UInt32]
    /// Of short distances, by distance, with extra bits.
    private(set) var near: [UInt32]
    /// By the prefix code of a distance's code, with extra bits.
    private(set) var far: [UInt32]
    let usesCache: Bool

    private static let bit: UInt16 = 64
    /// The most bits of a code.
    private static let longest: UInt64 = 15

    /// - Parameter isFirst: whether the totals have no copies: prices of lengths and distances are guesses then, and no pixel is taken
    ///   for very cheap, since most of the frequent ones will be in copies.
    init(_ totals: SymbolTotals, _ codes: DistanceCodes, isFirst: Bool = false) {
        usesCache = totals.cacheBits > 0
        symbols = Array(repeating: 12 * Self.bit, count: totals.counts.count)
        for ranges in PixelSymbols.ranges(cacheBits: totals.cacheBits) {
            var total: UInt32 = 0
            for range in ranges { for symbol in range { total += totals.counts[symbol] } }
            guard total > 0 else { continue }
            let whole = Entropy.log2(total)
            for range in ranges {
                for symbol in range {
                    let count = totals.counts[symbol]
                    // One that does not occur costs a place in the code too.
                    let bits = count > 0 ? whole - Entropy.log2(count) : whole + 2 << 16
                    symbols[symbol] = UInt16(min(bits >> 10, Self.longest << 6))
                }
            }
        }
        if isFirst {
            for symbol in PixelSymbols.green..<PixelSymbols.length {
                symbols[symbol] = max(symbols[symbol], Self.bit / 2)
            }
            for symbol in PixelSymbols.length..<PixelSymbols.red { symbols[symbol] = 3 * Self.bit }
            for symbol in PixelSymbols.distance..<PixelSymbols.cache { symbols[symbol] = 4 * Self.bit }
        }
        let symbols = symbols
        lengths = (0...BackwardReferences.longestLength).map { length in
            let prefix = PixelSymbols.prefix(max(1, length))
            return UInt32(symbols[PixelSymbols.length + prefix.symbol]) + UInt32(prefix.extraCount) * UInt32(Self.bit)
        }
        far = (0..<PrefixAlphabet.distanceCount).map { symbol in
            UInt32(symbols[PixelSymbols.distance + symbol]) + UInt32(max(0, symbol / 2 - 1)) * UInt32(Self.bit)
        }
        let far = far
        near = (0..<codes.nearCount).map { distance in
            far[PixelSymbols.prefix(codes.code(max(1, distance))).symbol]
        }
    }
}

/// What pixels cost in each of some groups of codes, in 1/64 of a bit.
struct GroupPrices: Sendable {
    let map: GroupMap
    let symbolCount: Int
    /// One group after the other, each in the order of ``PixelSymbols``.
    var symbols: [UInt16]
}
