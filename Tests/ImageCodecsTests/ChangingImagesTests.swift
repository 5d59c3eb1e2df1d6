import CodecTestSupport
import ImageCodecs
import Testing

@Suite struct ChangingImagesTests {
    /// `width` x `height` pixels of gray, numbered from the top left.
    private func numbered(_ width: Int, _ height: Int) throws -> Bitmap {
        try Bitmap(
            copying: (0..<width * height).map { UInt8($0) }, size: PixelSize(width: width, height: height),
            format: .gray)
    }

    private func rows(_ bitmap: Bitmap) -> [[UInt8]] {
        (0..<bitmap.height).map { bitmap.withRow($0) { row in row.indices.map { row[$0] } } }
    }

    @Test func whatIsSeenIsTurned() throws {
        // Stored 0 1 2 / 3 4 5; .right is seen turned clockwise.
        let stored = try RasterImage(bitmap: numbered(3, 2), orientation: .right)
        #expect(rows(try stored.upright().bitmap) == [[3, 0], [4, 1], [5, 2]])
        #expect(rows(try stored.rotated(.clockwise).bitmap) == [[5, 4, 3], [2, 1, 0]])
        #expect(rows(try stored.rotated(.counterclockwise).bitmap) == [[0, 1, 2], [3, 4, 5]])
        #expect(rows(try stored.rotated(.half).bitmap) == [[2, 5], [1, 4], [0, 3]])
        #expect(rows(try stored.flipped(.horizontal).bitmap) == [[0, 3], [1, 4], [2, 5]])
        #expect(rows(try stored.flipped(.vertical).bitmap) == [[5, 2], [4, 1], [3, 0]])
        #expect(try stored.rotated(.clockwise).orientation == .up)
    }

    @Test func boxesAreForThePictureAsSeen() throws {
        let upright = try RasterImage(bitmap: numbered(20, 10))
        #expect(try upright.scaled(toFit: PixelSize(width: 10, height: 10)).size == PixelSize(width: 10, height: 5))
        #expect(try upright.scaled(toFit: PixelSize(width: 40, height: 40)).size == PixelSize(width: 20, height: 10))
        #expect(try upright.scaled(toFit: PixelSize(width: 0, height: 2)).size == PixelSize(width: 4, height: 2))
        #expect(try upright.scaled(toFill: PixelSize(width: 5, height: 5)).size == PixelSize(width: 10, height: 5))
        #expect(try upright.scaled(to: PixelSize(width: 30, height: 7)).size == PixelSize(width: 30, height: 7))
        var turned = upright
        turned.orientation = .left
        // Seen it is 10x20.
        #expect(try turned.scaled(toFit: PixelSize(width: 5, height: 100)).size == PixelSize(width: 10, height: 5))
        #expect(try turned.scaled(to: PixelSize(width: 3, height: 7)).size == PixelSize(width: 7, height: 3))
        let thumbnail = try turned.thumbnail(10)
        #expect(thumbnail.size == PixelSize(width: 5, height: 10))
        #expect(thumbnail.orientation == .up)
        #expect(throws: ImageError.self) { try upright.scaled(to: PixelSize(width: 0, height: 1)) }
    }

    @Test func theMiddleIsCutOut() throws {
        let image = try RasterImage(bitmap: numbered(5, 4))
        #expect(
            rows(try image.croppedToCenter(PixelSize(width: 2, height: 2)).bitmap) == [[6, 7], [11, 12]])
        #expect(try image.croppedToCenter(PixelSize(width: 9, height: 1)).size == PixelSize(width: 5, height: 1))
        #expect(throws: ImageError.self) { try image.croppedToCenter(PixelSize(width: -1, height: 1)) }
    }

    @Test func everyFrameIsChangedAndEverythingElseStays() throws {
        let first = try numbered(4, 4)
        let second = try first.oriented(.down)
        let movie = RasterImage(
            bitmap: first, scale: 2, format: .gif,
            animation: .init(
                frames: [
                    ImageFrame(bitmap: first, duration: .milliseconds(40)),
                    ImageFrame(bitmap: second, duration: .milliseconds(50)),
                ], loopCount: 3))
        let changed = try movie.flipped(.vertical).cropped(to: PixelRect(x: 0, y: 0, width: 4, height: 1))
            .converted(to: .rgb)
        #expect(changed.scale == 2)
        #expect(changed.format == .gif)
        #expect(changed.animation?.loopCount == 3)
        #expect(changed.frames.map(\.duration) == [.milliseconds(40), .milliseconds(50)])
        #expect(changed.frames[0].bitmap.hasSameStorage(as: changed.bitmap))
        #expect(rows(try changed.frames[0].bitmap.converted(to: .gray)) == [[12, 13, 14, 15]])
        #expect(rows(try changed.frames[1].bitmap.converted(to: .gray)) == [[3, 2, 1, 0]])
        #expect(changed.width == 4)
        #expect(changed.height == 1)
    }

    @Test func anImageIsCroppedWithItsFrames() throws {
        let first = try numbered(7, 4)
        let second = try Bitmap(size: first.size, format: .gray)
        let frames = [first, second].map { ImageFrame(bitmap: $0, duration: .milliseconds(40)) }
        let image = RasterImage(bitmap: first, scale: 2, animation: .init(frames: frames, loopCount: 3))
        let rect = PixelRect(x: 1, y: 1, width: 4, height: 2)
        let part = try image.cropped(to: rect)
        #expect(part.bitmap == (try first.cropped(to: rect)))
        #expect(part.animation?.frames.map(\.bitmap) == [try first.cropped(to: rect), try second.cropped(to: rect)])
        #expect(part.scale == 2 && part.animation?.loopCount == 3)
    }

    @Test func aCancelledTaskChangesNothing() async throws {
        let image = try RasterImage(bitmap: Bitmap(size: PixelSize(width: 2000, height: 2000), format: .rgba))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try image.blurred(radius: 4)
        }
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }
}
