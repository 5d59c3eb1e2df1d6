import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct APNGEncoderLawTests {
    private let laws = AnimationEncoderLaws(APNGCoder(), writing: .apng)

    @Test(arguments: PixelFormat.all, EncodingOptions.Effort.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        #expect(try laws.violations(ofRandomMovies: 0..<12, format, effort) == [])
    }

    @Test func framesComeBackFromManyAnimations() throws {
        #expect(try laws.framesComeBack(fromRandomMovies: 0..<150) == [])
    }

    @Test func filesAreNoLongerThanIsAllowed() throws {
        #expect(try laws.sizeLimitsAreMet(byRandomMovies: 0..<6) == [])
    }

    /// Canvases that are most of what is held.
    @Test(arguments: [EncodingOptions.Effort.fast, .default])
    func memoryOfLargeCanvasesStaysWithinTheEstimate(_ effort: EncodingOptions.Effort) throws {
        let size = PixelSize(width: 1000, height: 700)
        let frames = try (0..<3 as Range<UInt64>).map { seed in
            let picture = try EncoderPicture(seed == 2 ? .cutout : .scene, size: size, format: .rgba, seed: seed)
            return ImageFrame(bitmap: picture.bitmap, duration: .zero)
        }
        var options = EncodingOptions()
        options.effort = effort
        #expect(laws.memoryStaysWithinTheEstimate(RandomMovie(frames), options) == [])
    }

    @Test func misuseIsRefused() throws {
        #expect(try laws.misuseIsRefused() == [])
    }

    @Test func encodersAreStoppedByTimeAndByTheTask() async throws {
        let frame = try ImageFrame(
            bitmap: EncoderPicture(.noise, size: PixelSize(width: 700, height: 500)).bitmap, duration: .zero)
        let movie = RandomMovie([frame, frame])
        var options = EncodingOptions()
        options.limits.maxTime = .zero
        #expect(Self.code(of: laws, movie, options) == "limitExceeded")
        let laws = laws
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return laws.framesComeBack(movie, .default)
        }
        task.cancel()
        #expect(await task.value == ["reading: \(ImageError.cancelled)"])
    }

    private static func code(
        of laws: AnimationEncoderLaws, _ movie: RandomMovie, _ options: EncodingOptions
    ) -> String? {
        do throws(ImageError) {
            _ = try laws.file(movie, options)
            return nil
        } catch {
            return error.code
        }
    }
}
