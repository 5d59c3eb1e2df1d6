import CodecTestSupport
import FuzzComponents
import ImageCodecsCore
import Testing

/// Some generated files of each format; `fuzz-structured` runs as many as there is time for.
@Suite struct HostileSeedTests {
    /// First seeds of runs; a run is one test, so that runs go side by side.
    private static let starts = Array(stride(from: UInt64(0), to: 40, by: 10))

    @Test(arguments: StructuredFormat.allCases, starts)
    func filesObeyTheLaws(_ format: StructuredFormat, from start: UInt64) {
        let laws = DecoderLaws(format.coder)
        for seed in start..<start + 10 {
            let file = format.file(DecisionSource(seed: seed))
            let violations = laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01))
            #expect(violations == [], "seed \(seed)")
        }
    }

    /// Files that all end at the first segment would find nothing.
    @Test(arguments: StructuredFormat.allCases)
    func manyOfTheFilesAreSound(_ format: StructuredFormat) {
        var options = DecodingOptions()
        options.limits.maxPixelCount = 1 << 20
        var count = 0
        for seed in 0..<300 as Range<UInt64> {
            let file = ImageData(format.file(DecisionSource(seed: seed)))
            let image = try? format.coder.decode(file, options: options)
            // A still is what is left of an APNG whose animation is none.
            if let image, format != .apng || image.animation != nil { count += 1 }
        }
        #expect(count >= 90)
    }

    @Test(arguments: StructuredFormat.allCases)
    func aSeedGivesTheSameFileEachTime(_ format: StructuredFormat) {
        for seed in 0..<20 as Range<UInt64> {
            let source = DecisionSource(seed: seed)
            #expect(format.file(source) == format.file(source))
        }
    }

    @Test func decisionsComeFromTheGivenBytesFirst() {
        var source = DecisionSource([7, 9])
        #expect(source.byte() == 7)
        #expect(source.below(5) == 4)
        var other = DecisionSource([7, 9])
        _ = (other.byte(), other.byte())
        #expect(source.bytes(8) == other.bytes(8))
    }
}
