import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct HuffmanEncodingTableTests {
    /// Codes that T.81 prints in tables K.3 to K.6.
    @Test func codesAreThoseOfTheStandard() {
        let dc = HuffmanEncodingTable(StandardTables.dc[0])
        #expect(dc.codes[0] == 0b00 && dc.lengths[0] == 2)
        #expect(dc.codes[5] == 0b110 && dc.lengths[5] == 3)
        #expect(dc.codes[11] == 0b1_1111_1110 && dc.lengths[11] == 9)
        #expect(dc.lengths[12] == 0)
        let ac = HuffmanEncodingTable(StandardTables.ac[0])
        #expect(ac.codes[0x00] == 0b1010 && ac.lengths[0x00] == 4)
        #expect(ac.codes[0xF0] == 0b111_1111_1001 && ac.lengths[0xF0] == 11)
        #expect(ac.codes[0xFA] == 0xFFFE && ac.lengths[0xFA] == 16)
        let chroma = HuffmanEncodingTable(StandardTables.ac[1])
        #expect(chroma.codes[0x00] == 0b00 && chroma.lengths[0x00] == 2)
        #expect(chroma.codes[0xF0] == 0b11_1111_1010 && chroma.lengths[0xF0] == 10)
    }

    @Test func entriesJoinCodeAndValue() {
        let codes = BlockCodes(
            dc: HuffmanEncodingTable(StandardTables.dc[0]), ac: HuffmanEncodingTable(StandardTables.ac[0]))
        #expect(codes.entries.count == BlockCodes.count)
        // Difference -5: size 3 (100), bits 010.
        #expect(codes.entries[256 - 5] == 0b100_010 << 6 | 6)
        // Run 2, value 3: symbol 0x22 (11111001), bits 11.
        #expect(codes.entries[768 + 64 * 2 + 32 + 3] == 0b11_1110_0111 << 6 | 10)
    }
}
