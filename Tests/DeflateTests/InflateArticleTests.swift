// The stream that the article on inflate walks through.

#if SystemZlib
import CodecTestSupport
import DeflateCodec
import HostileFiles
import PNGCodec
import Testing

@Suite struct InflateArticleTests {
    static let stream: [UInt8] = [0x78, 0xDA, 0x63, 0x60, 0x87, 0x02, 0x00, 0x01, 0x05, 0x00, 0x39]

    @Test func theStreamOfTheArticleUnpacksToItsScanline() throws {
        var run = try InflateComparison.Run(Self.stream, InflateComparison.Feeding())
        let scanline: [UInt8] = [0, 7, 7, 7, 7, 7, 7, 7, 7]
        #expect(try run.finish() == InflateOutcome(output: scanline, ending: .finished, consumed: 11))
    }

    @Test func theBitsOfTheArticleAreThoseOfTheStream() {
        var writer = DeflateBitWriter()
        writer.put([0x78, 0xDA])
        writer.put(1, 1)
        writer.put(1, 2)
        writer.putCode(0b0011_0000, 8)
        writer.putCode(0b0011_0111, 8)
        writer.putCode(0b000_0101, 7)
        writer.putCode(0b00000, 5)
        writer.putCode(0b000_0000, 7)
        writer.alignToByte()
        #expect(writer.bytes + [0x01, 0x05, 0x00, 0x39] == Self.stream)
    }
}
#endif
