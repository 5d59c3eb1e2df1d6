import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// Facts about files and playing that callers rely on.
@Suite struct WebPFactTests {
    private func file(_ name: String) throws -> ImageData { ImageData(try AnimationFixture.named(name, "webp")) }

    private func open(_ name: String, _ options: DecodingOptions = .default) throws -> any AnimatedImageProvider {
        try WebPCoder().makeAnimation(from: file(name), options: options)
    }

    private func decode(_ name: String, _ options: DecodingOptions = .default) throws -> RasterImage {
        try WebPCoder().decode(file(name), options: options)
    }

    // MARK: Animations

    @Test func fiveFramesOf100MillisecondsPlayForEver() throws {
        let animation = try open("five-frames-100ms.webp")
        #expect(animation.frameCount == 5)
        #expect(animation.loopCount == 0)
        for index in 0..<5 { #expect(try animation.duration(at: index) == .milliseconds(100)) }
    }

    @Test func theLoopCountIsTheNumberOfPlays() throws {
        #expect(try open("plays-1.webp").loopCount == 1)
        #expect(try open("plays-3.webp").loopCount == 3)
    }

    @Test func durationsAreStoredAsTheyAreAndShownLonger() throws {
        let image = try decode("durations.webp")
        #expect(image.frames.map(\.duration) == [.zero, .milliseconds(10), .milliseconds(0xFF_FFFF)])
        #expect(
            image.frames.map(\.effectiveDuration) == [
                .milliseconds(100), .milliseconds(100), .milliseconds(0xFF_FFFF),
            ])
    }

    @Test func oneFrameIsAnAnimationToo() throws {
        #expect(try open("one-frame.webp").frameCount == 1)
        #expect(try WebPCoder().inspect(file("one-frame.webp"), options: .default).animation?.frameCount == 1)
        #expect(try decode("one-frame.webp").animation?.frames.count == 1)
    }

    @Test func framesAreDescribedAsTheyAreStored() throws {
        for (name, blending, disposal) in [
            ("blend-keep.webp", FrameInfo.Blending.over, FrameInfo.Disposal.keep), ("blend-clear.webp", .over, .clear),
            ("replace-keep.webp", .replace, .keep), ("replace-clear.webp", .replace, .clear),
        ] {
            let info = try open(name).frameInfo(at: 2)
            #expect(info.rect == PixelRect(x: 10, y: 6, width: 12, height: 12))
            #expect((info.blending, info.disposal) == (blending, disposal))
        }
    }

    @Test func theBackgroundColorIsNotPainted() throws {
        // The file says that it is opaque.
        let frame = try open("small-first-frame.webp").frame(at: 0).bitmap
        #expect(frame.packedBytes()[3] == 0)
    }

    @Test func thePictureIsTheFirstFrameOnTheCanvas() throws {
        for name in ["small-first-frame.webp", "opaque-small-first-frame.webp", "blend-keep.webp"] {
            let image = try decode(name)
            #expect(image.size == image.frames[0].bitmap.size)
            let picture = try image.bitmap.converted(to: .bgraPremultiplied)
            #expect(picture == (try image.frames[0].bitmap.converted(to: .bgraPremultiplied)))
        }
    }

    @Test func aFrameHasTheSizeOfItsPicture() throws {
        let info = try open("frame-size-differs.webp").frameInfo(at: 1)
        #expect(info.rect == PixelRect(x: 4, y: 2, width: 12, height: 12))
    }

    @Test func aFrameWithNothingInItIsNone() throws {
        #expect(try open("empty-frame.webp").frameCount == 2)
    }

