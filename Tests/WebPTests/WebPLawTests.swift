import CodecTestSupport
import WebPCodec
import ImageCodecsCore
import Testing

/// The laws of decoding and of animations on the fixtures.
@Suite struct WebPLawTests {
    private let laws = DecoderLaws(WebPCoder())

    @Test(arguments: AnimationFixture.sound("webp"))
    func theLawsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.violations(try fixture.bytes(), sampleCount: 8)
        #expect(violations == [])
    }

    /// If a file says after its frames how they are to be turned, frames so far are not turned yet.
    @Test(arguments: AnimationFixture.sound("webp").filter { $0.name != "metadata-behind-frames.webp" })
    func theLawsOfAnimationsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.animationViolations(try fixture.bytes())
        #expect(violations == [])
    }

    @Test(arguments: ["five-frames-100ms.webp", "lossless-alpha.webp", "blend-clear.webp"])
    func decodesCanBeStopped(_ name: String) async throws {
        let file = try AnimationFixture.named(name, "webp")
        #expect(await laws.decodesCanBeStopped(file) == [])
        #expect(await laws.playingCanBeStopped(file) == [])
    }

    @Test(arguments: ["lossless.webp", "lossless-alpha.webp", "palette-16.webp"])
    func thumbnailsAreScaledPictures(_ name: String) throws {
        let file = try AnimationFixture.named(name, "webp")
        #expect(laws.scalingEqualsScalingTheWhole(file, tolerance: 1) == [])
    }
}

/// The same on files of other encoders: all of them in a release build, some in a debug build.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct WebPCorpusLawTests {
    @Test(arguments: Corpus.lawFiles(format: "webp"))
    func theLawsHold(_ entry: CorpusEntry) throws {
        let file = try Corpus.bytes(entry.path)
        guard file.count < 1 << 18 else { return }
        let laws = DecoderLaws(WebPCoder())
        let options = [DecodingOptions.default]
        #expect(laws.cutsDoNotMatter(file, options: options) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file, options: options) == [])
        #expect(laws.prefixesEnd(file, sampleCount: 2) == [])
        #expect(laws.animationViolations(file, options: options) == [])
    }
}
