import Testing

@testable import DeflateCodec

struct DeflatePricesTests {
    /// Prices after many, few and no symbols of each kind.
    private static let prices: [DeflatePrices] = [
        DeflatePrices(bytes: (0..<256).map { UInt32($0) }, lengthBits: 7, distanceBits: 5),
        DeflatePrices(counts: Array(repeating: 0, count: DeflateCounts.count)),
        DeflatePrices(counts: (0..<DeflateCounts.count).map { UInt32($0 * $0 % 1009) }),
        DeflatePrices(counts: (0..<DeflateCounts.count).map { $0 < 290 ? 1000 : $0 == 300 ? 60_000 : 1 }),
    ]

    @Test(arguments: 0..<4)
    func threeBytesOutOfReachSaveNothing(_ number: Int) {
        let prices = Self.prices[number].prices
        for literals in UInt32(0)...3 * 15 << UInt32(DeflatePrices.scaleBits) {
            let reach = Int(prices[DeflatePrices.reaches + DeflatePrices.reachIndex(literals)])
            #expect((0...DeflateSymbols.windowByteCount).contains(reach))
            for slot in 0..<DeflateSymbols.distanceCount {
                let match = prices[DeflatePrices.lengths] + prices[DeflatePrices.distances + slot]
                // As three literals cost up to a quarter of a bit more than the index says, a place may be in reach and save nothing.
                if match < literals { #expect(DeflateSymbols.farthestDistance(slot) <= reach) }
            }
        }
    }

    @Test func theFarthestDistanceOfASymbolIsFollowedByTheNextSymbol() {
        for slot in 0..<DeflateSymbols.distanceCount {
            let farthest = DeflateSymbols.farthestDistance(slot)
            #expect(DeflateSymbols.distanceSlot(farthest) == slot)
            if slot + 1 < DeflateSymbols.distanceCount {
                #expect(DeflateSymbols.distanceSlot(farthest + 1) == slot + 1)
            } else {
                #expect(farthest == DeflateSymbols.windowByteCount)
            }
        }
    }
}
