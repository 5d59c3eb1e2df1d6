// DHT: Huffman tables as the file gives them, code counts and symbols.

package import ImageCodecsCore

/// A Huffman table as a segment states it: how many codes of each length, and their symbols.
///
/// - Source: ITU-T T.81 (1992) §B.2.4.2 "Huffman table-specification syntax", §C.2 "Conversion of Huffman
///   table specifications to tables of codes and code lengths".
package struct HuffmanSpecification: Hashable, Sendable {
    /// What the symbols of a table are.
    package enum Class: Int, Hashable, Sendable {
        /// Sizes of DC differences.
        case dc = 0
        /// Runs and sizes of AC coefficients.
        case ac = 1
    }

    /// Codes of 1...16 bits.
    package let counts: [UInt8]
    /// Symbols in the order of their codes, at most 256.
    package let symbols: [UInt8]

    /// - Precondition: `counts` holds 16 numbers whose sum is `symbols.count`.
    package init(counts: [UInt8], symbols: [UInt8]) {
        precondition(counts.count == 16 && counts.reduce(0) { $0 + Int($1) } == symbols.count)
        self.counts = counts
        self.symbols = symbols
    }

    /// Whether no length has more codes than the shorter codes leave room for.
    ///
    /// To be asked before a code is worked out: codes of an over-full table do not fit their lengths.
    package var isPrefixCode: Bool { counts.withSpan { Self.isPrefixCode(counts: $0) } }

    /// The same of a definition of which only the first 16 bytes, the counts, are looked at.
    static func isPrefixCode(counts: Span<UInt8>) -> Bool {
        var codesLeft = 1
        for length in 0..<16 {
            codesLeft = 2 * codesLeft - Int(counts[length])
            if codesLeft < 0 { return false }
        }
        return true
    }

    /// The table as a segment has it: counts, then symbols.
    var definition: [UInt8] { counts + symbols }

    /// Reads every table of a DHT segment into its slot.
    package static func read(
        _ body: Span<UInt8>, dc: inout [HuffmanSpecification?], ac: inout [HuffmanSpecification?], offset: Int
    ) throws(ImageError) {
        try readEach(body, offset: offset) { tableClass, slot, definition in
            let table = HuffmanSpecification(
                counts: definition.bytes(in: 0..<16), symbols: definition.bytes(in: 16..<definition.count))
            switch tableClass {
            case .dc: dc[slot] = table
            case .ac: ac[slot] = table
            }
        }
    }

    /// Reads the tables of a DHT segment one after the other.
    ///
    /// - Parameters:
    ///   - body: The segment after its length.
    ///   - offset: Where the marker was found, for errors.
    ///   - define: Gets the class, the slot, 0...3, and the definition: 16 counts, then as many symbols, at most 256.
    package static func readEach(
        _ body: Span<UInt8>, offset: Int, _ define: (Class, _ slot: Int, _ definition: Span<UInt8>) -> Void
    ) throws(ImageError) {
        var position = 0
        while position < body.count {
            guard body.count - position >= 17 else {
                throw .corruptJPEG(.jpegHuffmanTable, offset, "Huffman table is cut off")
            }
            let slot = Int(body[position] & 15)
            guard let tableClass = Class(rawValue: Int(body[position] >> 4)), slot < 4 else {
                throw .corruptJPEG(.jpegHuffmanTable, offset, "Huffman table of an unknown class or outside 0...3")
            }
            position += 1
            var total = 0
            for index in 0..<16 { total += Int(body[position + index]) }
            guard total <= 256, body.count - position - 16 >= total else {
                throw .corruptJPEG(.jpegHuffmanOverfull, offset, "Huffman table with too many codes")
            }
            define(tableClass, slot, body.extracting(position..<position + 16 + total))
            position += 16 + total
        }
    }
}
