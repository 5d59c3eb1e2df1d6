import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct OrientationKernelsTests {
    static let pixelByteCounts = [1, 2, 3, 4, 8]

    /// Compares kernel and reference on random pixels with rows further apart than they need to be.
    private func check(_ size: PixelSize, _ bytesPerPixel: Int, _ random: inout SeededRandom) -> Bool {
        let bytesPerRow = size.width * bytesPerPixel + 5
        let source = random.bytes(bytesPerRow * size.height)
        return Orientation.allCases.allSatisfy { orientation in
            let seen = orientation.size(ofStored: size)
            let targetBytesPerRow = seen.width * bytesPerPixel + 3
            var expected = random.bytes(targetBytesPerRow * seen.height)
            var target = expected
            source.withRawSpan { source in
                expected.withMutableRawSpan {
                    OrientationKernelsReference.orient(
                        source, bytesPerRow: bytesPerRow, size: size, bytesPerPixel: bytesPerPixel,
                        orientation: orientation, into: &$0, targetBytesPerRow: targetBytesPerRow)
                }
                target.withMutableRawSpan {
                    OrientationKernels.orient(
                        source, bytesPerRow: bytesPerRow, size: size, bytesPerPixel: bytesPerPixel,
                        orientation: orientation, into: &$0, targetBytesPerRow: targetBytesPerRow)
                }
            }
            return target == expected
        }
    }

    @Test(arguments: pixelByteCounts)
    func smallPicturesAreTurnedAsTheReferenceTurnsThem(_ bytesPerPixel: Int) {
        var random = SeededRandom(seed: UInt64(bytesPerPixel))
        for height in 0...40 {
            for width in 0...40 {
                let isEqual = check(PixelSize(width: width, height: height), bytesPerPixel, &random)
                #expect(isEqual, "\(width)x\(height)")
            }
        }
    }

    @Test(arguments: pixelByteCounts)
    func picturesOfSeveralTilesAreTurnedAsTheReferenceTurnsThem(_ bytesPerPixel: Int) {
        var random = SeededRandom(seed: 99)
        for size in [
            PixelSize(width: 131, height: 77), PixelSize(width: 64, height: 96), PixelSize(width: 1, height: 200),
        ] {
            let isEqual = check(size, bytesPerPixel, &random)
            #expect(isEqual, "\(size)")
        }
    }
}
