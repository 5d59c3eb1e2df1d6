import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct PreloadedAnimationTests {
    @Test func everyFrameIsDecodedOnceAndForAll() throws {
        let animation = StubAnimation([100, 0, 70], loopCount: 4)
        let preloaded = try animation.preloaded()
        #expect(animation.decoded == [0, 1, 2])
        #expect(preloaded.frameCount == 3)
        #expect(preloaded.loopCount == 4)
        for index in [2, 0, 1, 1] {
            let frame = try preloaded.frame(at: index)
            #expect(frame.bitmap == (try StubAnimation.bitmap(index)))
            #expect(frame.duration == (try animation.duration(at: index)))
            #expect(try preloaded.duration(at: index) == frame.duration)
            #expect(try preloaded.frameInfo(at: index) == animation.frameInfo(at: index))
            var bitmap = Bitmap.empty
            try preloaded.frame(at: index, into: &bitmap)
            #expect(bitmap == frame.bitmap)
        }
        #expect(animation.decoded == [0, 1, 2])
        #expect(try preloaded.subFrame(at: 1).bitmap.format == .bgraPremultiplied)
        for index in [-1, 3] {
            #expect(throws: ImageError.self) { try preloaded.frame(at: index) }
            #expect(throws: ImageError.self) { try preloaded.duration(at: index) }
        }
    }

    @Test func tooManyBytesAreRefusedBeforeAnythingIsDecoded() throws {
        let animation = StubAnimation([100, 100, 100])
        #expect(throws: ImageError.limitExceeded(.memory, requested: 3 * 64, allowed: 3 * 64 - 1)) {
            try animation.preloaded(maxByteCount: 3 * 64 - 1)
        }
        #expect(animation.decoded.isEmpty)
        #expect(try animation.preloaded(maxByteCount: 3 * 64).frameCount == 3)
    }

    @Test func aFrameThatCannotBeDecodedIsAnError() {
        let broken = StubAnimation([100, 100]) { (index) throws(ImageError) in
            if index == 1 { throw .truncated(.png, offset: 5) }
        }
        #expect(throws: ImageError.truncated(.png, offset: 5)) { try broken.preloaded() }
    }

    @Test func preloadingEndsWhenTheTaskIsCancelled() async {
        let gate = Gate()
        let animation = StubAnimation([100, 100]) { (_) throws(ImageError) in try gate.pass() }
        let task = Task { try animation.preloaded().frameCount }
        await gate.waitForArrival()
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }
}
