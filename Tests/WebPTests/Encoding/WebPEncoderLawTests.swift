import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct WebPEncoderLawTests {
    private let laws = EncoderLaws(WebPCoder(), writing: .webP, isLossless: true, comparing: .rgba)

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        for (index, size) in EncoderPicture.sizes.enumerated() {
            let picture = try EncoderPicture(content, size: size, format: format)
            var options = EncodingOptions()
            options.effort = EncodingOptions.Effort.allCases[index % 3]
            options.webp.keepsInvisibleColors = true
            #expect(laws.violations(picture, options) == [])
        }
    }

    @Test func lawsHoldForWideAndHighPictures() throws {
        for size in [PixelSize(width: 16_384, height: 5), PixelSize(width: 3, height: 16_384)] {
            let picture = try EncoderPicture(.ramp, size: size, format: .rgb)
            #expect(laws.violations(picture, .default) == [])
        }
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        let picture = try EncoderPicture(content, size: PixelSize(width: 90, height: 60), format: .rgba)
        var options = EncodingOptions()
        #expect(laws.sizeLimitsAreMet(picture, options) == [])
        options.webp.isNearLossless = true
        #expect(laws.sizeLimitsAreMet(picture, options) == [])
    }

    @Test func senselessRequestsAreRefused() { #expect(laws.senselessRequestsAreRefused() == []) }

    @Test func metadataSurvive() {
        var metadata = ImageMetadata()
        metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>é</x:xmpmeta>".utf8)
        var profile = [UInt8](repeating: 7, count: 701)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        metadata.iccProfile = profile
        for orientation in Orientation.allCases {
            let found = laws.metadataSurvive(metadata, orientation) { read in
                var kept = ImageMetadata()
                (kept.xmp, kept.iccProfile) = (read.xmp, read.iccProfile)
                return kept
            }
            #expect(found == [])
        }
    }
}
