import ImageCore
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
        func has(_ text: StaticString, at offset: Int = 0) -> Bool { name.span.hasBytes(text, at: offset) }
        #expect(has("IHDR"))
        #expect(has("DR", at: 2))
        #expect(!has("DR", at: 3))
        #expect(!has("IHDRx"))
        #expect(!has("I", at: -1))
        #expect(has("", at: 4))
    }
}

@Suite struct ByteReaderTests {
    @Test func readsInOrderAndStopsAtTheEnd() {
        var reader = ByteReader([1, 2, 3, 4, 5, 6, 7, 0, 9])
        #expect(reader.readUInt8() == 1)
        #expect(reader.readBigEndianUInt16() == 0x0203)
        #expect(reader.readBigEndianUInt32() == 0x0405_0607)
        #expect(reader.position == 7)
        #expect(reader.readBigEndianUInt32() == nil)
        #expect(reader.position == 7)
        #expect(reader.readBytes(2).map(Array.init) == [0, 9])
        #expect(reader.readUInt8() == nil)
        #expect(reader.readBigEndianUInt16() == nil)
        #expect(reader.readRest().isEmpty)
    }

    @Test func stringsEndAtAZeroByte() {
        var reader = ByteReader([65, 66, 0, 0, 67])
        #expect(reader.readNullTerminated().map(Array.init) == [65, 66])
        #expect(reader.readNullTerminated().map(Array.init) == [])
        #expect(reader.readNullTerminated() == nil)
        #expect(reader.remainingCount == 1)
        #expect(Array(reader.readRest()) == [67])
        #expect(reader.readNullTerminated() == nil)
    }

    @Test func negativeAndHugeCountsReadNothing() {
        var reader = ByteReader([1, 2])
        #expect(reader.readBytes(-1) == nil)
        #expect(reader.readBytes(3) == nil)
        #expect(reader.readBytes(.max) == nil)
        #expect(reader.readBytes(0).map(Array.init) == [])
        #expect(reader.remainingCount == 2)
    }
}
