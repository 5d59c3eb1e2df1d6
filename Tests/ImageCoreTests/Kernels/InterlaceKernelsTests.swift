import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct InterlaceKernelsTests {
    @Test(arguments: [1, 2, 3, 4, 8])
    func replicationEqualsTheReference(_ bytesPerPixel: Int) throws {
        var random = SeededRandom(seed: UInt64(bytesPerPixel))
        for width in 1...35 {
            for step in [1, 2, 4, 8] {
                var expected = random.bytes(width * bytesPerPixel)
                var row = try ScratchBuffer(byteCount: expected.count, meter: nil)
                row.withMutableBytes { bytes in
                    bytes.copy(expected.span)
                    InterlaceKernels.replicate(&bytes, width: width, step: step, bytesPerPixel: bytesPerPixel)
                }
                expected.withMutableRawSpan {
                    InterlaceKernelsReference.replicate(&$0, width: width, step: step, bytesPerPixel: bytesPerPixel)
                }
                #expect(row.withBytes { $0.copiedBytes() } == expected)
            }
        }
    }
}
