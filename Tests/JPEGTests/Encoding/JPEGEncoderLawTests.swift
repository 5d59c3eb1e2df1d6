import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

@Suite struct JPEGEncoderLawTests {
    private let laws = EncoderLaws(JPEGCoder(), writing: .jpeg, isLossless: false)

    /// Every way through the encoder.
    static let variants: [EncodingOptions] = {
        var all: [EncodingOptions] = []
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            all.append(options)
            options.quality = 0.97
            options.jpeg.restartInterval = 3
            all.append(options)
            options.quality = 0
            options.embedsThumbnail = true
            all.append(options)
        }
        var sequential = EncodingOptions()
        sequential.jpeg.isProgressive = false
        all.append(sequential)
        var progressive = EncodingOptions()
        progressive.effort = .fast
        progressive.jpeg.isProgressive = true
        all.append(progressive)
        var standard = EncodingOptions()
        standard.jpeg.tables = .standard
        standard.quality = 0.5
        all.append(standard)
        return all
    }()

    @Test(arguments: PixelFormat.all, EncoderPicture.Content.allCases)
    func lawsHoldForEveryPixelFormat(_ format: PixelFormat, _ content: EncoderPicture.Content) throws {
        for (index, size) in EncoderPicture.sizes.enumerated() {
            let picture = try EncoderPicture(content, size: size, format: format)
            let options = Self.variants[(index + PixelFormat.all.count) % Self.variants.count]
            #expect(laws.violations(picture, options) == [])
        }
    }

    @Test(arguments: variants)
    func lawsHoldForEveryWayToEncode(_ options: EncodingOptions) throws {
        for content in EncoderPicture.Content.allCases {
            let picture = try EncoderPicture(content, size: PixelSize(width: 50, height: 35), format: .rgb)
            #expect(laws.violations(picture, options) == [])
        }
    }

    @Test(arguments: JPEGSubsampling.allCases)
    func lawsHoldForEverySubsampling(_ subsampling: JPEGSubsampling) throws {
        for size in EncoderPicture.sizes {
            for effort in EncodingOptions.Effort.allCases {
                var options = EncodingOptions()
                options.effort = effort
                options.jpeg.subsampling = subsampling
                #expect(laws.violations(try EncoderPicture(.scene, size: size), options) == [])
            }
        }
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func lawsHoldForTheLongestSides(_ effort: EncodingOptions.Effort) throws {
        var options = EncodingOptions()
        options.effort = effort
        // Needed above 65,500 pixels.
        options.jpeg.allowsLongSides = true
        for size in [PixelSize(width: 65_535, height: 9), PixelSize(width: 9, height: 65_535)] {
            #expect(laws.violations(try EncoderPicture(.ramp, size: size), options) == [])
        }
    }

    @Test(arguments: EncoderPicture.Content.allCases)
    func filesAreNoLongerThanIsAllowed(_ content: EncoderPicture.Content) throws {
        for format in [PixelFormat.rgb, .gray, .cmyk] {
            let picture = try EncoderPicture(content, size: PixelSize(width: 120, height: 90), format: format)
            for effort in EncodingOptions.Effort.allCases {
                var options = EncodingOptions()
                options.effort = effort
                #expect(laws.sizeLimitsAreMet(picture, options) == [])
            }
        }
    }

    @Test func metadataSurviveARoundTrip() {
        var metadata = ImageMetadata()
        metadata.comments = ["first", "second: äöü"]
        metadata.density = PixelDensity(x: 300, y: 150, unit: .inch)
        metadata.xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
        var profile = [UInt8](repeating: 7, count: 200_000)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        metadata.iccProfile = profile
        for orientation in [Orientation.up, .right, .leftMirrored] {
            let violations = laws.metadataSurvive(metadata, orientation) { read in
                var kept = ImageMetadata()
                kept.comments = read.comments
                kept.xmp = read.xmp
                kept.iccProfile = read.iccProfile
                if read.density?.unit != .aspectRatio { kept.density = read.density }
                return kept
            }
            #expect(violations == [])
        }
    }

    @Test func senselessRequestsAreRefused() { #expect(laws.senselessRequestsAreRefused() == []) }
}
