// Huffman tables of JPEG from raw counts, against counting up codes bit by bit.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec

/// - Source: ITU-T T.81 (1992) §C.2 "Conversion of Huffman table specifications to tables of codes and code lengths",
///   §F.2.2.3 "The DECODE procedure".
enum HuffmanCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let counts = counts(&source)
        let total = counts.reduce(0) { $0 + Int($1) }
        let symbols = source.bytes(total)
        guard total <= 256 else { return segmentViolations(counts, symbols) }
        let table = HuffmanSpecification(counts: counts, symbols: symbols)
        let isCode = isPrefixCode(counts)
        guard table.isPrefixCode == isCode else { return ["\(counts) \(isCode ? "are" : "are not") a code"] }
        guard let built = try? HuffmanTable(table, use: .symbols, offset: 0) else {
            return isCode ? ["\(counts) are refused"] : []
        }
        guard isCode else { return ["\(counts) are taken"] }
        for use in [HuffmanTable.Use.dc, .sequentialAC, .progressiveAC] {
            _ = try? HuffmanTable(table, use: use, offset: 0)
        }
        var found: [String] = []
        for _ in 0..<64 {
            let window = source.oneIn(4) ? source.pick([0, 1, 0x8000, 0xFFFE, 0xFFFF]) : source.below(1 << 16)
            let (expected, answer) = (decoded(window, table), lookedUp(window, built))
            if expected != answer { found.append("window \(window): \(answer as Any), not \(expected as Any)") }
        }
        return found
    }

    /// Counts of codes: mostly of a code that is nearly full.
    private static func counts(_ source: inout DecisionSource) -> [UInt8] {
        if source.oneIn(4) { return source.bytes(16).map { source.oneIn(2) ? $0 & 7 : $0 } }
        var (counts, left) = ([UInt8](), 1)
        for _ in 0..<16 {
            left = min(2 * left, 1 << 12)
            let count = min(255, source.oneIn(3) ? source.below(left + 1) : min(left, source.below(4)))
            counts.append(UInt8(count))
            left = max(0, left - count)
        }
        if source.oneIn(6) { counts[source.below(16)] &+= 1 }
        return counts
    }

    /// A DHT segment with more symbols than there can be is refused.
    private static func segmentViolations(_ counts: [UInt8], _ symbols: [UInt8]) -> [String] {
        var tables: ([HuffmanSpecification?], [HuffmanSpecification?]) = (
            Array(repeating: nil, count: 4), Array(repeating: nil, count: 4)
        )
        let body = [0x10] + counts + symbols
        let isTaken = (try? HuffmanSpecification.read(body.span, dc: &tables.0, ac: &tables.1, offset: 0)) != nil
        return isTaken ? ["\(symbols.count) symbols are taken"] : []
    }

    /// Whether the codes fit: Kraft's sum, from the shortest on.
    private static func isPrefixCode(_ counts: [UInt8]) -> Bool {
        counts.enumerated().reduce(0) { $0 + Int($1.element) << (15 - $1.offset) } <= 1 << 16
    }

    private struct Symbol: Equatable {
        let value: Int
        let length: Int
    }

    private static func decoded(_ window: Int, _ table: HuffmanSpecification) -> Symbol? {
        var bits = BitsByTheBook([UInt8(window >> 8), UInt8(window & 255)])
        return bits.decode(table).map { Symbol(value: $0, length: bits.position) }
    }

    private static func lookedUp(_ window: Int, _ table: HuffmanTable) -> Symbol? {
        let entry = Int(table.entries[HuffmanTable.lookup + window >> (16 - HuffmanTable.lookupBits)])
        if entry & 63 > 0 { return Symbol(value: entry >> 8 & 255, length: entry & 63) }
        let first = HuffmanTable.lookupBits + 1
        guard let length = (first...17).first(where: { window < Int(table.entries[HuffmanTable.limits + $0]) }),
            length < 17
        else { return nil }
        let index = window >> (16 - length) + Int(table.entries[HuffmanTable.symbolOffsets + length])
        return Symbol(value: Int(table.entries[HuffmanTable.symbols + index]), length: length)
    }
}
