import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct WebPAnimationEncoderLawTests {
    private let laws = AnimationEncoderLaws(WebPCoder(), writing: .webP, .webP)

    @Test(arguments: PixelFormat.all, EncodingOptions.Effort.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        for seed in 0..<10 as Range<UInt64> {
            var source = DecisionSource(seed: seed &* 77 &+ 5)
            let movie = try RandomMovie(&source, format: format)
            var options = EncodingOptions()
            options.effort = effort
            if seed % 4 == 1 { options.loopCount = 3 }
            #expect(laws.violations(movie, options) == [], "seed \(seed)")
        }
    }

    @Test func framesComeBackFromManyAnimations() throws {
        for seed in 0..<400 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let movie = try RandomMovie(&source)
            var options = EncodingOptions()
            options.effort = EncodingOptions.Effort.allCases[Int(seed % 3)]
            #expect(laws.framesComeBack(movie, options) == [], "seed \(seed)")
        }
    }

    @Test func filesAreNoLongerThanIsAllowed() throws {
        for seed in 0..<6 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            #expect(laws.sizeLimitsAreMet(try RandomMovie(&source, format: .rgba), .default) == [])
        }
    }

    @Test func misuseIsRefused() throws {
        let frames = try (0..<3).map { index in
            try ImageFrame(
                bitmap: EncoderPicture(.noise, size: PixelSize(width: 40, height: 20), seed: index).bitmap,
                duration: .milliseconds(10))
        }
        #expect(laws.misuseIsRefused(RandomMovie(frames)) == [])
    }

    @Test func memoryOfLargeCanvasesStaysWithinTheEstimate() throws {
        let size = PixelSize(width: 700, height: 500)
        let frames = try (0..<3 as Range<UInt64>).map { seed in
            let picture = try EncoderPicture(seed == 2 ? .cutout : .scene, size: size, format: .rgba, seed: seed)
            return ImageFrame(bitmap: picture.bitmap, duration: .zero)
        }
        #expect(laws.memoryStaysWithinTheEstimate(RandomMovie(frames), .default) == [])
    }

    private static func movie() throws -> RandomMovie {
        let frame = try ImageFrame(
            bitmap: EncoderPicture(.noise, size: PixelSize(width: 700, height: 500)).bitmap, duration: .zero)
        return RandomMovie([frame, frame])
    }

    @Test func encodersAreStoppedByTime() throws {
        let movie = try Self.movie()
        var options = EncodingOptions()
        options.limits.maxTime = .zero
        let found = laws.framesComeBack(movie, options)
        #expect(found.count == 1 && found[0].contains("it took longer"))
    }

    @Test func encodersAreStoppedByTheTask() async throws {
        let movie = try Self.movie()
        let laws = laws
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return laws.framesComeBack(movie, .default)
        }
        task.cancel()
        #expect(await task.value == ["reading: \(ImageError.cancelled)"])
    }
}
