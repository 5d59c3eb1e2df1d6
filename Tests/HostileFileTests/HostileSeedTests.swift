import APNG
import CodecTestSupport
import GIF
import HostileFiles
import ImageCore
import JPEG
import PNG
import Testing
import WebP

/// Some generated files of each format; `fuzz-structured` runs as many as there is time for.
@Suite struct HostileSeedTests {
    /// First seeds of runs; a run is one test, so that runs go side by side.
    private static let starts = Array(stride(from: UInt64(0), to: 160, by: 20))

    @Test(arguments: starts)
    func pngFilesObeyTheLaws(from start: UInt64) {
        let laws = DecoderLaws(PNGCoder())
        for seed in start..<start + 20 {
            let file = HostilePNG.file(DecisionSource(seed: seed))
            #expect(laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01)) == [], "seed \(seed)")
        }
    }

    @Test(arguments: starts)
    func jpegFilesObeyTheLaws(from start: UInt64) {
        let laws = DecoderLaws(JPEGCoder())
        for seed in start..<start + 20 {
            let file = HostileJPEG.file(DecisionSource(seed: seed))
            #expect(laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01)) == [], "seed \(seed)")
        }
    }

    @Test(arguments: starts)
    func gifFilesObeyTheLaws(from start: UInt64) {
        let laws = DecoderLaws(GIFCoder())
        for seed in start..<start + 20 {
            let file = HostileGIF.file(DecisionSource(seed: seed))
            let violations = laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01))
            #expect(violations == [], "seed \(seed)")
        }
    }

    @Test(arguments: starts)
    func apngFilesObeyTheLaws(from start: UInt64) {
        let laws = DecoderLaws(APNGCoder())
        for seed in start..<start + 20 {
            let file = HostileAPNG.file(DecisionSource(seed: seed))
            let violations = laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01))
            #expect(violations == [], "seed \(seed)")
        }
    }

    @Test(arguments: starts)
    func webpFilesObeyTheLaws(from start: UInt64) {
        let laws = DecoderLaws(WebPCoder())
        for seed in start..<start + 20 {
            let file = HostileWebP.file(DecisionSource(seed: seed))
            let violations = laws.hostileViolations(file, DecisionSource(seed: seed ^ 0xABCD_EF01))
            #expect(violations == [], "seed \(seed)")
        }
    }

    /// Files that all end at the first segment would find nothing.
    @Test func manyOfTheFilesAreSound() {
        var options = DecodingOptions()
        options.limits.maxPixelCount = 1 << 20
        var (png, jpeg, gif, apng, webp) = (0, 0, 0, 0, 0)
        for seed in 0..<300 as Range<UInt64> {
            let source = DecisionSource(seed: seed)
            if (try? PNGCoder().decode(ImageData(HostilePNG.file(source)), options: options)) != nil { png += 1 }
            if (try? JPEGCoder().decode(ImageData(HostileJPEG.file(source)), options: options)) != nil { jpeg += 1 }
            if (try? GIFCoder().decode(ImageData(HostileGIF.file(source)), options: options)) != nil { gif += 1 }
            let animation = try? APNGCoder().decode(ImageData(HostileAPNG.file(source)), options: options).animation
            if animation != nil { apng += 1 }
            if (try? WebPCoder().decode(ImageData(HostileWebP.file(source)), options: options)) != nil { webp += 1 }
        }
        #expect(png >= 90)
        #expect(jpeg >= 90)
        #expect(gif >= 90)
        #expect(apng >= 90)
        #expect(webp >= 90)
    }

    @Test func aSeedGivesTheSameFileEachTime() {
        for seed in 0..<20 as Range<UInt64> {
            let source = DecisionSource(seed: seed)
            #expect(HostilePNG.file(source) == HostilePNG.file(source))
            #expect(HostileJPEG.file(source) == HostileJPEG.file(source))
            #expect(HostileGIF.file(source) == HostileGIF.file(source))
            #expect(HostileAPNG.file(source) == HostileAPNG.file(source))
            #expect(HostileWebP.file(source) == HostileWebP.file(source))
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
