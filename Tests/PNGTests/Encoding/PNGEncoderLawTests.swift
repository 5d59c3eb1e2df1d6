import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGEncoderLawTests {
    private let laws = EncoderLaws(PNGCoder(), writing: .png, isLossless: true)

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        for (index, size) in EncoderPicture.sizes.enumerated() {
            let picture = try EncoderPicture(content, size: size, format: format)
            var options = EncodingOptions()
            options.effort = EncodingOptions.Effort.allCases[index % 3]
            options.png.isInterlaced = index % 4 == 1
            #expect(laws.violations(picture, options) == [])
        }
    }

    @Test func lawsHoldForWideAndHighPictures() throws {
        for size in [PixelSize(width: 65_535, height: 5), PixelSize(width: 3, height: 65_535)] {
            let picture = try EncoderPicture(.ramp, size: size, format: .rgb)
            for effort in EncodingOptions.Effort.allCases {
                var options = EncodingOptions()
                options.effort = effort
                #expect(laws.violations(picture, options) == [])
                options.png.isInterlaced = true
                #expect(laws.violations(picture, options) == [])
            }
        }
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        let picture = try EncoderPicture(content, size: PixelSize(width: 90, height: 60), format: .rgba)
        #expect(laws.sizeLimitsAreMet(picture, .default) == [])
    }

    @Test func senselessRequestsAreRefused() { #expect(laws.senselessRequestsAreRefused() == []) }
}