    @Test func theFirstFrameAloneIsDecodedAlone() throws {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        let image = try decode("five-frames-100ms.webp", options)
        #expect((image.animation?.frames.count ?? 1) == 1)
        #expect(try open("five-frames-100ms.webp", options).frameCount == 1)
        // A bitmap takes the first picture; its report is of that alone.
        var bitmap = Bitmap.empty
        #expect(
            try WebPCoder().decode(file("five-frames-100ms.webp"), into: &bitmap, options: .default) == nil)
        #expect(bitmap == image.bitmap)
    }

    @Test func theFirstFrameAloneIsTurnedAsTheFileSaysBehindItsFrames() throws {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        let image = try decode("metadata-behind-frames.webp", options)
        #expect(image.size == PixelSize(width: 26, height: 36))
        #expect(try open("metadata-behind-frames.webp").frame(at: 1).bitmap.size == image.size)
    }

    // MARK: Stills

    @Test func anOpaqueStillHasNoAlpha() throws {
        #expect(try decode("lossless.webp").bitmap.format == .bgrx)
        #expect(try decode("lossless-alpha.webp").bitmap.format == .bgraPremultiplied)
        // What VP8X says about alpha is for lossy pictures; lossless ones say it themselves.
        #expect(try WebPCoder().inspect(file("flags-lie.webp"), options: .default).hasAlpha == false)
    }

    @Test func aStillHasNoAnimation() throws {
        let image = try decode("lossless.webp")
        #expect(image.animation == nil)
        let still = try open("lossless.webp")
        #expect((still.frameCount, still.loopCount) == (1, 1))
        #expect(try still.frame(at: 0).bitmap == image.bitmap)
    }

    @Test func colorsUnderTransparentPixelsAreKept() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let bytes = try decode("lossless-alpha-exact.webp", options).bitmap.packedBytes()
        let hidden = stride(from: 0, to: bytes.count, by: 4).filter { bytes[$0 + 3] == 0 }
        #expect(!hidden.isEmpty)
        #expect(hidden.contains { bytes[$0] != 0 || bytes[$0 + 1] != 0 })
    }

    @Test func alphaThatTheHeaderDeniesIsNone() throws {
        // The bit in the header is a hint; pixels under it are coded with alpha all the same.
        var file = try AnimationFixture.named("lossless-alpha.webp", "webp")
        #expect(file[24] & 0x10 != 0)
        file[24] &= ~0x10
        var options = DecodingOptions()
        let image = try WebPCoder().decode(ImageData(file), options: options)
        #expect(image.bitmap.format == .bgrx)
        options.pixelFormat = .rgba
        let bytes = try WebPCoder().decode(ImageData(file), options: options).bitmap.packedBytes()
        #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }

    // MARK: Metadata

    @Test(arguments: ["metadata-in-front.webp", "metadata-behind.webp"])
    func metadataStandInFrontAndBehind(_ name: String) throws {
        let image = try decode(name)
        #expect(image.metadata.iccProfile?.count == 128)
        #expect(image.metadata.xmp == Array("<x:xmpmeta/>".utf8))
        #expect(image.metadata.exif?.prefix(2) == Array("MM".utf8)[...])
        // Turned by a quarter: orientation 6.
        #expect(image.size == PixelSize(width: 26, height: 36))
        let info = try WebPCoder().inspect(file(name), options: .default)
        #expect((info.size, info.decodedSize) == (PixelSize(width: 36, height: 26), image.size))
        #expect(info.orientation == .right)
    }

    @Test func metadataCountWhetherOrNotTheyAreAnnounced() throws {
        let image = try decode("metadata-unannounced.webp")
        #expect(image.metadata.exif?.prefix(2) == Array("MM".utf8)[...])
        #expect(image.metadata.xmp == Array("odd".utf8))
    }

    @Test func whereTheExifStandsDoesNotMatter() throws {
        #expect(try decode("metadata-in-front.webp").bitmap == decode("metadata-behind.webp").bitmap)
    }

    // MARK: Pieces

    @Test func rowsAppearWhileAPictureComes() throws {
        let file = try AnimationFixture.named("lossless-fast.webp", "webp")
        var decoder = WebPCoder().makeIncrementalDecoder(options: .default)
        var rows: [Int] = []
        for byte in file {
            _ = try decoder.append([byte].span)
            if let count = try decoder.image()?.partial?.rows.last?.upperBound { rows.append(count) }
        }
        #expect(try decoder.finish().isComplete)
        #expect(Set(rows).count > 5)
        #expect(rows == rows.sorted())
    }

    @Test func framesAreThereWhenTheyAreWhole() throws {
        let file = try AnimationFixture.named("five-frames-100ms.webp", "webp")
        var decoder = WebPCoder().makeIncrementalDecoder(options: .default)
        var counts: Set<Int> = []
        for byte in file {
            _ = try decoder.append([byte].span)
            if let count = try decoder.animation()?.frameCount { counts.insert(count) }
        }
        #expect(counts == [1, 2, 3, 4, 5])
    }

    @Test func whatIsLargerThanTheLimitIsRefusedByItsHeader() throws {
        var options = DecodingOptions()
        options.limits.maxPixelCount = 36 * 26 - 1
        for name in ["lossless.webp", "metadata-in-front.webp", "five-frames-100ms.webp"] {
            let head = Array(try AnimationFixture.named(name, "webp").prefix(60))
            do throws(ImageError) {
                var decoder = WebPCoder().makeIncrementalDecoder(options: options)
                _ = try decoder.append(head.span)
                Issue.record("\(name) is accepted")
            } catch {
                #expect(error.code == "limitExceeded")
            }
        }
    }
}
