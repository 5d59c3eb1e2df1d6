// Huffman codes by symbol, and look-ups that join a code with the bits of its coefficient.

package import JPEGBaselineCodec

/// The codes of a table, by symbol.
///
/// - Source: ITU-T T.81 (1992) §C.2 "Conversion of Huffman table specifications to tables of codes and code lengths",
///   §C.3 "Bit ordering within bytes".
package struct HuffmanEncodingTable: Hashable, Sendable {
    /// For each of 256 symbols its code, right-aligned; 0 if it has none.
    package let codes: [UInt16]
    /// For each of 256 symbols the bits of its code, 1...16; 0 if it has none.
    package let lengths: [UInt8]

    /// - Precondition: `specification.isPrefixCode`.
    package init(_ specification: HuffmanSpecification) {
        precondition(specification.isPrefixCode)
        var codes = [UInt16](repeating: 0, count: 256)
        var lengths = [UInt8](repeating: 0, count: 256)
        var code = 0
        var index = 0
        for length in 1...16 {
            for _ in 0..<specification.counts[length - 1] {
                let symbol = Int(specification.symbols[index])
                codes[symbol] = UInt16(code)  // fits: the table is a prefix code
                lengths[symbol] = UInt8(length)
                code += 1
                index += 1
            }
            code <<= 1
        }
        self.codes = codes
        self.lengths = lengths
    }
}

/// Codes joined with the bits that follow them, for the coding of blocks: for each of its two tables the codes of all
/// symbols and a look-up of small values.
///
/// An entry is `bits << 6 | bit count`: at most 16 bits of code and, in the look-ups, the bits of the value.
///
///     0 ..< 512        DC differences -256...255, joined
///     512 ..< 768      DC codes by size (symbols 0...11)
///     768 ..< 1792     AC values -32...31 after runs of 0...15, joined, at `64 * run + value + 32`; value 0 is unused
///     1792 ..< 2048    AC codes by symbol: 0 is the end of the block, 0xF0 sixteen zeros
///
/// - Source: ITU-T T.81 (1992) §F.1.2.1 "Huffman encoding of DC coefficients", §F.1.2.2 "Huffman encoding of AC
///   coefficients".
package struct BlockCodes: Hashable, Sendable {
    package let entries: [UInt32]

    /// Where each part begins.
    static let dcSizes = 512
    static let acValues = 768
    static let acSymbols = 1792
    /// Entries in all.
    package static let count = 2048
    /// Differences and values that look-ups hold are at least minus this, and less than it.
    static let dcLimit = 256
    static let acLimit = 32

    package init(dc: HuffmanEncodingTable, ac: HuffmanEncodingTable) {
        var entries: [UInt32] = []
        entries.reserveCapacity(Self.count)
        for difference in -Self.dcLimit..<Self.dcLimit { entries.append(Self.joined(dc, run: 0, value: difference)) }
        for symbol in 0..<256 { entries.append(Self.entry(dc, symbol)) }
        for run in 0..<16 {
            for value in -Self.acLimit..<Self.acLimit {
                entries.append(value == 0 ? 0 : Self.joined(ac, run: run, value: value))
            }
        }
        for symbol in 0..<256 { entries.append(Self.entry(ac, symbol)) }
        self.entries = entries
    }

    /// The size of a value: the bits that follow its code.
    static func size(_ value: Int) -> Int { Int.bitWidth - abs(value).leadingZeroBitCount }

    private static func entry(_ table: HuffmanEncodingTable, _ symbol: Int) -> UInt32 {
        UInt32(table.codes[symbol]) << 6 | UInt32(table.lengths[symbol])
    }

    /// The code of a run and a value's size, and the value: itself, or minus one if it is negative, in as many bits.
    private static func joined(_ table: HuffmanEncodingTable, run: Int, value: Int) -> UInt32 {
        let size = size(value)
        let symbol = run << 4 | size
        let bits = (value < 0 ? value - 1 : value) & (1 << size - 1)
        return (UInt32(table.codes[symbol]) << UInt32(size) | UInt32(bits)) << 6
            | (UInt32(table.lengths[symbol]) + UInt32(size))
    }
}
