import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct OklabKernelsTests {
    /// Pixels of which some are opaque and some equal the one before.
    private func pixels(_ width: Int, opaque share: Int, _ random: inout SeededRandom) -> [UInt32] {
        var pixels: [UInt32] = []
        for _ in 0..<width {
            if let last = pixels.last, Int.random(in: 0..<3, using: &random) == 0 {
                pixels.append(last)
                continue
            }
            let color = UInt32.random(in: 0...0xFF_FFFF, using: &random)
            let isOpaque = Int.random(in: 0..<100, using: &random) < share
            pixels.append(color | (isOpaque ? 255 : UInt32.random(in: 0...255, using: &random)) << 24)
        }
        return pixels
    }

    @Test(arguments: [0, 90, 100])
    func rowsHaveThePointsOfTheReference(_ share: Int) throws {
        var random = SeededRandom(seed: UInt64(share))
        for width in Array(0...17) + [640] {
            for run in 0..<20 {
                var row = try ScratchBuffer(byteCount: 4 * width, meter: nil)
                let pixels = pixels(width, opaque: share, &random)
                row.withMutableBytes { row in
                    for x in 0..<width { row.storeBytes(of: pixels[x], toByteOffset: 4 * x, as: UInt32.self) }
                }
                var points = [UInt8](repeating: 1, count: 16 * width + 16)
                var expected = points
                row.withBytes { row in
                    points.withMutableBytes { OklabKernels.convert(row, into: &$0, width: width) }
                    expected.withMutableBytes { OklabKernelsReference.convert(row, into: &$0, width: width) }
                }
                #expect(points == expected, "\(width) pixels, run \(run)")
            }
        }
    }

    @Test func everyGrayAndEveryPureColourIsTheReferences() throws {
        for channels in [0x01_0101, 0x01, 0x0100, 0x01_0000] as [UInt32] {
            var row = try ScratchBuffer(byteCount: 4 * 256, meter: nil)
            row.withMutableBytes { row in
                for value in 0..<256 as Range<UInt32> {
                    row.storeBytes(of: value * channels | 0xFF00_0000, toByteOffset: 4 * Int(value), as: UInt32.self)
                }
            }
            var points = [UInt8](repeating: 0, count: 16 * 256)
            var expected = points
            row.withBytes { row in
                points.withMutableBytes { OklabKernels.convert(row, into: &$0, width: 256) }
                expected.withMutableBytes { OklabKernelsReference.convert(row, into: &$0, width: 256) }
            }
            #expect(points == expected)
        }
    }
}
