import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// Tables of prefix codes against codes that are counted up by the book.
@Suite struct PrefixTableKernelTests {
    /// A table, and its symbols looked up.
    private struct Table {
        let built: BuiltPrefixTable
        let entries: [Int]

        /// The symbol that `bits` begin with, the first one lowest, and how many it takes.
        func symbol(_ bits: Int) -> (symbol: Int, count: Int) {
            var entry = entries[bits & (1 << built.rootBits - 1)]
            guard entry & 15 > 8 else { return (entry >> 4, entry & 15) }
            entry = entries[entry >> 4 + bits >> built.rootBits & (1 << (entry & 15 - 8) - 1)]
            return (entry >> 4, built.rootBits + entry & 15)
        }
    }

    private func build(_ lengths: [UInt8], rootLimit: Int = 8) throws -> Table {
        var workspace = [UInt16](repeating: 0, count: PrefixTableKernel.workspaceCount)
        var span = workspace.mutableSpan
        let built = try PrefixTableKernel.build(lengths.span, workspace: &span, rootLimit: rootLimit).get()
        var plain = [UInt16](repeating: 0, count: PrefixTableKernel.workspaceCount)
        var plainSpan = plain.mutableSpan
        let twin = try PrefixTableKernelReference.build(lengths.span, workspace: &plainSpan, rootLimit: rootLimit).get()
        #expect(built == twin)
        let range = PrefixTableKernel.tableStart..<PrefixTableKernel.tableStart + built.entryCount
        #expect(workspace[range] == plain[range])
        let entries = workspace[PrefixTableKernel.tableStart...].prefix(built.entryCount).map { Int($0) }
        return Table(built: built, entries: entries)
    }

    private func expectTheReference(
        _ lengths: [UInt8], _ random: inout SeededRandom, rootLimit: Int = 8
    ) throws {
        let table = try build(lengths, rootLimit: rootLimit)
        let reference = try PrefixCodeReference(lengths)
        for _ in 0..<200 {
            let bits = Int(random.next() >> 40)
            var taken = 0
            let symbol = reference.symbol {
                defer { taken += 1 }
                return bits >> taken & 1
            }
            let found = table.symbol(bits)
            #expect(found.symbol == symbol && found.count == taken)
        }
    }

    @Test(arguments: [2, 19, 40, 256, 280, 2328])
    func tablesEqualTheReference(_ alphabet: Int) throws {
        var random = SeededRandom(seed: UInt64(alphabet))
        for _ in 0..<40 {
            // A complete code: leaves that are split until there are enough.
            var leaves: [UInt8] = [0]
            let count = Int.random(in: 2...alphabet, using: &random)
            while leaves.count < count {
                let isLast = Bool.random(using: &random)
                let place = isLast ? leaves.count - 1 : Int.random(in: 0..<leaves.count, using: &random)
                guard leaves[place] < 15 else { continue }
                leaves[place] += 1
                leaves.append(leaves[place])
            }
            let lengths = (leaves + [UInt8](repeating: 0, count: alphabet - count)).shuffled(using: &random)
            try expectTheReference(lengths, &random)
            try expectTheReference(lengths, &random, rootLimit: Int.random(in: 1...8, using: &random))
        }
    }

    @Test func theLongestCodesHaveSubTables() throws {
        var random = SeededRandom(seed: 1)
        try expectTheReference([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15], &random)
        try expectTheReference([UInt8](repeating: 9, count: 512), &random)
        try expectTheReference([UInt8](repeating: 11, count: 2048), &random)
    }

    @Test func sparseCodesHaveSmallRoots() throws {
        let lengths = [UInt8](repeating: 4, count: 15) + [UInt8](repeating: 8, count: 16)
        #expect(try build(lengths).built.entryCount == 256)
        #expect(try build(lengths, rootLimit: 4).built.entryCount == 32)
        // What is left of the longest code has to fit a sub-table.
        #expect(try build([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15], rootLimit: 1).built.rootBits == 8)
    }

    @Test func flatCodesAreThoseOfTheFirstSymbols() throws {
        #expect(try build([3, 3, 3, 3, 3, 3, 3, 3]).built.isFlat)
        #expect(try build([3, 3, 3, 3, 3, 3, 3, 3, 0, 0]).built.isFlat)
        #expect(try !build([0, 3, 3, 3, 3, 3, 3, 3, 3]).built.isFlat)
        #expect(try !build([1, 2, 2]).built.isFlat)
        #expect(try !build([3, 0]).built.isFlat)
    }

    @Test(arguments: 1...15)
    func oneSymbolTakesNoBitsWhateverItsLength(_ length: UInt8) throws {
        var lengths = [UInt8](repeating: 0, count: 280)
        lengths[77] = length
        let table = try build(lengths)
        #expect(table.built == BuiltPrefixTable.ofOneSymbol)
        #expect(table.symbol(12345) == (77, 0))
    }

    @Test(arguments: [[], [0, 0, 0], [2, 2, 2], [1, 2], [15, 15], [3, 3, 3, 3, 3, 3, 3]] as [[UInt8]])
    func incompleteCodesAreRefused(_ lengths: [UInt8]) {
        #expect(throws: PrefixTableError(problem: .incomplete)) { try build(lengths) }
        #expect(throws: PrefixCodeError(problem: .incomplete)) { try PrefixCodeReference(lengths) }
    }

    @Test(arguments: [[1, 1, 1], [1, 1, 15], [2, 2, 2, 2, 2], [1, 2, 2, 2]] as [[UInt8]])
    func overfullCodesAreRefused(_ lengths: [UInt8]) {
        #expect(throws: PrefixTableError(problem: .overfull)) { try build(lengths) }
        #expect(throws: PrefixCodeError(problem: .overfull)) { try PrefixCodeReference(lengths) }
    }

    /// A simple code is one whose symbols, as far as the alphabet has them, have lengths of 1.
    @Test(arguments: [40, 256, 2328])
    func simpleCodesAreThoseOfTheirLengths(_ alphabet: Int) {
        let symbols = [0, 1, 39, 40, 254, 255]
        for first in symbols {
            for second in [-1] + symbols {
                var lengths = [UInt8](repeating: 0, count: alphabet)
                for symbol in [first, second] where lengths.indices.contains(symbol) { lengths[symbol] = 1 }
                var (plain, simple) = (
                    [UInt16](repeating: 0, count: PrefixTableKernel.workspaceCount),
                    [UInt16](repeating: 0, count: PrefixTableKernel.workspaceCount)
                )
                var plainSpan = plain.mutableSpan
                var simpleSpan = simple.mutableSpan
                let expected = PrefixTableKernel.build(lengths.span, workspace: &plainSpan)
                let built = PrefixTableKernel.build((first, second), alphabet: alphabet, workspace: &simpleSpan)
                #expect(built == expected)
                guard let table = try? built.get() else { continue }
                let entries = PrefixTableKernel.tableStart..<PrefixTableKernel.tableStart + table.entryCount
                #expect(simple[entries] == plain[entries])
            }
        }
    }
}
