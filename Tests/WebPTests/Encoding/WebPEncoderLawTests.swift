import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct WebPEncoderLawTests {
    private let laws = EncoderLaws(WebPCoder(), writing: .webP, isLossless: true, comparing: .rgba)

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        #expect(
            try laws.violations(ofPictures: format, content) { _, options in
                options.webp.keepsInvisibleColors = true
            } == [])
    }

    @Test func lawsHoldForWideAndHighPictures() throws {
        #expect(try laws.violations(ofLongSides: 16_384) == [])
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        #expect(try laws.sizeLimitsAreMet(by: content) == [])
        var options = EncodingOptions()
        options.webp.isNearLossless = true
        #expect(try laws.sizeLimitsAreMet(by: content, options) == [])
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
