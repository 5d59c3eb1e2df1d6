// Quantization tables and Huffman codes of a file as tables for people.

import ImageCodecsCore
import JPEGBaselineCodec

extension FileMap {
    /// The steps of each component's table, and which quality setting they come nearest to.
    mutating func addQuantizers(_ geometry: FrameGeometry, _ tables: [QuantizationTable?]) {
        var section = Section(
            title: "Quantization",
            introduction: """
                Each coefficient is divided by its step: the larger it is, the more is lost. Steps for coarse patterns are in the upper left, \
                for fine ones in the lower right.
                """)
        var listed: Set<Int> = []
        for (index, component) in geometry.components.enumerated() {
            guard let table = tables[index], listed.insert(component.quantizationTable).inserted else { continue }
            let estimate = QualityEstimate(table, isChroma: index > 0)
            section.figures.append(
                Figure(
                    name: "table \(component.quantizationTable), nearest quality of libjpeg",
                    value: "\(estimate.quality)" + (estimate.isExact ? ", the same table" : ", not the same table")))
            let rows = (0..<8).map { row in (0..<8).map { "\(table.values[8 * row + $0])" } }
            let users = geometry.components.indices.filter {
                geometry.components[$0].quantizationTable == component.quantizationTable
            }
            section.tables.append(
                Table(
                    title: "Table \(component.quantizationTable), of component "
                        + users.map { "\($0 + 1)" }.joined(separator: ", "), columns: [], rows: rows))
        }
        if !section.tables.isEmpty { sections.append(section) }
    }

    /// Huffman codes by use.
    mutating func addCodes(_ walk: JPEGWalk) {
        let what =
            walk.header.isLossless
            ? "how many bits a difference has"
            : "how many zeros come before a coefficient and how many bits the coefficient has"
        var section = Section(
            title: "Huffman codes",
            introduction: """
                A symbol says \(what); those bits follow. Short codes are for what was expected to be frequent: \
                tables of the standard were made for other pictures.
                """)
        for entry in walk.retiredCodes.prefix(Self.maxCodeTableCount) {
            let used = entry.code.symbols.filter { $0.useCount > 0 }.sorted {
                ($1.useCount, $0.code) < ($0.useCount, $1.code)
            }
            let all = used.reduce(0) { $0 + $1.useCount }
            guard all > 0 else { continue }
            var table = Table(
                title:
                    "\(entry.isDC ? "DC" : "AC") \(entry.slot): \(used.count) of \(entry.code.symbols.count) codes used",
                columns: ["code", "symbol (hexadecimal)", "meaning", "uses", "share"], rows: [])
            for symbol in used.prefix(Self.maxCodeCount) {
                let digits = String(symbol.code, radix: 2)
                table.rows.append([
                    String(repeating: "0", count: max(0, symbol.length - digits.count)) + digits,
                    (symbol.value < 16 ? "0" : "") + String(symbol.value, radix: 16),
                    Self.meaning(symbol.value, isDC: entry.isDC, walk.header.isLossless),
                    "\(symbol.useCount)", symbol.useCount.percent(of: all),
                ])
            }
            table.omittedRowCount = used.count - table.rows.count
            section.tables.append(table)
        }
        if !section.tables.isEmpty { sections.append(section) }
    }

    private static let maxCodeTableCount = 12
    private static let maxCodeCount = 16

    private static func meaning(_ symbol: UInt8, isDC: Bool, _ isLossless: Bool) -> String {
        let (run, size) = (symbol >> 4, symbol & 15)
        func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
        if isDC, symbol == 0 { return isLossless ? "as predicted" : "same as the block before" }
        if isDC { return "difference of " + counted(Int(symbol), "bit") }
        if symbol == 0xF0 { return "16 zeros" }
        if size == 0 { return run == 0 ? "end of the block" : "end of \(1 << run) blocks and more" }
        return (run > 0 ? counted(Int(run), "zero") + ", then " : "") + counted(Int(size), "bit")
    }
}
