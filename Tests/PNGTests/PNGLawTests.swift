import CodecTestSupport
import Foundation
import ImageCodecsCore
import PNGCodec
import Testing

/// The laws of decoding on small files of every kind and on the conformance corpus.
@Suite struct PNGLawTests {
    private static let laws = DecoderLaws(PNGCoder(), repair: { PNGBuilder.repaired($0) })
    private var laws: DecoderLaws { Self.laws }

    @Test(arguments: SamplePNG.all)
    func cutsDoNotMatter(_ sample: SamplePNG) {
        #expect(laws.cutsDoNotMatter(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func copiesAreCheckpoints(_ sample: SamplePNG) {
        #expect(laws.copiesAreCheckpoints(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func progressTellsWhatChanged(_ sample: SamplePNG) {
        #expect(laws.progressTellsWhatChanged(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func prefixesEnd(_ sample: SamplePNG) {
        #expect(laws.prefixesEnd(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func damageIsReported(_ sample: SamplePNG) {
        #expect(laws.damageIsReported(sample.file, count: 100) == [])
    }

    @Test(arguments: SamplePNG.all)
    func memoryStaysWithinTheEstimate(_ sample: SamplePNG) {
        #expect(laws.memoryStaysWithinTheEstimate(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func limitsAreCheckedFirst(_ sample: SamplePNG) {
        #expect(laws.limitsAreCheckedFirst(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func decodesCanBeStopped(_ sample: SamplePNG) async {
        #expect(await laws.decodesCanBeStopped(sample.file) == [])
    }

    @Test(arguments: SamplePNG.all)
    func scalingEqualsScalingTheWhole(_ sample: SamplePNG) {
        #expect(laws.scalingEqualsScalingTheWhole(sample.file, tolerance: 0) == [])
    }
}

/// The same laws on the fixtures of this repository.
@Suite struct PNGFixtureLawTests {
    @Test(arguments: Fixture.sound("png"))
    func theLawsHold(_ fixture: Fixture) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        let laws = DecoderLaws(PNGCoder(), repair: { PNGBuilder.repaired($0) })
        #expect(laws.violations(file, sampleCount: 60) == [])
        #expect(laws.scalingEqualsScalingTheWhole(file, tolerance: 0) == [])
    }
}

/// The same laws on files of other encoders: all of them in a release build, some in a debug build.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct PNGCorpusLawTests {
    private static let laws = DecoderLaws(PNGCoder(), repair: { PNGBuilder.repaired($0) })

    @Test(arguments: Corpus.lawFiles(format: "png"))
    func theLawsHold(_ entry: CorpusEntry) throws {
        let file = try Corpus.bytes(entry.path)
        #expect(Self.laws.violations(file) == [])
        #expect(Self.laws.scalingEqualsScalingTheWhole(file, tolerance: 0) == [])
    }
}
