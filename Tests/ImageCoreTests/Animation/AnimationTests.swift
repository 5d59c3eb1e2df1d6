import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct AnimationTests {
    private let file = StubStream.file(width: 3, height: 4)

    private func session(_ options: DecodingOptions = .default) -> DecodingSession<StubStream> {
        let request = DecodingRequest(options: options, purpose: .incremental)
        var stream = StubStream(request)
        stream.isMovie = true
        return DecodingSession(request, stream)
    }

    private func pixels(_ animation: any AnimatedImageProvider) throws -> [[UInt8]] {
        try (0..<animation.frameCount).map { try animation.frame(at: $0).bitmap.packedBytes() }
    }

    @Test func framesAppearWhileBytesArrive() throws {
        var session = session()
        var counts: [Int] = []
        for byte in file {
            _ = try session.append([byte].span)
            counts.append(try session.animation()?.frameCount ?? 0)
        }
        _ = try session.finish()
        #expect(counts == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4])
        let movie = try #require(try session.animation())
        #expect(try pixels(movie) == (0..<4).map { Array(repeating: UInt8($0), count: 3) })
        #expect(try movie.duration(at: 3) == .seconds(4))
        #expect(movie.loopCount == 3)
        #expect(movie.info.animation?.frameCount == 4)
    }

    @Test func aSnapshotDoesNotChange() throws {
        var session = session()
        _ = try session.append(file.span.extracting(0..<10))
        let early = try #require(try session.animation())
        _ = try session.append(file.span.extracting(10..<file.count))
        #expect(early.frameCount == 1)
        #expect(try pixels(early) == [[0, 0, 0]])
    }

    @Test func stillsHaveNoAnimationWhileTheyAreDecoded() throws {
        let request = DecodingRequest(options: .default, purpose: .incremental)
        var session = DecodingSession(request, StubStream(request))
        _ = try session.append(file.span)
        #expect(try session.animation()?.frameCount == nil)
    }

    @Test func limitsAndWishesHoldInPiecesToo() throws {
        var options = DecodingOptions()
        options.limits.maxFrameCount = 2
        var limited = session(options)
        _ = try limited.append(file.span.extracting(0..<13))
        #expect(try limited.animation()?.frameCount == 2)
        _ = try limited.append(file.span.extracting(13..<file.count))
        #expect(throws: ImageError.limitExceeded(.frames, requested: 4, allowed: 2)) { try limited.animation() }
        options.firstFrameOnly = true
        var first = session(options)
        _ = try first.append(file.span)
        #expect(try first.animation()?.frameCount == 1)
    }
}

@Suite struct RegistryAnimationTests {
    private let file = ImageData(StubStream.file(width: 3, height: 4))

    @Test func theRegistryOpensAnimations() throws {
        let registry = CoderRegistry([StubMovieCoder()])
        let movie = try registry.makeAnimation(from: file, options: .default)
        #expect(movie.frameCount == 4)
        #expect(try movie.frame(at: 2).bitmap.packedBytes() == [2, 2, 2])
        var bitmap = Bitmap.empty
        #expect(try movie.frame(at: 1, into: &bitmap) == nil)
        #expect(bitmap.packedBytes() == [1, 1, 1])
        for index in [-1, 4] {
            #expect(throws: ImageError.self) { try movie.frame(at: index) }
            #expect(throws: ImageError.self) { try movie.duration(at: index) }
        }
    }

    @Test func moreFramesThanAllowedAreRefused() throws {
        var options = DecodingOptions()
        options.limits.maxFrameCount = 3
        #expect(throws: ImageError.limitExceeded(.frames, requested: 4, allowed: 3)) {
            try CoderRegistry([StubMovieCoder()]).makeAnimation(from: file, options: options)
        }
        options.limits.maxFrameCount = 4
        #expect(try CoderRegistry([StubMovieCoder()]).makeAnimation(from: file, options: options).frameCount == 4)
    }

    @Test func theFirstFrameAloneIsNotTooMany() throws {
        var options = DecodingOptions()
        options.limits.maxFrameCount = 1
        options.firstFrameOnly = true
        let movie = try CoderRegistry([StubMovieCoder()]).makeAnimation(from: file, options: options)
        #expect(movie.frameCount == 1)
        #expect(try movie.frame(at: 0).bitmap.packedBytes() == [0, 0, 0])
        #expect(try movie.duration(at: 0) == .seconds(1))
        #expect(throws: ImageError.self) { try movie.frame(at: 1) }
        #expect(throws: ImageError.self) { try movie.duration(at: 1) }
    }

    @Test func aCoderOfWholeFilesHasItsFramesWhenTheFileIsThere() throws {
        var decoder = CoderRegistry([StubMovieCoder()]).makeIncrementalDecoder(options: .default)
        try file.withBytes { (bytes) throws(ImageError) in _ = try decoder.append(bytes) }
        #expect(try decoder.animation()?.frameCount == nil)
        _ = try decoder.finish()
        #expect(try decoder.animation()?.frameCount == 4)
    }

    @Test func stillsAreOpenedWithoutDecodingThem() throws {
        // Damage in the first row: opening does not see it.
        var bytes = StubStream.file(width: 3, height: 4)
        bytes[StubStream.headerByteCount] = 254
        let still = try CoderRegistry([StubStreamCoder()]).makeAnimation(from: ImageData(bytes), options: .default)
        #expect(still.frameCount == 1)
        #expect(still.info.animation == nil)
        #expect(still.loopCount == 1)
        #expect(throws: ImageError.self) { try still.frame(at: 0) }
    }

    @Test func aStillIsDecodedOnce() throws {
        let coder = CountingCoder()
        let still = try CoderRegistry([coder]).makeAnimation(from: file, options: .default)
        #expect(coder.decoded.value == 0)
        for _ in 0..<3 { #expect(try still.frame(at: 0).bitmap.size == PixelSize(width: 1, height: 1)) }
        #expect(coder.decoded.value == 1)
        var bitmap = Bitmap.empty
        try still.frame(at: 0, into: &bitmap)
        #expect(coder.decoded.value == 2)
        #expect(bitmap.size == PixelSize(width: 1, height: 1))
    }

    private struct CountingCoder: ImageCoder {
        let decoded = SharedCounter()

        func canDecode(_ header: Span<UInt8>) -> Bool { true }

        func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
            try StubCoder(name: 1).inspect(data, options: options)
        }

        func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
            decoded.increment()
            return try StubCoder(name: 1).decode(data, options: options)
        }
    }
}
