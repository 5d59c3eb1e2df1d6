import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGEncoderLawTests {
    private let laws = EncoderLaws(PNGCoder(), writing: .png, isLossless: true)

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        #expect(
            try laws.violations(ofPictures: format, content) { index, options in
                options.png.isInterlaced = index % 4 == 1
            } == [])
    }

    @Test func lawsHoldForWideAndHighPictures() throws {
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            // The best one takes as long for a quarter as the others for all.
            #expect(try laws.violations(ofLongSides: effort == .best ? 16_385 : 65_535, options) == [])
        }
        // What passes change is the same with every effort.
        var options = EncodingOptions()
        options.effort = .fast
        options.png.isInterlaced = true
        #expect(try laws.violations(ofLongSides: 16_385, options) == [])
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        #expect(try laws.sizeLimitsAreMet(by: content) == [])
    }

    @Test func senselessRequestsAreRefused() { #expect(laws.senselessRequestsAreRefused() == []) }
}
