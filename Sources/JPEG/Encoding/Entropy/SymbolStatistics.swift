// How often a scan uses each symbol: what its Huffman tables are made from, and how long its data will be.

import ImageCodecsCore
package import JPEGBaselineCodec

/// Counts tokens.
package struct SymbolStatistics: Sendable {
    /// Of each symbol of each table; see ``EntropyToken``.
    private var counts = [Int](repeating: 0, count: EntropyToken.symbolCount)
    /// Bits that are written as they are: signs and magnitudes, lengths of runs, corrections.
    package private(set) var rawBitCount = 0

    package init() {}

    /// Counts tokens.
    package mutating func add(_ tokens: Span<UInt32>) {
        var bits = 0
        for index in 0..<tokens.count {
            let token = tokens[index]
            counts[Int(token >> 21)] &+= 1
            bits &+= Int((token >> 16) & 31)
        }
        rawBitCount += bits
    }

    /// The counts of the 256 symbols of a table.
    ///
    /// - Parameter table: ``EntropyToken/dcTable`` or ``EntropyToken/acTable``, or the one after it.
    package func counts(ofTable table: Int) -> [Int] { Array(counts[table << 8..<(table + 1) << 8]) }

    /// Whether a table is used at all.
    package func uses(table: Int) -> Bool { counts[table << 8..<(table + 1) << 8].contains { $0 != 0 } }

    /// The best table for the symbols of a table; `nil` if it has none.
    package func specification(ofTable table: Int) -> HuffmanSpecification? {
        guard uses(table: table) else { return nil }
        return OptimalHuffmanTable.specification(of: counts(ofTable: table))
    }

    /// Bits of the coded data if every table is the best one, without the zero bytes after 0xFF and restart markers.
    package var codedBitCount: Int {
        var total = rawBitCount
        for table in 0..<EntropyToken.rawTable {
            guard let specification = specification(ofTable: table) else { continue }
            let counts = counts(ofTable: table)
            var next = 0
            for (length, number) in specification.counts.enumerated() {
                for _ in 0..<number {
                    total += counts[Int(specification.symbols[next])] * (length + 1)
                    next += 1
                }
            }
        }
        return total
    }
}
