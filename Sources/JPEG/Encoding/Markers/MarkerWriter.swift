// Markers and their segments, as bytes.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Writes marker segments one after another.
///
/// - Source: ITU-T T.81 (1992) §B.1.1 "Constituent parts", §B.2 "General sequential and progressive syntax".
package struct MarkerWriter: Sendable {
    /// The most bytes that a segment has besides its marker and its length.
    package static let largestBody = 65533

    /// What was written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Takes what was written away.
    package mutating func drain(_ sink: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        let written = bytes
        bytes.removeAll(keepingCapacity: true)
        try written.withRawSpan(sink)
    }

    /// A marker without a body: SOI, EOI.
    package mutating func append(_ marker: Marker) { bytes += [0xFF, marker.rawValue] }

    /// A segment.
    ///
    /// - Precondition: the body has at most ``largestBody`` bytes.
    package mutating func append(_ marker: Marker, _ body: [UInt8]) {
        precondition(body.count <= Self.largestBody, "a segment is too long")
        bytes += [0xFF, marker.rawValue]
        appendNumber(body.count + 2)
        bytes += body
    }

    /// Segments that were written elsewhere.
    package mutating func append(segments: [UInt8]) { bytes += segments }

    /// A part of a file as it is.
    package mutating func append(copying part: Span<UInt8>) { bytes.append(contentsOf: part) }

    /// Puts other bytes in the place of as many that were written.
    package mutating func replace(at place: Int, with new: [UInt8]) {
        bytes.replaceSubrange(place..<place + new.count, with: new)
    }

    private mutating func appendNumber(_ value: Int) { bytes += Self.bytes(value) }

    private static func bytes(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    /// DQT: all tables, in one segment.
    ///
    /// - Parameter tables: by slot, at most four; values above 255 take sixteen bits.
    /// - Source: T.81 §B.2.4.1 "Quantization table-specification syntax".
    package mutating func appendQuantizationTables(_ tables: [QuantizationTable]) {
        var body: [UInt8] = []
        for (slot, table) in tables.enumerated() {
            let isEightBit = table.isEightBit
            body.append((isEightBit ? 0 : 0x10) | UInt8(slot))
            for place in ZigZagOrder.natural {
                let value = table.values[Int(place)]
                if !isEightBit { body.append(UInt8(value >> 8)) }
                body.append(UInt8(truncatingIfNeeded: value))
            }
        }
        append(.dqt, body)
    }

    /// SOF0, SOF1 or SOF2: eight bits a sample.
    ///
    /// - Source: T.81 §B.2.2 "Frame header syntax".
    package mutating func appendFrame(_ geometry: FrameGeometry, marker: Marker) {
        var body: [UInt8] = [8]
        body += Self.bytes(geometry.size.height)
        body += Self.bytes(geometry.size.width)
        body.append(UInt8(geometry.components.count))
        for component in geometry.components {
            body += [
                component.identifier, UInt8(component.horizontalSampling << 4 | component.verticalSampling),
                UInt8(component.quantizationTable),
            ]
        }
        append(marker, body)
    }

    /// DHT: tables in one segment.
    ///
    /// - Source: T.81 §B.2.4.2 "Huffman table-specification syntax".
    package mutating func appendHuffmanTables(_ tables: [HuffmanTableSlot]) {
        guard !tables.isEmpty else { return }
        var body: [UInt8] = []
        for table in tables {
            body.append(UInt8(table.tableClass.rawValue << 4 | table.slot))
            body += table.specification.counts
            body += table.specification.symbols
        }
        append(.dht, body)
    }

    /// DRI.
    ///
    /// - Parameter interval: 1...65535 MCUs.
    /// - Source: T.81 §B.2.4.4 "Restart interval definition syntax".
    package mutating func appendRestartInterval(_ interval: Int) {
        precondition((1...0xFFFF).contains(interval), "a restart interval has 1 to 65535 MCUs")
        append(.dri, Self.bytes(interval))
    }

    /// SOS.
    ///
    /// - Parameters:
    ///   - tables: of each component of the scan the slots of its tables for DC and AC coefficients.
    /// - Source: T.81 §B.2.3 "Scan header syntax".
    package mutating func appendScan(
        _ scan: ScanSpecification, of geometry: FrameGeometry, tables: [(dc: Int, ac: Int)]
    ) {
        var body: [UInt8] = [UInt8(scan.components.count)]
        for (component, slots) in zip(scan.components, tables) {
            body += [geometry.components[component].identifier, UInt8(slots.dc << 4 | slots.ac)]
        }
        body += [
            UInt8(scan.spectralStart), UInt8(scan.spectralEnd),
            UInt8(scan.approximationHigh << 4 | scan.approximationLow),
        ]
        append(.sos, body)
    }
}

/// A Huffman table and where it goes.
package struct HuffmanTableSlot: Hashable, Sendable {
    package let tableClass: HuffmanSpecification.Class
    /// 0 or 1.
    package let slot: Int
    package let specification: HuffmanSpecification

    package init(_ tableClass: HuffmanSpecification.Class, slot: Int, _ specification: HuffmanSpecification) {
        self.tableClass = tableClass
        self.slot = slot
        self.specification = specification
    }
}

extension QuantizationTable {
    /// Whether every value is a byte.
    package var isEightBit: Bool { values.allSatisfy { $0 <= 255 } }
}
