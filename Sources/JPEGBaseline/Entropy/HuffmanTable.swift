// Huffman tables laid out for decoding: one look-up gives run, size and value of most symbols.

package import ImageCodecsCore

/// A Huffman table in one flat array, so that kernels can reach all tables of a scan from one pointer.
///
///     [0 ..< 1024]       look-up by the next ten bits, see ``Entry``
///     [1024 ..< 1042]    for lengths 1...17: the first 16-bit window that is too large for a code of this length;
///                        in place 0 the length of the end-of-block code
///     [1042 ..< 1060]    for lengths 1...17: what to add to a code to get the index of its symbol;
///                        in place 0 the end-of-block code
///     [1060 ..< 1316]    symbols in the order of their codes
///
/// - Source: ITU-T T.81 (1992) §C.2 "Conversion of Huffman table specifications to tables of codes and code
///   lengths", §F.2.2.3 "The DECODE procedure".
@usableFromInline
package struct HuffmanTable: Hashable, Sendable {
    /// What the look-up resolves.
    package enum Use: Hashable, Sendable {
        /// DC differences.
        case dc
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
    /// Where the parts begin, and how many numbers there are.
    package static let limits = 1024
    package static let symbolOffsets = 1042
    package static let symbols = 1060
    package static let count = 1316

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

        static func resolved(value: Int32, advance: Int32, bitCount: Int) -> Int32 {
            value << 16 | advance << 8 | Int32(bitCount)
        }

        static func unresolved(symbol: UInt8, codeLength: Int) -> Int32 {
            Int32(symbol) << 8 | unresolved | Int32(codeLength)
        }
    }

    /// ``count`` numbers as drawn above.
    package let entries: [Int32]

    /// - Throws: `corrupt` if there are more codes of a length than fit, or a DC table has a size above 15.
    package init(_ specification: HuffmanSpecification, use: Use, offset: Int) throws(ImageError) {
        // The whole of it first: what follows indexes with codes that must fit their lengths.
        guard specification.isPrefixCode else {
            throw .corruptJPEG(.jpegHuffmanOverfull, offset, "Huffman table with too many codes")
        }
        guard use != .dc || specification.symbols.allSatisfy({ $0 <= 15 }) else {
            throw .corruptJPEG(.jpegHuffmanTable, offset, "DC table with a size above 15")
        }
        var entries = [Int32](repeating: 0, count: Self.count)
        for index in 0..<Self.limits { entries[index] = Entry.unresolved }
        let end = use == .sequentialAC ? Self.endOfBlock(specification) : nil
        var code = 0
        var index = 0
        for length in 1...16 {
            entries[Self.symbolOffsets + length] = Int32(index - code)
            for _ in 0..<specification.counts[length - 1] {
                let symbol = specification.symbols[index]
                entries[Self.symbols + index] = Int32(symbol)
                if length <= Self.lookupBits {
                    Self.fill(&entries, code: code, length: length, symbol: symbol, use: use, end: end)
                }
                code += 1
                index += 1
            }
            // The codes of this length end below here; a larger window belongs to a longer code.
            entries[Self.limits + length] = Int32(code << (16 - length))
            code <<= 1
        }
        entries[Self.limits + 17] = .max
        entries[Self.limits] = Int32(end?.length ?? 0)
        entries[Self.symbolOffsets] = Int32(end?.bits ?? 0)
        self.entries = entries
    }

    /// The tables that the standard prints, as sequential scans use them: most files that nobody optimised have them.
    private static let standard = zip(StandardTables.dc, StandardTables.ac).flatMap { dc, ac in
        [(dc, Use.dc), (ac, Use.sequentialAC)].compactMap { specification, use in
            (try? HuffmanTable(specification, use: use, offset: 0)).map { (specification, use, $0) }
        }
    }

    /// A table that was made before, if this is one of the standard's.
    ///
    /// - Source: ITU-T T.81 (1992) §K.3 "Typical Huffman tables for 8-bit precision luminance and chrominance"
    static func standard(_ specification: HuffmanSpecification, use: Use) -> HuffmanTable? {
        standard.first { $0.1 == use && $0.0 == specification }?.2
    }

    /// A code and its length.
    private struct Code {
        var bits: Int
        var length: Int
    }

    /// The code of symbol 0, the end of the block.
    private static func endOfBlock(_ specification: HuffmanSpecification) -> Code? {
        var code = 0
        var index = 0
        for length in 1...16 {
            for _ in 0..<specification.counts[length - 1] {
                if specification.symbols[index] == 0 { return Code(bits: code, length: length) }
                code += 1
                index += 1
            }
            code <<= 1
        }
        return nil
    }

    /// Enters one code for every window that begins with it.
    private static func fill(_ entries: inout [Int32], code: Int, length: Int, symbol: UInt8, use: Use, end: Code?) {
        let spareBits = lookupBits - length
        let first = code << spareBits
        let size = Int(symbol & 15)
        let run = use == .dc ? 0 : Int32(symbol >> 4)
        let isEndOfBlock = size == 0 && use != .dc && run != 15
        if use == .symbols || size > spareBits || (isEndOfBlock && use == .progressiveAC) {
            fill(&entries, first, 1 << spareBits, Entry.unresolved(symbol: symbol, codeLength: length))
        } else if isEndOfBlock {
            let entry = Entry.resolved(value: 0, advance: Entry.loneEndAdvance, bitCount: length) | Entry.loneEnd
            fill(&entries, first, 1 << spareBits, entry)
        } else if size == 0 {
            fill(&entries, first, 1 << spareBits, Entry.resolved(value: 0, advance: run + 1, bitCount: length))
        } else {
            fillValues(&entries, first: first, spareBits: spareBits, size: size, run: run, length: length, end: end)
        }
    }

    /// Enters a code with each of the values that may follow it, and those with the end of the block after them.
    private static func fillValues(
        _ entries: inout [Int32], first: Int, spareBits: Int, size: Int, run: Int32, length: Int, end: Code?
    ) {
        let rest = spareBits - size
        let bitCount = length + size
        for bits in 0..<1 << size {
            let value = Int32(bits >= 1 << (size - 1) ? bits : bits - (1 << size) + 1)
            let start = first + (bits << rest)
            fill(&entries, start, 1 << rest, Entry.resolved(value: value, advance: run + 1, bitCount: bitCount))
            guard let end, end.length <= rest else { continue }
            let entry = Entry.resolved(
                value: value, advance: run + 1 + Entry.endAdvance, bitCount: bitCount + end.length)
            fill(&entries, start + (end.bits << (rest - end.length)), 1 << (rest - end.length), entry)
        }
    }

    private static func fill(_ entries: inout [Int32], _ start: Int, _ count: Int, _ entry: Int32) {
        for index in start..<start + count { entries[index] = entry }
    }
}
