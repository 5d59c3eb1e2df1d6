import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// Every fixture against what independent readers make of it.
@Suite struct GIFFixtureTests {
    private static var straight: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return options
    }

    private func checksums(_ frames: [ImageFrame]) throws -> [String] {
        try frames.map { try PixelDigest.crc32(of: $0.bitmap) }
    }

    @Test func thereAreFixtures() {
        #expect(AnimationFixture.sound("gif").count >= 40)
        #expect(AnimationFixture.damaged("gif").count >= 3)
    }

    @Test(arguments: AnimationFixture.sound("gif"))
    func soundFilesDecodeInOneShot(_ fixture: AnimationFixture) throws {
        let image = try GIFCoder().decode(ImageData(fixture.bytes()), options: Self.straight)
        try check(fixture, image.frames, image.animation?.loopCount)
        #expect(image.format == .gif)
        if let crc = fixture.expected.rgbaCRC32 { #expect(try PixelDigest.crc32(of: image.bitmap) == crc) }
    }

    @Test(arguments: AnimationFixture.sound("gif"), [1, 7, 4096])
    func soundFilesDecodeInPieces(_ fixture: AnimationFixture, pieceSize: Int) throws {
        let file = try fixture.bytes()
        var decoder = GIFCoder().makeIncrementalDecoder(options: Self.straight)
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

    @Test(arguments: AnimationFixture.sound("gif"))
    func anInspectionAgrees(_ fixture: AnimationFixture) throws {
        let data = ImageData(try fixture.bytes())
        let info = try GIFCoder().inspect(data, options: Self.straight)
        let image = try GIFCoder().decode(data, options: Self.straight)
        #expect(info.format == .gif)
        #expect(info.size == image.size)
        #expect(info.animation?.loopCount == image.animation?.loopCount)
        if let count = info.animation?.frameCount { #expect(count == image.frames.count) }
        let animation = try GIFCoder().makeAnimation(from: data, options: Self.straight)
        #expect(animation.frameCount == image.frames.count)
    }

    @Test(arguments: AnimationFixture.damaged("gif"))
    func damagedFilesAreRefused(_ fixture: AnimationFixture) throws {
        let file = try fixture.bytes()
        for pieceSize in [0, 1, 50] {
            let result = Result { () throws(ImageError) in
                pieceSize == 0
                    ? try GIFCoder().decode(ImageData(file), options: .default)
                    : try GIFCoder().decode(file, inPiecesOf: pieceSize, options: .default)
            }
            guard case .failure(let error) = result else {
                Issue.record("decoded in pieces of \(pieceSize)")
                continue
            }
            #expect(error.code == fixture.expected.error, "pieces of \(pieceSize)")
        }
    }

    @Test func framesInFrontOfTheDamageAreKept() throws {
        let file = try AnimationFixture.named("cut-in-third-frame.gif", "gif")
        var options = Self.straight
        options.strictness = .tolerant
        let image = try GIFCoder().decode(ImageData(file), options: options)
        #expect(image.animation?.frames.map(\.isPartial) == [false, false, true])
        #expect(image.partial?.frames?.done == 2)
        #expect(image.partial?.frameDamages.map(\.index) == [2])
        guard case .truncated = image.partial?.cause else {
            Issue.record("\(image.partial as Any)")
            return
        }
        let opened = try GIFCoder().makeAnimation(from: ImageData(file), options: options)
        #expect(opened.frameCount == 3)
        for index in 0..<3 { #expect(try opened.frame(at: index).bitmap == image.animation?.frames[index].bitmap) }
    }

    @Test func whatAnIndexOutOfTableDoesIsToldWithItsPlace() throws {
        let file = try AnimationFixture.named("code-out-of-range.gif", "gif")
        #expect(throws: ImageError.self) { try GIFCoder().decode(ImageData(file), options: .default) }
        do throws(ImageError) {
            _ = try GIFCoder().decode(ImageData(file), options: .default)
        } catch {
            #expect(error.damageCode == .gifImageDataCode)
            #expect((13..<file.count).contains(error.offset ?? 0))
        }
    }
}
