import ImageCodecsCore
import JPEGBaselineCodec
import Testing

/// How far a picture is reduced by the inverse DCT for a thumbnail.
@Suite struct ThumbnailScaleTests {
    /// The scale for a picture of 4001x3000 pixels whose luma is sampled `luma` times as often as its chroma.
    private func scale(
        _ width: Int, _ height: Int, _ quality: DecodingOptions.ThumbnailQuality, luma: (h: Int, v: Int) = (2, 2)
    ) throws -> DCTScale {
        let components = (UInt8(0)..<3).map {
            FrameGeometry.ComponentSpecification(
                identifier: $0, horizontalSampling: $0 == 0 ? luma.h : 1, verticalSampling: $0 == 0 ? luma.v : 1,
                quantizationTable: 0)
        }
        let whole = try #require(FrameGeometry(size: PixelSize(width: 4001, height: 3000), components: components))
        return whole.reduced(to: PixelSize(width: width, height: height), quality).scale
    }

    @Test func theBestLeavesFivePixelsForTwoEitherWay() throws {
        for luma in [(1, 1), (2, 2)] {
            #expect(try scale(200, 150, .best, luma: luma) == .eighth)
            #expect(try scale(201, 150, .best, luma: luma) == .quarter)
            #expect(try scale(200, 151, .best, luma: luma) == .quarter)
            #expect(try scale(400, 300, .best, luma: luma) == .quarter)
            #expect(try scale(401, 300, .best, luma: luma) == .half)
            #expect(try scale(800, 600, .best, luma: luma) == .half)
            #expect(try scale(801, 600, .best, luma: luma) == .full)
            #expect(try scale(1, 3000, .best, luma: luma) == .full)
        }
    }

    @Test func theBestLeavesMoreThanOneSampleOfChroma() throws {
        // 4:2:2 at an eighth: chroma has 250 samples across, three for two of 166 pixels.
        #expect(try scale(166, 125, .best, luma: (2, 1)) == .eighth)
        #expect(try scale(167, 125, .best, luma: (2, 1)) == .quarter)
        #expect(try scale(333, 250, .best, luma: (2, 1)) == .quarter)
        #expect(try scale(400, 300, .best, luma: (2, 1)) == .half)
        #expect(try scale(900, 675, .best, luma: (2, 1)) == .full)
        // 4:4:0 and 4:1:1.
        #expect(try scale(166, 125, .best, luma: (1, 2)) == .eighth)
        #expect(try scale(166, 126, .best, luma: (1, 2)) == .quarter)
        #expect(try scale(250, 187, .best, luma: (4, 1)) == .half)
    }

    @Test func theFastestLeavesNoSideShort() throws {
        for luma in [(1, 1), (2, 2), (2, 1)] {
            #expect(try scale(501, 375, .fast, luma: luma) == .eighth)
            #expect(try scale(502, 375, .fast, luma: luma) == .quarter)
            #expect(try scale(500, 376, .fast, luma: luma) == .quarter)
            #expect(try scale(1001, 750, .fast, luma: luma) == .quarter)
            #expect(try scale(2001, 1500, .fast, luma: luma) == .half)
            #expect(try scale(2002, 1500, .fast, luma: luma) == .full)
        }
    }
}
