import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// The laws of decoding and of animations on the fixtures.
@Suite struct GIFLawTests {
    private let laws = DecoderLaws(GIFCoder())

    @Test(arguments: AnimationFixture.sound("gif"))
    func theLawsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.violations(try fixture.bytes(), sampleCount: 8)
        #expect(violations == [])
    }

    @Test(arguments: AnimationFixture.sound("gif"))
    func theLawsOfAnimationsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.animationViolations(try fixture.bytes())
        #expect(violations == [])
    }

    @Test(arguments: ["five-frames-120ms.gif", "still-87a.gif", "restore-chain.gif"])
    func decodesCanBeStopped(_ name: String) async throws {
        let file = try AnimationFixture.named(name, "gif")
        #expect(await laws.decodesCanBeStopped(file) == [])
        #expect(await laws.playingCanBeStopped(file) == [])
    }

    @Test(arguments: ["still-transparent.gif", "interlaced.gif", "code-size-8.gif"])
    func thumbnailsAreScaledPictures(_ name: String) throws {
        let file = try AnimationFixture.named(name, "gif")
        #expect(laws.scalingEqualsScalingTheWhole(file, tolerance: 1) == [])
    }
}

/// The same on files of other encoders: all of them in a release build, some in a debug build.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct GIFCorpusLawTests {
    @Test(arguments: Corpus.lawFiles(format: "gif"))
    func theLawsHold(_ entry: CorpusEntry) throws {
        let file = try Corpus.bytes(entry.path)
        guard file.count < 1 << 18 else { return }
        let laws = DecoderLaws(GIFCoder())
        let options = [DecodingOptions.default]
        #expect(laws.cutsDoNotMatter(file, options: options) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file, options: options) == [])
        #expect(laws.prefixesEnd(file, sampleCount: 2) == [])
        #expect(laws.animationViolations(file, options: options) == [])
    }
}
