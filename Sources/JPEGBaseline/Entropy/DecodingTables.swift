// The tables in force at some point of the stream.

package import ImageCodecsCore

/// What DQT, DHT and DRI segments have defined so far; scans copy what they use, so tables may be redefined between
/// scans.
///
/// - Source: ITU-T T.81 (1992) §B.2.4 "Table-specification and miscellaneous marker segment syntax".
package struct DecodingTables: Hashable, Sendable {
    /// Four slots each.
    package var quantization = [QuantizationTable?](repeating: nil, count: 4)
    package var dc = [HuffmanSpecification?](repeating: nil, count: 4)
    package var ac = [HuffmanSpecification?](repeating: nil, count: 4)
    /// MCUs between restart markers, 0 for none.
    package var restartInterval = 0

    package init() {}

    /// Puts the standard's tables into the slots 0 and 1 that are empty, as Motion JPEG expects.
    package mutating func fillInStandardTables() {
        for slot in 0...1 {
            dc[slot] = dc[slot] ?? StandardTables.dc[slot]
            ac[slot] = ac[slot] ?? StandardTables.ac[slot]
        }
    }

    /// The table of that slot, ready for decoding: made anew for each scan, which is work, unless it is one of the standard's.
    package func huffmanTable(
        _ tableClass: HuffmanSpecification.Class, slot: Int, use: HuffmanTable.Use, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> HuffmanTable {
        let slots = tableClass == .dc ? dc : ac
        guard slots.indices.contains(slot), let specification = slots[slot] else {
            throw .corruptJPEG(.jpegHuffmanMissing, offset, "scan without its Huffman table")
        }
        if let table = HuffmanTable.standard(specification, use: use) { return table }
        try work.spend(HuffmanTable.count)
        return try HuffmanTable(specification, use: use, offset: offset)
    }

    /// The quantisation steps of a component.
    package func quantizationTable(slot: Int, offset: Int) throws(ImageError) -> QuantizationTable {
        guard quantization.indices.contains(slot), let table = quantization[slot] else {
            throw .corruptJPEG(.jpegQuantizationMissing, offset, "scan without its quantization table")
        }
        return table
    }
}
