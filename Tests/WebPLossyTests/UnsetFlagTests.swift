import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// Flags that are passed over, against bools read one by one.
@Suite struct UnsetFlagTests {
    @Test func theFirstSetFlagIsTheSameReadOneByOne() {
        var random = SeededRandom(seed: 51)
        for round in 0..<200 {
            let count = 1 + Int(random.next() % 300)
            // Likely flags and unlikely ones; a partition that ends among them, and one that begins with 255.
            let probabilities = (0..<count).map { _ in
                UInt8(truncatingIfNeeded: random.next() | (round % 3 == 0 ? 0 : 224))
            }
            let bytes = [round % 10 == 9 ? 255 : 7] + random.bytes(Int(random.next() % 60))
            var (decoder, plain) = (BooleanDecoder(), BooleanDecoder())
            bytes.withSpan { input in
                #expect(decoder.flag(input) == plain.flag(input))
                var index = 0
                while index < count {
                    let found = decoder.firstSet(probabilities, from: index, input)
                    let expected = (index..<count).first { plain.bool(probabilities[$0], input) } ?? count
                    #expect(found == expected && decoder.isDry == plain.isDry)
                    #expect(decoder.literal(5, input) == plain.literal(5, input))
                    index = max(found, expected) + 1
                }
            }
        }
    }

    @Test func theKernelStopsWhereThePlainTwinDoesOrBeforeTheEnd() {
        var random = SeededRandom(seed: 52)
        for _ in 0..<200 {
            let count = Int(random.next() % 200)
            let probabilities = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() | 128) }
            let bytes = random.bytes(Int(random.next() % 40))
            bytes.withRawSpan { input in
                var (state, plain) = (BooleanState(next: 0), BooleanState(next: 0))
                let found = UnsetFlagKernel.pass(&state, probabilities, from: 0, input: input)
                let expected = UnsetFlagKernelReference.pass(&plain, probabilities, from: 0, input: input)
                // Of the last bytes the kernel leaves flags that the twin decodes.
                #expect(found.isSet ? found == expected : found.index <= expected.index)
                if !found.isSet, found.index < expected.index { #expect(bytes.count - state.next <= 8) }
            }
        }
    }
}
