import ImageCodecsCore
import Testing

@Suite struct RasterImageTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private func frames(_ milliseconds: [Int]) -> [ImageFrame] {
        milliseconds.map { ImageFrame(bitmap: .empty, duration: .milliseconds($0)) }
    }

    @Test(arguments: [
        ("cat@2x.png", 2.0), ("cat@3x.png", 3), ("cat%402x.png", 2), ("https://example.org/cat%403x.jpg?x=1", 3),
        ("cat.png", 1), ("cat@4x.png", 1), ("cat@2x", 1), ("cat@2xpng", 1), ("@2x.", 2), ("", 1), ("cat%41 2x.png", 1),
        ("家@2x.png", 2),
    ])
    func namesPromiseAScale(_ key: String, _ factor: Double) {
        #expect(RasterImage.scale(promisedBy: key) == factor)
    }

    @Test func aStillIsOneFrameWithoutDuration() {
        let still = RasterImage(bitmap: .empty)
        #expect(still.frames.map(\.duration) == [.zero])
        let movie = RasterImage(
            bitmap: .empty, animation: RasterImage.Animation(frames: frames([20, 30]), loopCount: 0))
        #expect(movie.frames.count == 2)
    }

    @Test func theFormatToWriteSuitsThePicture() throws {
        let opaque = RasterImage(bitmap: try Bitmap(size: size(1, 1), format: .bgrx))
        let transparent = RasterImage(bitmap: try Bitmap(size: size(1, 1), format: .bgraPremultiplied))
        #expect(ImageFormat.preferred(for: opaque) == .jpeg)
        #expect(ImageFormat.preferred(for: transparent) == .png)
        var movie = transparent
        movie.animation = RasterImage.Animation(frames: frames([20]), loopCount: 0)
        #expect(ImageFormat.preferred(for: movie) == .gif)
        movie.format = .webP
        #expect(ImageFormat.preferred(for: movie) == .webP)
    }

    @Test func scalesBelowOneCountAsOne() {
        #expect(RasterImage(bitmap: .empty, scale: 0.5).scale == 1)
        #expect(RasterImage(bitmap: .empty, scale: .nan).scale == 1)
        #expect(RasterImage(bitmap: .empty, scale: 3).scale == 3)
    }
}
