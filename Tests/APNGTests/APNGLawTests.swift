import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import Testing

/// The laws of decoding and of animations on the fixtures.
@Suite struct APNGLawTests {
    private let laws = DecoderLaws(APNGCoder(), repair: { PNGBuilder.repaired($0) })

    @Test(arguments: AnimationFixture.sound("apng"))
    func theLawsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.violations(try fixture.bytes(), sampleCount: 8)
        #expect(violations == [])
    }

    @Test(arguments: AnimationFixture.sound("apng"))
    func theLawsOfAnimationsHold(_ fixture: AnimationFixture) throws {
        let violations = laws.animationViolations(try fixture.bytes())
        #expect(violations == [])
    }

    @Test(arguments: ["default-in-animation.png", "default-outside.png", "adam7.png"])
    func decodesCanBeStopped(_ name: String) async throws {
        let file = try AnimationFixture.named(name, "apng")
        #expect(await laws.decodesCanBeStopped(file) == [])
        #expect(await laws.playingCanBeStopped(file) == [])
    }

    @Test(arguments: ["rgba-8.png", "adam7.png", "gray-16.png"])
    func thumbnailsAreScaledPictures(_ name: String) throws {
        let file = try AnimationFixture.named(name, "apng")
        #expect(laws.scalingEqualsScalingTheWhole(file, tolerance: 1) == [])
    }

    @Test(arguments: Fixture.sound("png"))
    func theLawsHoldForPlainFiles(_ fixture: Fixture) throws {
        let file = try FixtureBytes.read("png/\(fixture.name)")
        let options = [DecodingOptions.default]
        #expect(laws.cutsDoNotMatter(file, options: options) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file, options: options) == [])
        #expect(laws.prefixesEnd(file, sampleCount: 2) == [])
    }
}

/// The same on files of other encoders: all of them in a release build, some in a debug build.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct APNGCorpusLawTests {
    @Test(arguments: Corpus.lawFiles(format: "apng"))
    func theLawsHold(_ entry: CorpusEntry) throws {
        let file = try Corpus.bytes(entry.path)
        guard file.count < 1 << 18 else { return }
        let laws = DecoderLaws(APNGCoder(), repair: { PNGBuilder.repaired($0) })
        let options = [DecodingOptions.default]
        #expect(laws.cutsDoNotMatter(file, options: options) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file, options: options) == [])
        #expect(laws.prefixesEnd(file, sampleCount: 2) == [])
        #expect(laws.animationViolations(file, options: options) == [])
    }
}
