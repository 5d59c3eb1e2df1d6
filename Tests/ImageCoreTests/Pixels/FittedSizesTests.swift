import ImageCodecsCore
import Testing

@Suite struct FittedSizesTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Figures of SDWebImage's scale-down.
    @Test func scaleDownFollowsItsFormula() {
        let large = size(5250, 3450)
        #expect(large.fitted(inByteCount: 60 << 20) == size(4892, 3214))
        #expect(large.fitted(inByteCount: 0) == size(4892, 3214))
        #expect(DecodingOptions.OutputSize.defaultByteCount == 60 << 20)
        #expect(large.fitted(inByteCount: 1) == size(1, 1))
        #expect(size(1029, 1029).fitted(inByteCount: 1 << 20) == size(512, 512))
        #expect(size(100, 100).fitted(inByteCount: 40_000) == size(100, 100))
        #expect(size(100, 100).fitted(inByteCount: 39_999) == size(99, 99))
        #expect(size(100, 100).fitted(inByteCount: 40_000, frameCount: 4) == size(50, 50))
        #expect(size(100, 100).fitted(inByteCount: 10_000, bytesPerPixel: 1) == size(100, 100))
    }

    @Test func scaledPicturesNeverExceedTheLimit() {
        for width in [1, 2, 3, 100, 5251, 65_535, 1 << 31 - 1] {
            for height in [1, 7, 1000, 1 << 31 - 1] {
                for limit in [1, 4, 5, 100, 4096, 1 << 20, 60 << 20, Int.max] {
                    let scaled = size(width, height).fitted(inByteCount: limit)
                    #expect(scaled.width >= 1 && scaled.height >= 1)
                    #expect(scaled.width <= width && scaled.height <= height)
                    // A side of one pixel cannot shrink further.
                    let isThin = scaled.width == 1 || scaled.height == 1
                    #expect(isThin || scaled.width * scaled.height * 4 <= limit, "\(width)x\(height) to \(limit)")
                }
            }
        }
    }

    @Test func absurdSizesNeitherHangNorTrap() {
        for absurd in [size(.max, 1), size(1, .max), size(.max, .max), size(.max, 2)] {
            for limit in [1, 1 << 26, .max] {
                for pixelSize in [1, 4] {
                    let scaled = absurd.fitted(inByteCount: limit, bytesPerPixel: pixelSize)
                    #expect(scaled.width >= 1 && scaled.height >= 1)
                }
            }
            #expect(absurd.fitted(in: size(400, 300)).width <= 400)
            #expect(size(1, 1).fitted(in: absurd, scalesUp: true).width >= 1)
        }
        #expect(size(0, 5).fitted(inByteCount: 1) == size(0, 5))
        #expect(size(-3, 5).fitted(in: size(1, 1)) == size(-3, 5))
    }

    @Test func thumbnailsFitTheirBox() {
        let large = size(5250, 3450)
        let box = size(400, 300)
        #expect(large.fitted(in: box) == size(400, 263))
        #expect(large.fitted(in: box, fit: .fill) == size(457, 300))
        #expect(large.fitted(in: box, fit: .stretch) == size(400, 300))
        #expect(size(20, 10).fitted(in: box) == size(20, 10))
        #expect(size(20, 10).fitted(in: box, scalesUp: true) == size(400, 200))
        #expect(large.fitted(in: size(400, 0)) == size(400, 263))
        #expect(large.fitted(in: size(0, 300)) == size(457, 300))
        #expect(large.fitted(in: size(0, 0)) == large)
        #expect(size(10_000, 1).fitted(in: box) == size(400, 1))
    }
}
