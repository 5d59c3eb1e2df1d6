#if SystemZlib
import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import PNGCodec
import Testing

/// What the laws show of our own inflater holds for zlib.
@Suite struct ZlibLawTests {
    private let laws = DecoderLaws(PNGCoder(), repair: { PNGBuilder.repaired($0) })

    @Test(arguments: SamplePNG.all)
    func theLawsHold(_ sample: SamplePNG) throws {
        let own = try PNGCoder().decode(ImageData(sample.file), options: .default).bitmap
        let other = try Inflater.choice.withValue(.zlib) {
            try PNGCoder().decode(ImageData(sample.file), options: .default).bitmap
        }
        #expect(other == own)
        Inflater.choice.withValue(.zlib) {
            #expect(laws.cutsDoNotMatter(sample.file) == [])
            #expect(laws.copiesAreCheckpoints(sample.file) == [])
            #expect(laws.damageIsReported(sample.file, count: 20) == [])
            #expect(laws.memoryStaysWithinTheEstimate(sample.file) == [])
        }
    }
}
#endif
