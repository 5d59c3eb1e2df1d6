import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct HuffmanWindowKernelTests {
    private static let uses: [HuffmanTable.Use] = [.dc, .lossless, .sequentialAC, .progressiveAC, .symbols]

    /// 16 counts and the symbols of a random prefix code; the symbol 0 is in most of them.
    private func definition(_ random: inout SystemRandomNumberGenerator, largestSymbol: UInt8) -> [UInt8] {
        var counts: [UInt8] = []
        var left = 1
        for _ in 0..<16 {
            left = min(2 * left, 256)
            let count = Int.random(in: 0...min(left, 20), using: &random)
            counts.append(UInt8(count))
            left -= count
        }
        let symbolCount = counts.reduce(0) { $0 + Int($1) }
        let symbols = (0...largestSymbol).shuffled(using: &random)
        return counts + (0..<symbolCount).map { symbols[$0 % symbols.count] }
    }

    /// The code of the first symbol 0.
    private func endOfBlock(_ definition: [UInt8]) -> HuffmanTable.Code? {
        var (code, index) = (0, 16)
        for length in 1...16 {
            for _ in 0..<definition[length - 1] {
                if definition[index] == 0 { return HuffmanTable.Code(bits: code, length: length) }
                code += 1
                index += 1
            }
            code <<= 1
        }
        return nil
    }

    @Test(arguments: uses, [HuffmanTable.lookupBits, HuffmanTable.smallLookupBits, 12])
    func entriesAreThoseOfTheTwin(_ use: HuffmanTable.Use, lookupBits: Int) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let definition = definition(&random, largestSymbol: use == .dc ? 15 : use == .lossless ? 16 : 255)
            let end = use == .sequentialAC ? endOfBlock(definition) : nil
            // What is beside the look-up stays.
            var entries = [Int32](repeating: 77, count: 5000)
            var expected = entries
            definition.withSpan { definition in
                HuffmanWindowKernel.fill(
                    &entries, at: 300, lookupBits: lookupBits, definition: definition, use: use, end: end)
                HuffmanWindowKernelReference.fill(
                    &expected, at: 300, lookupBits: lookupBits, definition: definition, use: use, end: end)
            }
            #expect(entries == expected, "\(definition)")
        }
    }

    @Test(arguments: uses) func aTableWithoutCodesResolvesNothing(_ use: HuffmanTable.Use) {
        var entries = [Int32](repeating: 0, count: 1100)
        [UInt8](repeating: 0, count: 16).withSpan {
            HuffmanWindowKernel.fill(&entries, at: 0, lookupBits: 10, definition: $0, use: use, end: nil)
        }
        #expect(entries[..<1024].allSatisfy { $0 == HuffmanTable.Entry.unresolved })
        #expect(entries[1024...].allSatisfy { $0 == 0 })
    }
}
