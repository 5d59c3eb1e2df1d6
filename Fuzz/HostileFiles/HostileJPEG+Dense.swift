// Blocks that take as many bytes as blocks can: 63 coefficients of 15 one bits each, and fill bytes before every
// stuffed zero. Readers that keep a margin for one block, or begin an MCU again when it is not all there, meet their
// worst case.

extension HostileJPEG {
    /// Tables that make a code of one bit and fifteen ones two bytes, of which the second is 0xFF.
    private static let dc = HuffmanRecipe(counts: [1, 1], symbols: [0, 5])
    private static let ac = HuffmanRecipe(counts: [1, 1], symbols: [0x0F, 0x00])

    /// Makes the frame small and its blocks dense.
    mutating func makeDense() {
        isDense = true
        frame.width = 1 + frame.width % 16
        frame.height = 1 + frame.height % 16
    }

    /// Defines the tables of dense blocks in two slots.
    mutating func writeDenseTables() {
        dcTables = [Self.dc, Self.dc]
        acTables = [Self.ac, Self.ac]
        for slot in 0..<2 {
            add(0xC4, Self.dc.segmentPart(isAC: false, slot: slot) + Self.ac.segmentPart(isAC: true, slot: slot))
        }
    }

    /// The AC coefficients of one dense block.
    func putDenseCoefficients(_ band: ClosedRange<Int>, _ writer: inout EntropyBitWriter) {
        for _ in band {
            writer.put(0x0F, Self.ac)
            writer.put(0x7FFF, 15)
        }
    }

    /// A whole scan of dense blocks; DC scans have differences of zero.
    func denseData(blocks: Int, band: ClosedRange<Int>) -> [UInt8] {
        var writer = EntropyBitWriter(fillCount: fillCount)
        for _ in 0..<blocks {
            if band.lowerBound == 0 { writer.put(0, Self.dc) } else { putDenseCoefficients(band, &writer) }
        }
        writer.flush()
        return writer.bytes
    }
}
