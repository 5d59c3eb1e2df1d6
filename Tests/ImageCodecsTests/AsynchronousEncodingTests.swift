import CodecTestSupport
import Foundation
import ImageCodecs
import ImagePipeline
import Testing

@Suite struct AsynchronousEncodingTests {
    private func picture() throws -> RasterImage {
        try RasterImage(contentsOfFile: Fixture.folder("png").appendingPathComponent("landscape.png").path)
    }

    /// In a function that is not asynchronous, `encoded` is the synchronous one.
    private func encodedAtOnce(_ image: RasterImage, as format: ImageFormat?) throws(ImageError) -> [UInt8] {
        try image.encoded(as: format)
    }

    @Test(arguments: [nil, ImageFormat.png, .jpeg, .gif]) func theFileIsTheSame(_ format: ImageFormat?) async throws {
        let image = try picture()
        let budget = DecodingBudget(byteCount: 1 << 28)
        let file = try await image.encoded(as: format, budget: budget)
        #expect(try file == encodedAtOnce(image, as: format))
        #expect(budget.bytesInUse == 0)
    }

    @Test func animationsKeepTheirFrames() async throws {
        let still = try picture()
        let frames = [still, try still.flipped(.vertical)].map {
            ImageFrame(bitmap: $0.bitmap, duration: .milliseconds(70))
        }
        var movie = still
        movie.animation = .init(frames: frames, loopCount: 2)
        let file = try await movie.encoded(as: .apng)
        #expect(try AnimatedImage(file).count == 2)
    }

    @Test func encodingWaitsForRoom() async throws {
        let image = try picture()
        let budget = DecodingBudget(byteCount: 1)
        let task = try await budget.withBytes(1) { () throws(ImageError) in
            let task = Task { try await image.encoded(as: .png, budget: budget) }
            while budget.waitingCount == 0 { await Task.yield() }
            return task
        }
        #expect(try await !task.value.isEmpty)
    }

    @Test func whatCannotBeEncodedIsRefusedBeforeItWaits() async throws {
        let image = RasterImage(bitmap: .empty)
        await #expect(throws: ImageError.self) { try await image.encoded(as: .png) }
        let error = await #expect(throws: ImageError.self) { try await picture().encoded(as: .tiff) }
        #expect(error?.code == "unsupported")
    }

    @Test func changesAreThoseOfTheClosure() async throws {
        let image = try picture()
        let changed = try await image.changed { (image) throws(ImageError) in
            try image.thumbnail(50).converted(to: .gray)
        }
        #expect(try changed.bitmap == image.thumbnail(50).converted(to: .gray).bitmap)
        await #expect(throws: ImageError.unknownFormat) {
            try await image.changed { (_) throws(ImageError) in throw .unknownFormat }
        }
    }

    @Test func aCancelledTaskEncodesNothing() async throws {
        let image = try picture()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await image.encoded(as: .png)
        }
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }
}
