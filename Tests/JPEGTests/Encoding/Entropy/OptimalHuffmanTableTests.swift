import CodecTestSupport
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct OptimalHuffmanTableTests {
    /// Bits that all symbols together take.
    private func cost(_ weights: [UInt64], _ lengths: [Int]) -> UInt64 {
        zip(weights, lengths).reduce(0) { $0 + $1.0 * UInt64($1.1) }
    }

    /// The least cost of any prefix code within the limit, by trying all lengths.
    private func leastCost(_ weights: ArraySlice<UInt64>, longest: Int, room: Int) -> UInt64? {
        guard let weight = weights.first else { return 0 }
        var least: UInt64?
        for length in 1...longest {
            let taken = 1 << (longest - length)
            guard taken <= room,
                let rest = leastCost(weights.dropFirst(), longest: longest, room: room - taken)
            else { continue }
            least = min(least ?? .max, rest + weight * UInt64(length))
        }
        return least
    }

    @Test func lengthsAreTheBestWithinTheLimit() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<300 {
            let longest = Int.random(in: 3...5, using: &random)
            let count = Int.random(in: 2...6, using: &random)
            // Steep weights meet the limit, flat ones do not.
            let power = Int.random(in: 1...5, using: &random)
            let weights = (0..<count).map { _ in
                (0..<power).reduce(UInt64(1)) { product, _ in product * UInt64.random(in: 0...9, using: &random) }
            }.sorted()
            let lengths = OptimalHuffmanTable.lengths(of: weights, longest: longest)
            #expect(lengths.allSatisfy { (1...longest).contains($0) })
            #expect(lengths.reduce(0) { $0 + 1 << (longest - $1) } <= 1 << longest)
            let least = try #require(leastCost(weights[...], longest: longest, room: 1 << longest))
            #expect(cost(weights, lengths) == least)
        }
    }

    /// Without a limit, weights like these get codes of 29 bits.
    @Test func steepCountsGetCodesOfSixteenBits() {
        var counts = [Int](repeating: 0, count: 256)
        var (a, b) = (1, 1)
        for symbol in 0..<30 {
            counts[symbol * 8] = a
            (a, b) = (b, a + b)
        }
        let table = OptimalHuffmanTable.specification(of: counts)
        #expect(table.isPrefixCode)
        #expect(table.symbols.count == 30)
        #expect(table.counts[15] > 0)
        // The most frequent symbols have the shortest codes.
        let shortest = table.counts.first { $0 > 0 } ?? 0
        #expect(table.symbols[..<Int(shortest)].contains(29 * 8))
    }

    @Test func noCodeConsistsOfOnes() {
        var random = SeededRandom(seed: 4)
        for count in [1, 2, 3, 4, 7, 100, 256] {
            var counts = [Int](repeating: 0, count: 256)
            for symbol in (0..<256).shuffled(using: &random).prefix(count) {
                counts[symbol] = Int.random(in: 1...1000, using: &random)
            }
            let table = OptimalHuffmanTable.specification(of: counts)
            #expect(Set(table.symbols.map(Int.init)) == Set(counts.indices.filter { counts[$0] > 0 }))
            // Codes fill the tree but for one place, at least, on the lowest level in use.
            let used = table.counts.enumerated().reduce(0) { $0 + Int($1.element) << (15 - $1.offset) }
            let longest = table.counts.lastIndex { $0 > 0 } ?? 0
            #expect(used == 1 << 16 - 1 << (15 - longest))
        }
    }

    @Test func frequentSymbolsHaveShortCodes() {
        var counts = [Int](repeating: 0, count: 256)
        (counts[7], counts[200], counts[3], counts[0]) = (100, 40, 20, 20)
        let table = OptimalHuffmanTable.specification(of: counts)
        #expect(Array(table.counts[..<4]) == [1, 1, 1, 1])
        #expect(Array(table.symbols[..<2]) == [7, 200])
    }
}
