// Huffman tables laid out for decoding: one look-up gives run, size and value of most symbols.

package import ImageCodecsCore

/// A Huffman table in one flat array, so that kernels can reach all tables of a scan from one pointer.
///
///     [0 ..< 18]         for lengths 1...17: the first 16-bit window that is too large for a code of this length;
///                        in place 0 the length of the end-of-block code
///     [18 ..< 36]        for lengths 1...17: what to add to a code to get the index of its symbol;
///                        in place 0 the end-of-block code
///     [36 ..< 292]       symbols in the order of their codes
///     [292 ..< 1316]     look-up by the next ten bits, see ``Entry``
///
/// The look-up of a small picture, for which one of ten bits would take longer to fill than it saves, has eight: 256 entries. So have
/// DC tables of progressive scans.
///
/// - Source: ITU-T T.81 (1992) §C.2 "Conversion of Huffman table specifications to tables of codes and code
///   lengths", §F.2.2.3 "The DECODE procedure".
@usableFromInline
package struct HuffmanTable: Hashable, Sendable {
    /// What the look-up resolves.
    package enum Use: Hashable, Sendable {
        /// DC differences.
        case dc
        /// Differences of lossless scans: as DC differences, but the size may be 16, which is left unresolved: no bits follow it.
        case lossless
        /// AC coefficients of a sequential scan: the end of the block advances 128 positions.
        case sequentialAC
        /// AC coefficients of a progressive first scan: symbols of size 0 but the run of 16 are left unresolved, for
        /// they start an end-of-band run.
        case progressiveAC
        /// Nothing: every entry is a symbol and the length of its code.
        case symbols
    }

    /// Bits of a look-up.
    @inlinable package static var lookupBits: Int { 10 }
    /// The same in the tables of a small picture, and in DC tables of progressive scans.
    @inlinable package static var smallLookupBits: Int { 8 }
    /// Where the parts begin.
    package static let limits = 0
    package static let symbolOffsets = 18
    package static let symbols = 36
    @inlinable package static var lookup: Int { 292 }
    /// How many numbers there are with a look-up of ten bits.
    package static let count = count(lookupBits: lookupBits)

    /// How many numbers there are.
    package static func count(lookupBits: Int) -> Int { lookup + 1 << lookupBits }

    /// An entry of the look-up.
    ///
    ///     bits 31...16   the coefficient or difference, if its bits are in the window
    ///     bits 15...8    positions to advance: run + 1; 128 more where the end of the block follows in the window;
    ///                    192 for a lone end of the block
    ///     bit 7          clear: all is in the entry, and `value` is to be stored
    ///     bit 6          set for a lone end of the block
    ///     bits 5...0     bits to skip: of the codes and of the value
    ///
    /// With bit 7 set the value has more bits than the window: bits 15...8 are the symbol, bits 5...0 the length
    /// of its code alone; the length is 0 if the code itself is longer than the window.
    @usableFromInline
    package enum Entry {
        @inlinable package static var unresolved: Int32 { 0x80 }
        /// What the end of the block adds to the positions to advance.
        @inlinable package static var endAdvance: Int32 { 128 }
        /// A lone end of the block.
        @inlinable package static var loneEnd: Int32 { 0x40 }
        static let loneEndAdvance: Int32 = 192

        @inline(__always)
        static func resolved(value: Int32, advance: Int32, bitCount: Int) -> Int32 {
            value << 16 | advance << 8 | Int32(bitCount)
        }

        @inline(__always)
        static func unresolved(symbol: UInt8, codeLength: Int) -> Int32 {
            Int32(symbol) << 8 | unresolved | Int32(codeLength)
        }
    }

    /// Numbers as drawn above.
    package let entries: [Int32]

    /// - Throws: `corrupt` if there are more codes of a length than fit, or a DC table has a size above 15, or 16 for lossless scans.
    package init(
        _ specification: HuffmanSpecification, use: Use, offset: Int, lookupBits: Int = lookupBits
    ) throws(ImageError) {
        var entries = [Int32](repeating: 0, count: Self.count(lookupBits: lookupBits))
        try specification.definition.withSpan { (definition) throws(ImageError) in
            try Self.write(
                definition, use: use, offset: offset, lookupBits: lookupBits, to: &entries, at: 0)
        }
        self.entries = entries
    }

    /// Writes the numbers of a table to their place among those of others.
    ///
    /// - Parameters:
    ///   - definition: 16 counts, then the symbols; what may follow them is not looked at.
    ///   - entries: Receives the table from `start` on; zeros so far.
    /// - Throws: `corrupt` if there are more codes of a length than fit, or a DC table has a size above 15, or 16 for lossless scans.
    static func write(
        _ definition: Span<UInt8>, use: Use, offset: Int, lookupBits: Int = lookupBits, to entries: inout [Int32],
        at start: Int
    ) throws(ImageError) {
        // The whole of it first: what follows indexes with codes that must fit their lengths.
        guard HuffmanSpecification.isPrefixCode(counts: definition) else {
            throw .corruptJPEG(.jpegHuffmanOverfull, offset, "Huffman table with too many codes")
        }
        var symbolCount = 0
        for length in 0..<16 { symbolCount += Int(definition[length]) }
        let symbols = definition.extracting(16..<16 + symbolCount)
        if use == .dc || use == .lossless {
            let largest: UInt8 = use == .dc ? 15 : 16
            for index in 0..<symbolCount where symbols[index] > largest {
                throw .corruptJPEG(.jpegHuffmanTable, offset, "DC table with a size above \(largest)")
            }
        }
        let end = use == .sequentialAC ? endOfBlock(definition) : nil
        var code = 0
        var index = 0
        for length in 1...16 {
            entries[start + Self.symbolOffsets + length] = Int32(index - code)
            code += Int(definition[length - 1])
            index += Int(definition[length - 1])
            // The codes of this length end below here; a larger window belongs to a longer code.
            entries[start + limits + length] = Int32(code << (16 - length))
            code <<= 1
        }
        for index in 0..<symbolCount { entries[start + Self.symbols + index] = Int32(symbols[index]) }
        entries[start + limits + 17] = .max
        entries[start + limits] = Int32(end?.length ?? 0)
        entries[start + symbolOffsets] = Int32(end?.bits ?? 0)
        HuffmanWindowKernel.fill(
            &entries, at: start + lookup, lookupBits: lookupBits, definition: definition, use: use, end: end)
    }

    /// The tables that the standard prints, as sequential scans use them: most files that nobody optimised have them.
    ///
    /// One after the other as ``StandardTables/Table/position`` says, so that a scan which uses no others shares them.
    static let standard: [Int32] = {
        var entries = [Int32](repeating: 0, count: StandardTables.Table.allCases.count * count)
        for table in StandardTables.Table.allCases {
            StandardTables.definitions[table.position].withSpan { definition in
                try? write(
                    definition, use: table.tableClass == .dc ? .dc : .sequentialAC, offset: 0, to: &entries,
                    at: table.position * count)
            }
        }
        return entries
    }()

    /// A code and its length.
    package struct Code: Hashable, Sendable {
        package var bits: Int
        package var length: Int

        package init(bits: Int, length: Int) { (self.bits, self.length) = (bits, length) }
    }

    /// The code of symbol 0, the end of the block.
    private static func endOfBlock(_ definition: Span<UInt8>) -> Code? {
        var code = 0
        var index = 16
        for length in 1...16 {
            for _ in 0..<definition[length - 1] {
                if definition[index] == 0 { return Code(bits: code, length: length) }
                code += 1
                index += 1
            }
            code <<= 1
        }
        return nil
    }
}
