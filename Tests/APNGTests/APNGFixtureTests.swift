import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Every fixture against what independent readers make of it.
@Suite struct APNGFixtureTests {
    private static var straight: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return options
    }

    private func checksums(_ frames: [ImageFrame]) throws -> [String] {
        try frames.map { try PixelDigest.crc32(of: $0.bitmap) }
    }

    @Test func thereAreFixtures() {
        #expect(AnimationFixture.sound("apng").count >= 35)
        #expect(AnimationFixture.damaged("apng").count >= 4)
    }

    @Test(arguments: AnimationFixture.sound("apng"))
    func soundFilesDecodeInOneShot(_ fixture: AnimationFixture) throws {
        let image = try APNGCoder().decode(ImageData(fixture.bytes()), options: Self.straight)
        try check(fixture, image.animation?.frames ?? [], image.animation?.loopCount)
        if let crc = fixture.expected.rgbaCRC32 { #expect(try PixelDigest.crc32(of: image.bitmap) == crc) }
    }

    @Test(arguments: AnimationFixture.sound("apng"), [1, 7, 4096])
    func soundFilesDecodeInPieces(_ fixture: AnimationFixture, pieceSize: Int) throws {
        let file = try fixture.bytes()
        var decoder = APNGCoder().makeIncrementalDecoder(options: Self.straight)
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            _ = try decoder.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
        }
        #expect(try decoder.finish().isComplete)
        let picture = try decoder.image()
        if let crc = fixture.expected.rgbaCRC32 {
            #expect(try picture.map { try PixelDigest.crc32(of: $0.bitmap) } == crc)
        }
        let animation = try #require(try decoder.animation())
        try check(fixture, (0..<animation.frameCount).map { try animation.frame(at: $0) }, animation.loopCount)
    }

    private func check(_ fixture: AnimationFixture, _ frames: [ImageFrame], _ loopCount: Int?) throws {
        let expected = fixture.expected
        if let width = expected.width, let height = expected.height {
            #expect(frames.allSatisfy { $0.bitmap.size == PixelSize(width: width, height: height) })
        }
        if let crcs = expected.frameCRC32 { #expect(try checksums(frames) == crcs) }
        #expect(loopCount == expected.loop)
        if let durations = expected.durationsMS { #expect(frames.map(\.duration.wholeMilliseconds) == durations) }
    }

    @Test(arguments: AnimationFixture.sound("apng"))
    func thePictureIsThatOfAPNGDecoder(_ fixture: AnimationFixture) throws {
        let data = ImageData(try fixture.bytes())
        for options in [DecodingOptions.default, Self.straight, .thumbnail(width: 9, height: 9)] {
            let (still, picture) = (
                try PNGCoder().decode(data, options: options), try APNGCoder().decode(data, options: options)
            )
            #expect(still.bitmap == picture.bitmap)
            #expect(still.metadata == picture.metadata)
        }
    }

    @Test(arguments: AnimationFixture.damaged("apng"))
    func damagedFilesAreRefused(_ fixture: AnimationFixture) throws {
        let file = try fixture.bytes()
        for pieceSize in [0, 1, 50] {
            let result = Result { () throws(ImageError) in
                pieceSize == 0
                    ? try APNGCoder().decode(ImageData(file), options: .default)
                    : try APNGCoder().decode(file, inPiecesOf: pieceSize, options: .default)
            }
            guard case .failure(let error) = result else {
                Issue.record("decoded in pieces of \(pieceSize)")
                continue
            }
            #expect(error.code == fixture.expected.error, "pieces of \(pieceSize)")
        }
    }

    @Test(arguments: AnimationFixture.damaged("apng"))
    func framesInFrontOfTheDamageAreKept(_ fixture: AnimationFixture) throws {
        var options = Self.straight
        options.strictness = .tolerant
        let image = try APNGCoder().decode(ImageData(fixture.bytes()), options: options)
        #expect(image.isPartial)
        let opened = try APNGCoder().makeAnimation(from: ImageData(fixture.bytes()), options: options)
        for (index, frame) in (image.animation?.frames ?? []).enumerated() {
            #expect(try opened.frame(at: index).bitmap == frame.bitmap)
        }
    }

    @Test(arguments: Fixture.sound("png"))
    func plainFilesHaveNoAnimation(_ fixture: Fixture) throws {
        let data = ImageData(try FixtureBytes.read("png/\(fixture.name)"))
        let image = try APNGCoder().decode(data, options: Self.straight)
        #expect(image.animation == nil)
        #expect(image.bitmap == (try PNGCoder().decode(data, options: Self.straight).bitmap))
        #expect(try APNGCoder().makeAnimation(from: data, options: Self.straight).frameCount == 1)
    }
}
