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

    /// The best tables, and how long the data get with them.
    ///
    /// - Returns: of each table of ``EntropyToken`` that is used its codes; the bits of the coded data without the zero bytes after 0xFF
    ///   and restart markers.
    package func best() -> (tables: [HuffmanSpecification?], bitCount: Int) {
        var tables: [HuffmanSpecification?] = []
        var bitCount = rawBitCount
        for table in 0..<EntropyToken.rawTable {
            guard let specification = specification(ofTable: table) else {
                tables.append(nil)
                continue
            }
            tables.append(specification)
            var next = 0
            for (length, number) in specification.counts.enumerated() {
                for _ in 0..<number {
                    bitCount += counts[table << 8 + Int(specification.symbols[next])] * (length + 1)
                    next += 1
                }
            }
        }
        return (tables, bitCount)
    }

    /// The best table for the symbols of a table; `nil` if it has none.
    private func specification(ofTable table: Int) -> HuffmanSpecification? {
        var (numbers, all) = ([UInt32](repeating: 0, count: 256), 0)
        counts.withSpan { counts in
            for symbol in 0..<256 {
                let count = counts[table << 8 + symbol]
                numbers[symbol] = UInt32(clamping: count)
                all |= count
            }
        }
        return all == 0 ? nil : OptimalHuffmanTable.specification(of: numbers)
    }
}
