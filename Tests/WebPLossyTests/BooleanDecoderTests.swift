import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

@Suite struct BooleanDecoderTests {
    @Test func boolsComeBackAsTheyWereEncoded() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20 {
            let bools = (0..<4000).map { _ in
                let probability = UInt8(truncatingIfNeeded: random.next())
                return (UInt8(truncatingIfNeeded: random.next() >> 8) >= probability, probability)
            }
            var writer = BooleanWriter()
            for (isSet, probability) in bools { writer.write(isSet, probability: probability) }
            writer.finish()
            var decoder = BooleanDecoder()
            writer.bytes.withSpan { input in
                #expect(bools.allSatisfy { decoder.bool($0.1, input) == $0.0 })
            }
            #expect(!decoder.isDry)
        }
    }

    @Test func aByteIsMissedWhenABoolNeedsIt() {
        // One byte holds the eight bits that the first bool needs; the first shift asks for a second one.
        var decoder = BooleanDecoder()
        [0x00].withSpan { (input: Span<UInt8>) in
            _ = decoder.bool(128, input)
            #expect(!decoder.isDry)
            _ = decoder.bool(128, input)
        }
        // The range of the first bool is 255, so half of it needs no shift.
        #expect(!decoder.isDry)
        [0x00].withSpan { (input: Span<UInt8>) in _ = decoder.bool(128, input) }
        #expect(decoder.isDry)
    }
}
