import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct HuffmanTableTests {
    /// A code of T.81 §C.2: symbols in the order of their codes, read bit by bit as in figure F.16.
    private func decodeSlowly(_ bits: [Int], _ specification: HuffmanSpecification) -> (symbol: Int, length: Int)? {
        var code = 0
        var first = 0
        var index = 0
        for length in 1...16 {
            code = code << 1 | bits[length - 1]
            let count = Int(specification.counts[length - 1])
            if code - first < count { return (Int(specification.symbols[index + code - first]), length) }
            index += count
            first = (first + count) << 1
        }
        return nil
    }

    @Test(arguments: StandardTables.dc + StandardTables.ac, [HuffmanTable.lookupBits, HuffmanTable.smallLookupBits])
    func everyWindowAgreesWithTheFlowChart(_ specification: HuffmanSpecification, lookupBits: Int) throws {
        let isDC = specification.symbols.count == 12
        let table = try HuffmanTable(
            specification, use: isDC ? .dc : .sequentialAC, offset: 0, lookupBits: lookupBits)
        #expect(table.entries.count == 292 + 1 << lookupBits)
        for window in 0..<1 << 16 {
            let bits = (0..<16).map { window >> (15 - $0) & 1 }
            let entry = Int(table.entries[HuffmanTable.lookup + window >> (16 - lookupBits)])
            guard let expected = decodeSlowly(bits, specification) else {
                #expect(entry & 0xBF == 0x80)
                continue
            }
            let size = expected.symbol & 15
            let isResolved = entry & 0x80 == 0
            #expect(isResolved == (expected.length + size <= lookupBits && expected.length <= lookupBits))
            guard isResolved else {
                if expected.length <= lookupBits {
                    #expect(entry & 63 == expected.length && entry >> 8 & 255 == expected.symbol)
                } else {
                    #expect(entry & 63 == 0)
                }
                continue
            }
            if !isDC, expected.symbol == 0 {
                #expect(entry & 0x40 != 0 && entry & 63 == expected.length && entry >> 8 & 255 == 192)
                continue
            }
            let raw = size == 0 ? 0 : window >> (16 - expected.length - size) & ((1 << size) - 1)
            let value = size == 0 || raw >> (size - 1) == 1 ? raw : raw - (1 << size) + 1
            let advance = (isDC ? 0 : expected.symbol >> 4) + 1
            #expect(entry >> 16 == value)
            #expect(entry >> 8 & 127 == advance)
            let used = expected.length + size
            if entry >> 8 & 128 != 0 {
                // The end of the block follows in the same window.
                let next = decodeSlowly(Array(bits[used...]) + Array(repeating: 1, count: used), specification)
                #expect(
                    size > 0 && next?.symbol == 0 && entry & 63 == used + (next?.length ?? 0)
                        && entry & 63 <= lookupBits)
            } else {
                #expect(entry & 63 == used)
            }
        }
    }

    @Test func tooManyCodesOfALengthAreRefused() {
        let three = HuffmanSpecification(
            counts: [3] + Array(repeating: 0, count: 15), symbols: [0, 1, 2])
        #expect(throws: ImageError.self) { try HuffmanTable(three, use: .sequentialAC, offset: 0) }
    }

    @Test func aDifferenceOfSixteenBitsIsRefused() {
        let table = HuffmanSpecification(counts: [1] + Array(repeating: 0, count: 15), symbols: [16])
        #expect(throws: ImageError.self) { try HuffmanTable(table, use: .dc, offset: 0) }
    }
}
