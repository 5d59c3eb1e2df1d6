import JPEGBaselineCodec
import Testing

@Suite struct EntropyWindowTests {
    private static let byteCount = 1 << 20

    @Test func whatFitsIsNotCut() {
        for position in [0, 1, 12_345] {
            for count in [0, 1, Self.byteCount] {
                let window = EntropyWindow(from: position, inputCount: position + count)
                #expect(window.end == position + count && !window.isCut)
            }
            let long = EntropyWindow(from: position, inputCount: position + Self.byteCount + 1)
            #expect(long.end == position + Self.byteCount && long.isCut)
        }
    }

    @Test func aWindowHoldsTheLongestMCU() {
        #expect(SequentialScan.longestMCUByteCount * EntropyBitReader.largestBytesPerDataByte <= Self.byteCount)
    }
}
