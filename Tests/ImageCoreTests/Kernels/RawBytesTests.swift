import CodecTestSupport
import ImageCore
import Testing

@Suite struct RawBytesTests {
    @Test func comparisonFindsADifferenceInAnyPlace() {
        var random = SeededRandom(seed: 7)
        for count in 0...130 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(bytes.span.bytes.hasSameBytes(as: Array(bytes).span.bytes))
            #expect(!bytes.span.bytes.hasSameBytes(as: (bytes + [0]).span.bytes))
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                #expect(!bytes.span.bytes.hasSameBytes(as: other.span.bytes))
            }
        }
    }
}
