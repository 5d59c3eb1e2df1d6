import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PairEntropyTests {
    private var entropy: PairEntropy

    init() throws { entropy = try PairEntropy(meter: nil) }

    private mutating func bitCount(_ bytes: [UInt8]) -> Double {
        bytes.withSpan { $0.withRawBytes { Double(entropy.bitCount($0)) / 256 } }
    }

    @Test mutating func twoPairsByTurnsTakeABitEach() {
        // (0, 1), (1, 0), (0, 1), ...; before the first byte stands a zero, which makes one pair more.
        let bits = bitCount((0..<1000).map { UInt8($0 % 2) })
        #expect((1000...1015).contains(bits))
    }

    @Test mutating func pairsThatAreAllDifferentTakeAsManyBitsAsTheirNumberHas() {
        // 256 pairs (n, 2n + 1), each once.
        var bytes: [UInt8] = []
        for index in 0..<128 { bytes += [UInt8(2 * index), UInt8(255 - 2 * index)] }
        let bits = bitCount(bytes)
        #expect((2030...2049).contains(bits))
    }

    @Test mutating func nothingIsLeftOfTheBytesBefore() {
        let bytes = (0..<100).map { UInt8($0 * $0 % 251) }
        let first = bitCount(bytes)
        _ = bitCount((0..<300).map { UInt8($0 % 7) })
        let second = bitCount(bytes)
        #expect(first == second)
    }
}
