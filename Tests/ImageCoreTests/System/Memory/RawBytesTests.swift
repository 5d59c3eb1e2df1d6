import CodecTestSupport
import ImageCodecsCore
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

    @Test func samplesOfSixteenBitsAreReadInTheMachinesOrder() {
        let bytes = [9] + bytesInMemory([0x1234, 0xFEDC])
        #expect(bytes.withRawSpan { $0.nativeUInt16(at: 1) } == 0x1234)
        #expect(bytes.withRawSpan { $0.nativeUInt16(at: 3) } == 0xFEDC)
    }

    /// The samples as they lie in memory.
    private func bytesInMemory(_ samples: [UInt16]) -> [UInt8] {
        samples.flatMap { sample in [0, 8].map { UInt8(truncatingIfNeeded: sample.littleEndian >> $0) } }
    }
}
