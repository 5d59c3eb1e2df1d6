import ImageCodecsCore
import JPEGCodec
import Testing

@Suite struct JPEGCoderTests {
    private func canDecode(_ bytes: [UInt8]) -> Bool { JPEGCoder().canDecode(bytes.span) }

    @Test func threeBytesTellAJPEGFile() {
        #expect(canDecode([0xFF, 0xD8, 0xFF, 0xE0]))
        #expect(!canDecode([0xFF, 0xD8]))
        #expect(!canDecode([0x89, 0x50, 0x4E, 0x47]))
        #expect(JPEGCoder().canEncode(to: .jpeg) && !JPEGCoder().canEncode(to: .png))
    }
}
