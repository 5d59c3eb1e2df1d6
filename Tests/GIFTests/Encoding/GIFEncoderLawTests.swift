import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

@Suite struct GIFEncoderLawTests {
    private let laws = EncoderLaws(GIFCoder(), writing: .gif, isLossless: false)
    private let animationLaws = AnimationEncoderLaws(GIFCoder(), writing: .gif, .gif())

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        #expect(
            try laws.violations(ofPictures: format, content) { index, options in
                options.gif.isInterlaced = index % 4 == 1
                if index % 5 == 2 { options.gif.colorCount = 2 + 7 * index }
                if index % 3 == 1 { options.quality = 0.4 }
            } == [])
    }

    @Test func lawsHoldForWideAndHighPictures() throws {
        #expect(try laws.violations(ofLongSides: 65_535) == [])
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        #expect(try laws.sizeLimitsAreMet(by: content) == [])
    }

    @Test func senselessRequestsAreRefused() { #expect(laws.senselessRequestsAreRefused() == []) }

    @Test func metadataSurvive() {
        var metadata = ImageMetadata()
        metadata.comments = ["one", "zwölf Boxkämpfer", String(repeating: "long ", count: 200)]
        metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>é</x:xmpmeta>".utf8)
        var profile = [UInt8](repeating: 7, count: 700)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
        metadata.iccProfile = profile
        metadata.density = PixelDensity(x: 64, y: 128, unit: .aspectRatio)
        let found = laws.metadataSurvive(metadata, .up) { read in
            var kept = ImageMetadata()
            (kept.comments, kept.xmp, kept.iccProfile) = (read.comments, read.xmp, read.iccProfile)
            kept.density = read.density
            return kept
        }
        #expect(found == [])
    }

    @Test(arguments: PixelFormat.all, EncodingOptions.Effort.allCases)
    func lawsHoldForAnimations(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        for seed in 0..<10 as Range<UInt64> {
            var source = DecisionSource(seed: seed &* 77 &+ 5)
            let movie = try RandomMovie(&source, format: format)
            var options = EncodingOptions()
            options.effort = effort
            options.gif.tables = GIFEncodingOptions.Tables.allCases[Int(seed % 3)]
            if seed % 4 == 1 { options.loopCount = 3 }
            let traits = AnimationEncoderLaws.Traits.gif(sharesTable: options.gif.tables == .global)
            let laws = AnimationEncoderLaws(GIFCoder(), writing: .gif, traits)
            #expect(laws.violations(movie, options) == [], "seed \(seed)")
        }
    }

    @Test func framesComeBackFromManyAnimations() throws {
        #expect(
            try animationLaws.framesComeBack(fromRandomMovies: 0..<150) { seed, options in
                if seed % 5 == 0 { options.gif.tables = .local }
            } == [])
    }

    @Test func animationsAreNoLongerThanIsAllowed() throws {
        #expect(try animationLaws.sizeLimitsAreMet(byRandomMovies: 0..<6) == [])
    }

    @Test func misuseIsRefused() throws {
        #expect(try animationLaws.misuseIsRefused() == [])
    }
}
