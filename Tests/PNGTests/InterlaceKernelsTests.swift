import CodecTestSupport
import ImageCore
import PNG
import Testing

@Suite struct InterlaceKernelsTests {
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
                        scatterPixels(
                            $0, into: &bytes, start: start, step: step, count: count, bytesPerPixel: bytesPerPixel)
                    }
                }
                scatterPixelsReference(
                    source, into: &expected, start: start, step: step, count: count, bytesPerPixel: bytesPerPixel)
                #expect(row.withBytes { $0.copiedBytes() } == expected)
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 8])
    func replicationEqualsTheReference(_ bytesPerPixel: Int) throws {
        var random = SeededRandom(seed: UInt64(bytesPerPixel))
        for width in 1...35 {
            for step in [1, 2, 4, 8] {
                var expected = random.bytes(width * bytesPerPixel)
                var row = try ScratchBuffer(byteCount: expected.count, meter: nil)
                row.withMutableBytes { bytes in
                    bytes.copy(expected.span)
                    replicatePixels(&bytes, width: width, step: step, bytesPerPixel: bytesPerPixel)
                }
                replicatePixelsReference(&expected, width: width, step: step, bytesPerPixel: bytesPerPixel)
                #expect(row.withBytes { $0.copiedBytes() } == expected)
            }
        }
    }
}
