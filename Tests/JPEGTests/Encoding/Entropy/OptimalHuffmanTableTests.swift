import CodecTestSupport
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct OptimalHuffmanTableTests {
    /// The least cost of any prefix code within the limit, by trying all lengths.
    private func leastCost(_ weights: ArraySlice<UInt32>, longest: Int, room: Int) -> Int? {
        guard let weight = weights.first else { return 0 }
        var least: Int?
        for length in 1...longest {
            let taken = 1 << (longest - length)
            guard taken <= room,
                let rest = leastCost(weights.dropFirst(), longest: longest, room: room - taken)
            else { continue }
            least = min(least ?? .max, rest + Int(weight) * length)
        }
        return least
    }

    /// Bits that all symbols together take.
    private func cost(_ table: HuffmanSpecification, _ counts: [UInt32]) -> Int {
        let lengths = table.counts.enumerated().flatMap { repeatElement($0.offset + 1, count: Int($0.element)) }
        return zip(lengths, table.symbols).reduce(0) { $0 + $1.0 * Int(counts[Int($1.1)]) }
    }

    /// Few symbols never meet the limit of 16 bits: longer codes than one less than their number are of no use.
    @Test func tablesTakeTheFewestBitsWithOneCodeLeftToNobody() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let power = Int.random(in: 1...5, using: &random)
            let weights = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (0..<power).reduce(UInt32(1)) { product, _ in product * UInt32.random(in: 1...9, using: &random) }
            }
            var counts = [UInt32](repeating: 0, count: 256)
            for (place, symbol) in (0..<256).shuffled(using: &random).prefix(weights.count).enumerated() {
                counts[symbol] = weights[place]
            }
            let least = try #require(leastCost(([0] + weights)[...], longest: 6, room: 1 << 6))
            #expect(cost(OptimalHuffmanTable.specification(of: counts), counts) == least)
        }
    }

    /// Without a limit, weights like these get codes of 29 bits.
    @Test func steepCountsGetCodesOfSixteenBits() {
        var counts = [UInt32](repeating: 0, count: 256)
        var (a, b) = (UInt32(1), UInt32(1))
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
            var counts = [UInt32](repeating: 0, count: 256)
            for symbol in (0..<256).shuffled(using: &random).prefix(count) {
                counts[symbol] = UInt32.random(in: 1...1000, using: &random)
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
        var counts = [UInt32](repeating: 0, count: 256)
        (counts[7], counts[200], counts[3], counts[0]) = (100, 40, 20, 20)
        let table = OptimalHuffmanTable.specification(of: counts)
        #expect(Array(table.counts[..<4]) == [1, 1, 1, 1])
        #expect(Array(table.symbols[..<2]) == [7, 200])
    }
}
