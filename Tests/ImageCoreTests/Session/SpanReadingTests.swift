import ImageCodecsCore
import Testing

@Suite struct SpanReadingTests {
    private let bytes: [UInt8] = [0x01, 0x02, 0x03, 0xF4, 0x05]

    @Test func integersComeInBothByteOrders() {
        let bigEndianUInt16 = bytes.span.bigEndianUInt16(at: 1)
        #expect(bigEndianUInt16 == 0x0203)
        let littleEndianUInt16 = bytes.span.littleEndianUInt16(at: 1)
        #expect(littleEndianUInt16 == 0x0302)
        let bigEndianUInt32 = bytes.span.bigEndianUInt32(at: 1)
        #expect(bigEndianUInt32 == 0x0203_F405)
        let littleEndianUInt32 = bytes.span.littleEndianUInt32(at: 1)
        #expect(littleEndianUInt32 == 0x05F4_0302)
    }

    @Test func namesAreComparedWithinBounds() {
        let name = Array("IHDR".utf8)
        func has(_ text: String, at offset: Int = 0) -> Bool { name.span.hasBytes(text, at: offset) }
        #expect(has("IHDR"))
        #expect(has("DR", at: 2))
        #expect(!has("DR", at: 3))
        #expect(!has("IHDRx"))
        #expect(!has("I", at: -1))
        #expect(has("", at: 4))
    }
}
