import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

/// Entries of the look-up against codes that are read one after another.
@Suite struct PassingLookUpTests {
    /// What the whole codes of a window take: read bit by bit, each code looked for in the order of T.81 §C.2.
    private func expected(_ window: Int, _ table: HuffmanSpecification) -> (bits: Int, places: Int, isEnd: Bool) {
        let bits = (0..<PassingLookUp.bits).map { window >> (PassingLookUp.bits - 1 - $0) & 1 }
        var (used, places) = (0, 0)
        while let (symbol, length) = symbol(bits.dropFirst(used), table) {
            let size = Int(symbol & 15)
            if symbol & 15 == 0 && symbol != 0xF0 { return (used + length, places, true) }
            let run = Int(symbol >> 4)
            if places + run + 1 > 62 || used + length + size > 22 { break }
            places += run + 1
            used += length + size
        }
        return (used, places, false)
    }

    private func symbol(_ bits: ArraySlice<Int>, _ table: HuffmanSpecification) -> (symbol: UInt8, length: Int)? {
        var (first, index, code) = (0, 0, 0)
        for (offset, bit) in bits.enumerated() {
            code = code << 1 | bit
            first <<= 1
            let count = Int(table.counts[offset])
            if code < first + count { return (table.symbols[index + code - first], offset + 1) }
            first += count
            index += count
        }
        return nil
    }

    private func expectEntries(_ table: HuffmanSpecification) throws {
        var entries = try HuffmanTable(table, use: .sequentialAC, offset: 0).entries
        let start = entries.count
        PassingLookUp.append(forTableAt: 0, to: &entries)
        #expect(entries.count == start + PassingLookUp.count)
        for window in 0..<PassingLookUp.count {
            let entry = entries[start + window]
            let (bits, places, isEnd) = expected(window, table)
            guard bits > 0 else {
                #expect(entry == PassingLookUp.Entry.unresolved, "window \(window)")
                continue
            }
            #expect(Int(entry & 63) == bits && Int(entry >> 8) == places, "window \(window)")
            #expect((entry & PassingLookUp.Entry.end != 0) == isEnd, "window \(window)")
            #expect(entry & PassingLookUp.Entry.unresolved == 0, "window \(window)")
        }
    }

    @Test(arguments: 0..<2) func entriesTakeTheWholeCodesOfAWindow(_ table: Int) throws {
        try expectEntries(StandardTables.ac[table])
    }

    /// Tables as files may have them: any symbol, codes of any length, of which not all are used.
    @Test func randomTablesHaveSuchEntriesToo() throws {
        var random = SeededRandom(seed: 9)
        for _ in 0..<40 {
            var counts = [UInt8](repeating: 0, count: 16)
            var free = 1
            for length in 0..<16 {
                free = min(free * 2, 1 << 20)
                let count = Int.random(in: 0...min(free, length < 8 ? 3 : 12), using: &random)
                counts[length] = UInt8(count)
                free -= count
            }
            let symbols = (0..<counts.reduce(0) { $0 + Int($1) }).map { _ in UInt8.random(in: 0...255, using: &random) }
            try expectEntries(HuffmanSpecification(counts: counts, symbols: symbols))
        }
    }
}
