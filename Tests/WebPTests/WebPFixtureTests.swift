import CodecTestSupport
import WebPCodec
import ImageCodecsCore
import Testing

/// Every fixture against what independent readers make of it.
@Suite struct WebPFixtureTests {
    private static var straight: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        return options
    }

    private func checksums(_ frames: [ImageFrame]) throws -> [String] {
        try frames.map { try PixelDigest.crc32(of: $0.bitmap) }
    }

    @Test func thereAreFixtures() {
        #expect(AnimationFixture.sound("webp").count >= 55)
        #expect(AnimationFixture.damaged("webp").count >= 25)
    }

    @Test(arguments: AnimationFixture.sound("webp"))
    func soundFilesDecodeInOneShot(_ fixture: AnimationFixture) throws {
        let image = try WebPCoder().decode(ImageData(fixture.bytes()), options: Self.straight)
        try check(fixture, image.frames, image.animation?.loopCount)
        #expect(image.format == .webP)
        if let crc = fixture.expected.rgbaCRC32 { #expect(try PixelDigest.crc32(of: image.bitmap) == crc) }
    }

    @Test(arguments: AnimationFixture.sound("webp"), [1, 7, 4096])
    func soundFilesDecodeInPieces(_ fixture: AnimationFixture, pieceSize: Int) throws {
        let file = try fixture.bytes()
        var decoder = WebPCoder().makeIncrementalDecoder(options: Self.straight)
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            _ = try decoder.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
        }
        #expect(try decoder.finish().isComplete)
        let picture = try decoder.image()
        if let crc = fixture.expected.rgbaCRC32 {
            #expect(try picture.map { try PixelDigest.crc32(of: $0.bitmap) } == crc)
        }
        guard let animation = try decoder.animation() else {
            #expect(fixture.expected.loop == nil)
            return
        }
        try check(fixture, (0..<animation.frameCount).map { try animation.frame(at: $0) }, animation.loopCount)
    }

    private func check(_ fixture: AnimationFixture, _ frames: [ImageFrame], _ loopCount: Int?) throws {
        let expected = fixture.expected
        if let width = expected.width, let height = expected.height {
            #expect(frames.allSatisfy { $0.bitmap.size == PixelSize(width: width, height: height) })
        }
        if let crcs = expected.frameCRC32 { #expect(try checksums(frames) == crcs) }
        if expected.durationsMS == nil, expected.frameCRC32 != nil { #expect(frames.count == 1) }
        #expect(loopCount == expected.loop)
        if let durations = expected.durationsMS {
            #expect(frames.map(\.duration) == durations.map { .milliseconds($0) })
        }
    }

    @Test(arguments: AnimationFixture.sound("webp"))
    func anInspectionAgrees(_ fixture: AnimationFixture) throws {
        let data = ImageData(try fixture.bytes())
        let info = try WebPCoder().inspect(data, options: Self.straight)
        let image = try WebPCoder().decode(data, options: Self.straight)
        #expect(info.format == .webP)
        #expect(info.size == image.size)
        #expect(info.animation?.loopCount == image.animation?.loopCount)
        if let count = info.animation?.frameCount { #expect(count == image.frames.count) }
        let animation = try WebPCoder().makeAnimation(from: data, options: Self.straight)
        #expect(animation.frameCount == image.frames.count)
    }

    @Test(arguments: AnimationFixture.damaged("webp"))
    func damagedFilesAreRefused(_ fixture: AnimationFixture) throws {
        let file = try fixture.bytes()
        for pieceSize in [0, 1, 50] {
            let result = Result { () throws(ImageError) in
                pieceSize == 0
                    ? try WebPCoder().decode(ImageData(file), options: .default)
                    : try WebPCoder().decode(file, inPiecesOf: pieceSize, options: .default)
            }
            guard case .failure(let error) = result else {
                Issue.record("decoded in pieces of \(pieceSize)")
                continue
            }
            #expect(error.code == fixture.expected.error, "pieces of \(pieceSize)")
        }
    }

    @Test func framesInFrontOfTheDamageAreKept() throws {
        let file = try AnimationFixture.named("cut-in-second-frame.webp", "webp")
        var options = Self.straight
        options.strictness = .tolerant
        let image = try WebPCoder().decode(ImageData(file), options: options)
        #expect(image.animation?.frames.map(\.isPartial) == [false, true])
        #expect(image.partial?.frames?.done == 1)
        #expect(image.partial?.frameDamages.map(\.index) == [1])
        guard case .truncated = image.partial?.cause else {
            Issue.record("\(image.partial as Any)")
            return
        }
        let opened = try WebPCoder().makeAnimation(from: ImageData(file), options: options)
        #expect(opened.frameCount == 2)
        for index in 0..<2 { #expect(try opened.frame(at: index).bitmap == image.animation?.frames[index].bitmap) }
    }

    @Test func whatIsDamagedIsToldWithItsPlace() throws {
        let codes: [String: DamageCode] = [
            "riff-size-zero.webp": .webpFileSize, "picture-too-long.webp": .webpChunkSize,
            "picture-too-short.webp": .webpImageDataShort, "unknown-chunk-first.webp": .webpChunkOrder,
            "no-picture.webp": .webpImageMissing, "canvas-differs.webp": .webpCanvasSize,
            "canvas-2-to-32.webp": .webpCanvasSize, "frame-outside.webp": .webpFrameRectangle,
            "frame-without-header.webp": .webpChunkOrder, "picture-in-animation.webp": .webpChunkOrder,
            "second-frame-damaged.webp": .webpImageDataShort, "no-frame.webp": .webpImageMissing,
            "lossy-alpha-short.webp": .webpAlphaShort, "lossy-alpha-unknown.webp": .webpAlphaHeader,
        ]
        for (name, code) in codes.sorted(by: { $0.key < $1.key }) {
            let file = try AnimationFixture.named(name, "webp")
            do throws(ImageError) {
                _ = try WebPCoder().decode(ImageData(file), options: .default)
                Issue.record("\(name) decodes")
            } catch {
                #expect(error.damageCode == code, "\(name): \(error)")
                #expect((0...file.count).contains(error.offset ?? -1), "\(name)")
            }
        }
    }
}
