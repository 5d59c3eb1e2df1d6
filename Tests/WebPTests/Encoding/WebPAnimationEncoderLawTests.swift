import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct WebPAnimationEncoderLawTests {
    private let laws = AnimationEncoderLaws(WebPCoder(), writing: .webP, .webP)

    @Test(arguments: PixelFormat.all, EncodingOptions.Effort.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        #expect(try laws.violations(ofRandomMovies: 0..<10, format, effort) == [])
    }

    @Test func framesComeBackFromManyAnimations() throws {
        #expect(try laws.framesComeBack(fromRandomMovies: 0..<150) == [])
    }

    @Test func filesAreNoLongerThanIsAllowed() throws {
        #expect(try laws.sizeLimitsAreMet(byRandomMovies: 0..<6) == [])
    }

    @Test func misuseIsRefused() throws {
        #expect(try laws.misuseIsRefused() == [])
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
