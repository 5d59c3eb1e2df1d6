import ImageCodecsCore
import ImageColor
import Testing

@Suite struct ProfilesOfFilesTests {
    private func spaceName(_ change: (inout ImageMetadata) -> Void) throws -> String? {
        var metadata = ImageMetadata()
        change(&metadata)
        return try ColorProfile(of: metadata, channels: .rgb)?.name
    }

    @Test func codePointsCountMoreThanAProfileAndThatMoreThanSRGB() throws {
        let all: (inout ImageMetadata) -> Void = {
            $0.codePoints = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
            $0.iccProfile = StandardColorSpace.adobeRGB.iccProfile
            $0.renderingIntent = .perceptual
            $0.gamma = 45455
        }
        #expect(try spaceName(all) == "code points 12, 13")
        #expect(
            try spaceName {
                all(&$0); $0.codePoints = nil
            } == "Adobe RGB (1998)")
        #expect(
            try spaceName {
                all(&$0); $0.codePoints = nil; $0.iccProfile = nil
            } == "sRGB")
        #expect(try spaceName { _ in } == nil)
    }

    @Test func codePointsThatAreNotForPicturesInRGBAreNoStatement() throws {
        #expect(
            ColorProfile(CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)) == nil)
        #expect(
            ColorProfile(CodingIndependentCodePoints(primaries: 3, transfer: 13, matrix: 0, isFullRange: true)) == nil)
        let p3 = try #require(
            ColorProfile(CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)))
        #expect(ColorTransform(from: p3, to: .displayP3).isIdentity)
    }

    @Test func gammaWithoutChromaticitiesHasThePrimariesOfSRGB() throws {
        var metadata = ImageMetadata()
        metadata.gamma = 100_000
        let profile = try #require(try ColorProfile(of: metadata, channels: .rgb))
        #expect(ColorTransform(from: profile, to: .linearSRGB).isIdentity)
        metadata.gamma = 0
        #expect(try ColorProfile(of: metadata, channels: .rgb) == nil)
    }

    @Test func highDynamicRangeReachesWhiteAndBlack() throws {
        for transfer in [UInt8(16), 18] {
            let points = CodingIndependentCodePoints(primaries: 9, transfer: transfer, matrix: 0, isFullRange: true)
            let transform = ColorTransform(from: try #require(ColorProfile(points)), to: .sRGB)
            var ramp = try Bitmap(size: PixelSize(width: 256, height: 1), format: .gray)
            ramp.withMutableRowBytes(0) { for x in 0..<256 { $0.setByte(UInt8(x), at: x) } }
            let shown = try transform.converted(ramp).packedBytes()
            #expect(shown.first == 0 && shown.last == 255)
            #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test func profilesForOtherChannelsDoNotCount() throws {
        var metadata = ImageMetadata()
        metadata.iccProfile = StandardColorSpace.adobeRGB.iccProfile
        #expect(try ColorProfile(of: metadata, channels: .cmyk) == nil)
        metadata.iccProfile = [1, 2, 3]
        #expect(throws: ICCProfileError.self) { try ColorProfile(of: metadata, channels: .rgb) }
    }
}
