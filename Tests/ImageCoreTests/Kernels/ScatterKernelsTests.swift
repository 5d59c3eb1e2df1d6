import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct ScatterKernelsTests {
    @Test(arguments: [1, 2, 3, 4, 8])
    func scatteringEqualsTheReference(_ bytesPerPixel: Int) throws {
        var random = SeededRandom(seed: UInt64(bytesPerPixel))
        for count in 0...20 {
            for (start, step) in [(0, 8), (4, 8), (0, 4), (2, 4), (0, 2), (1, 2), (0, 1)] {
                let source = random.bytes(count * bytesPerPixel)
                var expected = random.bytes((start + count * step + 3) * bytesPerPixel)
                var row = try ScratchBuffer(byteCount: expected.count, meter: nil)
                row.withMutableBytes { bytes in
                    bytes.copy(expected.span)
                    source.withRawSpan {
                        ScatterKernels.scatter(
                            $0, into: &bytes, start: start, step: step, count: count, bytesPerPixel: bytesPerPixel)
                    }
                }
                source.withRawSpan { source in
                    expected.withMutableRawSpan {
                        ScatterKernelsReference.scatter(
                            source, into: &$0, start: start, step: step, count: count, bytesPerPixel: bytesPerPixel)
                    }
                }
                #expect(row.withBytes { $0.copiedBytes() } == expected)
            }
        }
    }
}
