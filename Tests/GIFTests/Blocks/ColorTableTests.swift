import GIFCodec
import ImageCodecsCore
import Testing

@Suite struct ColorTableTests {
    @Test func countsAreThePowersOfTwoUpTo256() {
        #expect((UInt8(0)...7).map { ColorTable.count(packedFields: 0x80 | $0) } == [2, 4, 8, 16, 32, 64, 128, 256])
        #expect(ColorTable.count(packedFields: 0x7F) == 0)
    }

    @Test func entriesAreOpaqueAndOneIndexMayBeTransparent() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6]
        let table = ColorTable(bytes.span)
        #expect(table.rgba == [0xFF03_0201, 0xFF06_0504])
        #expect(Array(table.palette(transparentIndex: 1).rgba.prefix(2)) == [0xFF03_0201, 0])
        #expect(!table.palette(transparentIndex: nil).hasAlpha)
    }

    @Test func anIndexBehindTheTableMayBeTheTransparentOne() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6]
        let palette = ColorTable(bytes.span).palette(transparentIndex: 200)
        #expect(palette.rgba[200] == 0)
        #expect(palette.rgba[199] == 0xFF00_0000)
        #expect(palette.hasAlpha)
    }
}
