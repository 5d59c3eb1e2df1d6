import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

@Suite struct BooleanEncoderTests {
    /// Bools and probabilities; with `bias`, the likely one mostly comes.
    private func bools(_ count: Int, _ random: inout SeededRandom, bias: Bool) -> [(isSet: Bool, probability: UInt8)] {
        (0..<count).map { _ in
            let probability = UInt8(max(1, random.next() % 256))
            let isSet = bias ? random.next() % 256 >= UInt64(probability) : random.next() % 2 == 0
            return (isSet, probability)
        }
    }

    @Test(arguments: [true, false])
    func theDecoderReadsWhatIsWritten(_ bias: Bool) {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 2, 7, 8, 9, 40, 41, 1000, 20_000] {
            let bools = bools(count, &random, bias: bias)
            var encoder = BooleanEncoder()
            for bool in bools { encoder.append(bool.isSet, bool.probability) }
            let bytes = encoder.finish()
            var decoder = BooleanDecoder()
            bytes.withSpan { bytes in
                for bool in bools { #expect(decoder.bool(bool.probability, bytes) == bool.isSet) }
            }
            #expect(!decoder.isDry)
        }
    }

    /// Ones of probability 255 bring the number as near to one as it gets, and with it long carries.
    @Test func carriesRunThroughBytesOf255() {
        for ones in 1..<200 {
            var encoder = BooleanEncoder()
            let bools = (0..<ones).map { _ in (true, UInt8(1)) } + [(false, 255), (true, 255), (true, 128), (true, 1)]
            for (isSet, probability) in bools { encoder.append(isSet, probability) }
            let bytes = encoder.finish()
            var decoder = BooleanDecoder()
            bytes.withSpan { bytes in
                for (isSet, probability) in bools { #expect(decoder.bool(probability, bytes) == isSet) }
            }
        }
    }

    @Test func numbersComeBack() {
        var encoder = BooleanEncoder()
        encoder.append(literal: 0b1011, 4)
        for value in [-15, 0, 9] { encoder.append(optionalSigned: value, 4) }
        let bytes = encoder.finish()
        var decoder = BooleanDecoder()
        bytes.withSpan { bytes in
            #expect(decoder.literal(4, bytes) == 0b1011)
            #expect(decoder.optionalSignedLiteral(4, bytes) == -15)
            #expect(decoder.optionalSignedLiteral(4, bytes) == nil)
            #expect(decoder.optionalSignedLiteral(4, bytes) == 9)
        }
    }

    /// A bool of probability one half costs a bit, one of a quarter two.
    @Test func costsAreLogarithms() {
        #expect(BitCosts.cost(true, 128) == 256 && BitCosts.cost(false, 128) == 256)
        #expect(BitCosts.cost(true, 192) == 512 && BitCosts.cost(false, 64) == 512)
        #expect(BitCosts.probability(setCount: 0, of: 10) == 255)
        #expect(BitCosts.probability(setCount: 10, of: 10) == 1)
        #expect(BitCosts.probability(setCount: 5, of: 10) == 128)
    }
}
