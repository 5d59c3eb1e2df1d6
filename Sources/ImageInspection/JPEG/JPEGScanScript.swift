// How an encoder has divided a picture into scans, as far as their headers say it.

import JPEGBaselineCodec

/// The scans of a file in numbers.
package struct JPEGScanScript: Hashable, Sendable {
    /// Scans whose header could be read.
    package private(set) var scanCount = 0
    /// Whether any scan leaves bits for a later one, or brings them.
    package private(set) var usesSuccessiveApproximation = false
    /// Whether every Huffman table is one of those that the standard prints; `nil` while there is none.
    package private(set) var hasStandardTables: Bool?
    /// Whether the frame is progressive.
    var isProgressive = false
    var isArithmetic = false
    var isLossless = false

    init() {}

    /// - Source: ITU-T T.81 (1992) §B.2.3 "Scan header syntax".
    mutating func add(scan body: Span<UInt8>) {
        guard body.count >= 4, body.count == 4 + 2 * Int(body[0]) else { return }
        scanCount += 1
        if body[body.count - 1] != 0 { usesSuccessiveApproximation = true }
    }

    /// - Source: ITU-T T.81 (1992) §B.2.4.2 "Huffman table-specification syntax".
    mutating func add(tables body: Span<UInt8>) {
        var dc = [HuffmanSpecification?](repeating: nil, count: 4)
        var ac = dc
        guard (try? HuffmanSpecification.read(body, dc: &dc, ac: &ac, offset: 0)) != nil else { return }
        let areStandard =
            dc.allSatisfy { table in table.map(StandardTables.dc.contains) ?? true }
            && ac.allSatisfy { table in table.map(StandardTables.ac.contains) ?? true }
        hasStandardTables = areStandard && hasStandardTables ?? true
    }

    /// `progressive, 8 scans without successive approximation, Huffman tables made for the picture`; empty without scans.
    package var summary: String {
        guard scanCount > 0 else { return "" }
        let process = isLossless ? "lossless" : isProgressive ? "progressive" : "sequential"
        var parts = [process, scanCount == 1 ? "1 scan" : "\(scanCount) scans"]
        if isProgressive {
            parts[1] +=
                usesSuccessiveApproximation ? " with successive approximation" : " without successive approximation"
        }
        if isArithmetic {
            parts.append("arithmetic coding")
        } else if let hasStandardTables {
            parts.append(hasStandardTables ? "the standard's Huffman tables" : "Huffman tables made for the picture")
        }
        return parts.joined(separator: ", ")
    }
}
