import CodecTestSupport
import ImageCore
import Testing

@Suite struct RawBytesTests {
    private func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        // SAFETY: every byte of a span of bytes is initialised.
        unsafe left.span.bytes.hasSameBytes(as: right.span.bytes)
    }

    @Test func comparisonFindsADifferenceInAnyPlace() {
        var random = SeededRandom(seed: 7)
        for count in 0...130 {
            let bytes = random.bytes(count)
            #expect(isSame(bytes, bytes))
            #expect(!isSame(bytes, bytes + [0]))
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                #expect(!isSame(bytes, other))
            }
        }
    }
}
