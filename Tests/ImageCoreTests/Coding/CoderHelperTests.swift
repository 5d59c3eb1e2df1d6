import ImageCore
import Testing

@Suite struct CoderHelperTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test(arguments: [
        ("cat@2x.png", 2.0), ("cat@3x.png", 3), ("cat%402x.png", 2), ("https://example.org/cat%403x.jpg?x=1", 3),
        ("cat.png", 1), ("cat@4x.png", 1), ("cat@2x", 1), ("cat@2xpng", 1), ("@2x.", 2), ("", 1), ("cat%41 2x.png", 1),
        ("家@2x.png", 2),
    ])
    func namesPromiseAScale(_ key: String, _ factor: Double) {
        #expect(CoderHelper.scaleFactor(forKey: key) == factor)
    }

    /// Figures of SDWebImage's scale-down.
    @Test func scaleDownFollowsItsFormula() {
        let large = size(5250, 3450)
        #expect(CoderHelper.scaledSize(of: large, limitBytes: 60 << 20) == size(4892, 3214))
        #expect(CoderHelper.scaledSize(of: large, limitBytes: 0) == size(4892, 3214))
        #expect(CoderHelper.defaultScaleDownLimitBytes == 60 << 20)
        #expect(CoderHelper.scaledSize(of: large, limitBytes: 1) == size(1, 1))
        #expect(CoderHelper.scaledSize(of: size(1029, 1029), limitBytes: 1 << 20) == size(512, 512))
        #expect(CoderHelper.scaledSize(of: size(100, 100), limitBytes: 40_000) == size(100, 100))
        #expect(CoderHelper.scaledSize(of: size(100, 100), limitBytes: 39_999) == size(99, 99))
        #expect(CoderHelper.scaledSize(of: size(100, 100), limitBytes: 40_000, frameCount: 4) == size(50, 50))
        #expect(CoderHelper.scaledSize(of: size(100, 100), limitBytes: 10_000, bytesPerPixel: 1) == size(100, 100))
    }

    @Test func scaledPicturesNeverExceedTheLimit() {
        for width in [1, 2, 3, 100, 5251, 65_535, 1 << 31 - 1] {
            for height in [1, 7, 1000, 1 << 31 - 1] {
                for limit in [1, 4, 5, 100, 4096, 1 << 20, 60 << 20, Int.max] {
                    let scaled = CoderHelper.scaledSize(of: size(width, height), limitBytes: limit)
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
                    let scaled = CoderHelper.scaledSize(of: absurd, limitBytes: limit, bytesPerPixel: pixelSize)
                    #expect(scaled.width >= 1 && scaled.height >= 1)
                }
            }
            #expect(CoderHelper.scaledSize(of: absurd, in: size(400, 300)).width <= 400)
            #expect(CoderHelper.scaledSize(of: size(1, 1), in: absurd, scalesUp: true).width >= 1)
        }
        #expect(CoderHelper.scaledSize(of: size(0, 5), limitBytes: 1) == size(0, 5))
        #expect(CoderHelper.scaledSize(of: size(-3, 5), in: size(1, 1)) == size(-3, 5))
    }

    @Test func thumbnailsFitTheirBox() {
        let large = size(5250, 3450)
        let box = size(400, 300)
        #expect(CoderHelper.scaledSize(of: large, in: box) == size(400, 263))
        #expect(CoderHelper.scaledSize(of: large, in: box, fit: .fill) == size(457, 300))
        #expect(CoderHelper.scaledSize(of: large, in: box, fit: .stretch) == size(400, 300))
        #expect(CoderHelper.scaledSize(of: size(20, 10), in: box) == size(20, 10))
        #expect(CoderHelper.scaledSize(of: size(20, 10), in: box, scalesUp: true) == size(400, 200))
        #expect(CoderHelper.scaledSize(of: large, in: size(400, 0)) == size(400, 263))
        #expect(CoderHelper.scaledSize(of: large, in: size(0, 300)) == size(457, 300))
        #expect(CoderHelper.scaledSize(of: large, in: size(0, 0)) == large)
        #expect(CoderHelper.scaledSize(of: size(10_000, 1), in: box) == size(400, 1))
    }

    private func frames(_ milliseconds: [Int]) -> [ImageFrame] {
        milliseconds.map { ImageFrame(bitmap: .empty, duration: .milliseconds($0)) }
    }

    @Test func aTimelineTicksAtTheGreatestCommonDivisor() {
        let timeline = CoderHelper.timeline(of: frames([100, 250, 50]))
        #expect(timeline.tick == .milliseconds(50))
        #expect(timeline.repeatCounts == [2, 5, 1])
    }

    @Test func shortFramesCountAsAHundredMilliseconds() {
        let timeline = CoderHelper.timeline(of: frames([0, 10, 11, 200]))
        #expect(timeline.tick == .milliseconds(1))
        #expect(timeline.repeatCounts == [100, 100, 11, 200])
        #expect(CoderHelper.timeline(of: []).repeatCounts == [])
    }

    @Test func aStillIsOneFrameWithoutDuration() {
        let still = Image(bitmap: .empty)
        #expect(CoderHelper.frames(from: still).map(\.duration) == [.zero])
        let movie = Image(bitmap: .empty, animation: Image.Animation(frames: frames([20, 30]), loopCount: 0))
        #expect(CoderHelper.frames(from: movie).count == 2)
    }

    @Test func theFormatToWriteSuitsThePicture() throws {
        let opaque = Image(bitmap: try Bitmap(size: size(1, 1), format: .bgrx))
        let transparent = Image(bitmap: try Bitmap(size: size(1, 1), format: .bgraPremultiplied))
        #expect(CoderHelper.preferredFormat(for: opaque) == .jpeg)
        #expect(CoderHelper.preferredFormat(for: transparent) == .png)
        var movie = transparent
        movie.animation = Image.Animation(frames: frames([20]), loopCount: 0)
        #expect(CoderHelper.preferredFormat(for: movie) == .gif)
        movie.format = .webP
        #expect(CoderHelper.preferredFormat(for: movie) == .webP)
    }

    @Test func scalesBelowOneCountAsOne() {
        #expect(Image(bitmap: .empty, scale: 0.5).scale == 1)
        #expect(Image(bitmap: .empty, scale: .nan).scale == 1)
        #expect(Image(bitmap: .empty, scale: 3).scale == 3)
    }
}
