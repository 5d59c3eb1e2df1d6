import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// Facts about playing that callers rely on.
@Suite struct GIFFactTests {
    private func open(_ name: String, _ options: DecodingOptions = .default) throws -> any AnimatedImageProvider {
        try GIFCoder().makeAnimation(from: ImageData(AnimationFixture.named(name, "gif")), options: options)
    }

    @Test func fiveFramesOf120MillisecondsPlayForEver() throws {
        let animation = try open("five-frames-120ms.gif")
        #expect(animation.frameCount == 5)
        #expect(animation.loopCount == 0)
        for index in 0..<5 { #expect(try animation.duration(at: index) == .milliseconds(120)) }
    }

    @Test func withoutALoopExtensionItPlaysOnce() throws {
        let animation = try open("two-frames-no-loop.gif")
        #expect((animation.frameCount, animation.loopCount) == (2, 1))
    }

    @Test func repetitionsComeBehindTheFirstPlay() throws {
        #expect(try open("loop-count-3.gif").loopCount == 4)
        #expect(try open("animexts-loop.gif").loopCount == 0)
    }

    @Test func shortDelaysAreStoredAsTheyAreAndShownLonger() throws {
        let image = try GIFCoder().decode(
            ImageData(AnimationFixture.named("delays-0-and-1.gif", "gif")), options: .default)
        #expect(image.frames.map(\.duration) == [.zero, .milliseconds(10), .milliseconds(655_350)])
        #expect(
            image.frames.map(\.effectiveDuration) == [.milliseconds(100), .milliseconds(100), .milliseconds(655_350)])
    }

    @Test func aStillHasNoAnimation() throws {
        let file = try AnimationFixture.named("still-87a.gif", "gif")
        let image = try GIFCoder().decode(ImageData(file), options: .default)
        #expect(image.animation == nil)
        #expect(image.bitmap.format == .bgrx)
        let still = try GIFCoder().makeAnimation(from: ImageData(file), options: .default)
        #expect((still.frameCount, still.loopCount) == (1, 1))
        #expect(try still.frame(at: 0).bitmap == image.bitmap)
    }

    @Test func whatComesBackIsWhatWasThereBeforeTheFrame() throws {
        // Restored frames leave the canvas as the frame before them left it.
        let animation = try open("disposal-3.gif")
        for index in 1..<animation.frameCount {
            let info = try animation.frameInfo(at: index)
            #expect(info.disposal == .restore)
            #expect(info.composedFromIndex <= index)
        }
        let chain = try open("restore-chain.gif")
        var canvas = PlainCanvas(size: chain.info.size, isStraight: false)
        for index in 0..<chain.frameCount {
            canvas.show(try chain.frameInfo(at: index), try chain.subFrame(at: index).bitmap.packedBytes())
            #expect(try chain.frame(at: index).bitmap == (try canvas.bitmap()))
        }
    }

    @Test func reservedDisposalMethodsAreTreatedAsBrowsersDo() throws {
        let disposals = try (0..<8).map { try open("disposal-\($0).gif").frameInfo(at: 1).disposal }
        #expect(disposals == [.keep, .keep, .clear, .restore, .restore, .keep, .keep, .keep])
    }

    @Test func theScreenOfNoSizeTakesTheFirstFrames() throws {
        let animation = try open("zero-screen.gif")
        #expect(try animation.frameInfo(at: 0).rect == PixelRect(animation.info.size))
    }

    @Test func partsOutsideOfTheScreenAreNotShown() throws {
        let animation = try open("partly-outside.gif")
        let info = try animation.frameInfo(at: 1)
        let size = animation.info.size
        #expect(info.rect.x + info.rect.width > size.width && info.rect.y + info.rect.height > size.height)
        #expect(try animation.frame(at: 1).bitmap.size == size)
        #expect(try animation.subFrame(at: 1).bitmap.size == info.rect.size)
    }

    @Test func commentsAndPacketsAreMetadata() throws {
        let comment = try GIFCoder().decode(ImageData(AnimationFixture.named("comment.gif", "gif")), options: .default)
        #expect(!comment.metadata.comments.isEmpty)
        let packet = try GIFCoder().decode(ImageData(AnimationFixture.named("xmp.gif", "gif")), options: .default)
        #expect(packet.metadata.xmp?.isEmpty == false)
    }

    @Test func theFirstFrameAloneIsDecodedAlone() throws {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        let file = ImageData(try AnimationFixture.named("five-frames-120ms.gif", "gif"))
        let image = try GIFCoder().decode(file, options: options)
        #expect((image.animation?.frames.count ?? 1) == 1)
        #expect(try GIFCoder().makeAnimation(from: file, options: options).frameCount == 1)
        // A bitmap takes the first picture; its report is of that alone.
        var bitmap = Bitmap.empty
        #expect(try GIFCoder().decode(file, into: &bitmap, options: .default) == nil)
        #expect(bitmap == image.bitmap)
    }

    /// Whether or not an inspection had room to keep the first.
    @Test(arguments: ["XMP DataXMP", "ICCRGBG1012"])
    func packetsAndProfilesBehindTheFirstAreNotCounted(_ name: String) throws {
        var options = DecodingOptions.default
        options.limits.maxMetadataByteCount = 5 << 20
        let comments = MetadataBudget.inspectionByteCount / (MetadataBudget.entryByteCount + 1)
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 9, count: 6)
        for _ in 0..<comments { file += [0x21, 0xFE, 1, 0x41, 0] }
        for _ in 0..<4000 { file += [0x21, 0xFF, 11] + Array(name.utf8) + [0] }
        file += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
        #expect(try GIFCoder().decode(ImageData(file), options: options).size == PixelSize(width: 1, height: 1))
        #expect(try GIFCoder().inspect(ImageData(file), options: options).size == PixelSize(width: 1, height: 1))
    }

    /// An inspection for the first frame alone is refused for what a decode does not come to as little as that is.
    @Test func metadataBehindTheFirstFrameAreItsOwn() throws {
        var options = DecodingOptions.default
        options.firstFrameOnly = true
        options.limits.maxMetadataByteCount = 10_000
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 9, count: 6)
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        file += [0x21, 0xFE, 1, 0x41, 0] + image
        for _ in 0..<100 { file += [0x21, 0xFE, 1, 0x42, 0] }
        file += image + [0x3B]
        #expect(try GIFCoder().decode(ImageData(file), options: options).metadata.comments == ["A"])
        #expect(try GIFCoder().inspect(ImageData(file), options: options).metadata.comments == ["A"])
    }
}
