import ImageColor
import Testing

@Suite struct ICCProfileWriterTests {
    @Test(arguments: [StandardColorSpace.sRGB, .displayP3, .adobeRGB, .linearSRGB])
    func whatIsWrittenIsReadAsTheSameSpace(space: StandardColorSpace) throws {
        let bytes = space.iccProfile
        #expect(bytes.count <= 540)
        let profile = try ColorProfile(icc: bytes)
        #expect(profile.name == space.name)
        // Near black a power without a line makes much of the last bit of a matrix.
        #expect(ColorTransform(from: profile, to: space).isIdentity || space == .adobeRGB)
        #expect(ColorTransform(from: profile, to: .sRGB).isIdentity == (space == .sRGB))
    }

    @Test func grayProfilesHaveTheCurve() throws {
        let profile = try ColorProfile(icc: StandardColorSpace.sRGB.grayICCProfile)
        #expect(profile.channels == .gray)
        #expect(ColorTransform(from: profile, to: .sRGB).isIdentity)
        #expect(!ColorTransform(from: profile, to: .adobeRGB).isIdentity)
    }
}
