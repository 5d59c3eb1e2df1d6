// What a marker segment says, in a few words for people.

import ImageCodecsCore
import JPEGBaselineCodec

/// Names and one-line descriptions; damaged segments are described as far as they can be read.
enum JPEGSegmentSummary {
    /// The marker's name in ITU-T T.81 table B.1 "Marker code assignments".
    static func name(of marker: Marker) -> String {
        if let number = marker.restartNumber { return "RST\(number)" }
        if marker.isStartOfFrame { return marker.startOfFrameName }
        switch marker.rawValue {
        case 0x01: return "TEM"
        case 0xC4: return "DHT"
        case 0xC8: return "JPG"
        case 0xCC: return "DAC"
        case 0xD8: return "SOI"
        case 0xD9: return "EOI"
        case 0xDA: return "SOS"
        case 0xDB: return "DQT"
        case 0xDC: return "DNL"
        case 0xDD: return "DRI"
        case 0xDE: return "DHP"
        case 0xDF: return "EXP"
        case 0xE0...0xEF: return "APP\(marker.rawValue & 15)"
        case 0xF0...0xFD: return "JPG\(marker.rawValue & 15)"
        case 0xFE: return "COM"
        default: return "RES \(marker.rawValue)"
        }
    }

    /// The description of a segment's body, empty for kinds that are not described.
    static func text(_ marker: Marker, _ body: Span<UInt8>) -> String {
        if marker.isStartOfFrame { return frame(body) }
        switch marker {
        case .sos: return scan(body)
        case .dht: return huffmanTables(body)
        case .dqt: return quantizationTables(body)
        case .dac: return "\(body.count / 2) conditioning values"
        case .dri: return body.count == 2 ? "every \(body.bigEndianUInt16(at: 0)) MCUs" : ""
        case .dnl: return body.count == 2 ? "\(body.bigEndianUInt16(at: 0)) lines" : ""
        case .com: return printable(body, upTo: 60)
        default: return marker.rawValue & 0xF0 == 0xE0 ? identifier(body) : ""
        }
    }

    /// Size, depth and sampling factors (§B.2.2 "Frame header syntax").
    private static func frame(_ body: Span<UInt8>) -> String {
        guard body.count >= 6, body.count == 6 + 3 * Int(body[5]) else { return "not valid" }
        let components = (0..<min(Int(body[5]), longestList + 1)).map { index in
            "\(body[6 + 3 * index]): \(body[7 + 3 * index] >> 4)x\(body[7 + 3 * index] & 15)"
        }
        return "\(body.bigEndianUInt16(at: 3))x\(body.bigEndianUInt16(at: 1)) pixels, \(body[0]) bits, components "
            + list(components)
    }

    /// Components, band and bits (§B.2.3 "Scan header syntax").
    private static func scan(_ body: Span<UInt8>) -> String {
        guard body.count >= 4, body.count == 4 + 2 * Int(body[0]) else { return "not valid" }
        let count = Int(body[0])
        let components = (0..<min(count, longestList + 1)).map { "\(body[1 + 2 * $0])" }
        let tail = 1 + 2 * count
        return "components \(list(components)); coefficients \(body[tail])...\(body[tail + 1]); "
            + "bits \(body[tail + 2] >> 4) to \(body[tail + 2] & 15)"
    }

    /// Class and slot of each table, and whether it is one of the standard's (§B.2.4.2 "Huffman table-specification syntax").
    private static func huffmanTables(_ body: Span<UInt8>) -> String {
        var names: [String] = []
        var position = 0
        while body.count - position >= 17, names.count <= longestList {
            let end = position + 17 + (1...16).reduce(0) { $0 + Int(body[position + $1]) }
            let isStandard = end <= body.count && isStandard(body.extracting(position..<end))
            names.append(
                "\(body[position] >> 4 == 0 ? "DC" : "AC") \(body[position] & 15)" + (isStandard ? " (standard)" : ""))
            position = end
        }
        return list(names)
    }

    /// Whether a table is one of those that the standard prints (§K.3 "Huffman tables").
    private static func isStandard(_ table: Span<UInt8>) -> Bool {
        let known = table[0] >> 4 == 0 ? StandardTables.dc : StandardTables.ac
        let codes = table.bytes(in: 1..<table.count)
        return known.contains { $0.counts + $0.symbols == codes }
    }

    /// Slot and precision of each table, and the quality setting that it is nearest to (§B.2.4.1 "Quantization
    /// table-specification syntax").
    private static func quantizationTables(_ body: Span<UInt8>) -> String {
        var names: [String] = []
        var position = 0
        while position < body.count, names.count <= longestList {
            let is16Bit = body[position] >> 4 != 0
            let end = position + (is16Bit ? 129 : 65)
            names.append(
                "table \(body[position] & 15)" + (is16Bit ? " of 16 bits" : "")
                    + (end <= body.count ? quality(body.extracting(position..<end)) : ""))
            position = end
        }
        return list(names)
    }

    /// ` (quality 75)`, or `(near quality 75)`: compared with the standard's table for luminance in slot 0, for chrominance in
    /// the others.
    private static func quality(_ body: Span<UInt8>) -> String {
        var slots = [QuantizationTable?](repeating: nil, count: 4)
        let slot = Int(body[0] & 15)
        guard (try? QuantizationTable.read(body, into: &slots, offset: 0)) != nil, let table = slots[slot] else {
            return ""
        }
        let estimate = QualityEstimate(table, isChroma: slot > 0)
        return " (\(estimate.isExact ? "" : "near ")quality \(estimate.quality))"
    }

    /// As many names as a summary has: there are eight tables of one kind, four of the other, and four components.
    private static let longestList = 8

    private static func list(_ names: [String]) -> String {
        names.prefix(longestList).joined(separator: ", ") + (names.count > longestList ? ", ..." : "")
    }

    /// The name at the start of an application segment: `JFIF`, `Exif`, `ICC_PROFILE`, `Adobe`, ...
    private static func identifier(_ body: Span<UInt8>) -> String { printable(body, upTo: 30) }

    /// The printable ASCII characters at the start.
    private static func printable(_ body: Span<UInt8>, upTo limit: Int) -> String {
        var text = ""
        for index in 0..<min(body.count, limit) {
            guard (0x20...0x7E).contains(body[index]) else { break }
            text.unicodeScalars.append(Unicode.Scalar(body[index]))
        }
        return text
    }
}
