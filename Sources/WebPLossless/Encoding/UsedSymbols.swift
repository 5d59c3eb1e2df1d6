// Most symbols do not occur in a picture: tables that have many groups of codes leave them out.

import ImageCodecsCore

/// Symbols that occur in a picture, numbered: one code after the other, each in the order of its alphabet.
struct UsedSymbols: Sendable {
    /// The symbols by their numbers, as in ``PixelSymbols``.
    private(set) var symbols: [UInt16] = []
    /// The numbers of each code's symbols.
    private(set) var codes: [Range<Int>] = []
    /// For each number, whether symbols that are left out come before it in its code.
    private(set) var followsGap: [Bool] = []
    /// For each code, whether symbols that are left out are its last.
    private(set) var endsInGap: [Bool] = []

    init(_ totals: SymbolTotals) {
        for ranges in PixelSymbols.ranges(cacheBits: totals.cacheBits) {
            let start = symbols.count
            var isGap = false
            for range in ranges {
                for symbol in range {
                    if totals.counts[symbol] > 0 {
                        symbols.append(UInt16(symbol))
                        followsGap.append(isGap)
                    }
                    isGap = totals.counts[symbol] == 0
                }
            }
            codes.append(start..<symbols.count)
            endsInGap.append(isGap)
        }
    }

    var count: Int { symbols.count }
}
