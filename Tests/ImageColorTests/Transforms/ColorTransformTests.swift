import CodecTestSupport
import ImageCodecsCore
import ImageColor
import Testing

@Suite struct ColorTransformTests {
    private static let colors: [[UInt8]] = [
        [255, 0, 0], [255, 128, 64], [10, 200, 30], [128, 128, 128], [3, 5, 9], [250, 250, 10], [90, 20, 200],
    ]

    private static func bitmap(_ colors: [[UInt8]], _ format: PixelFormat) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width: colors.count, height: 1), format: format)
        bitmap.withMutableRowBytes(0) { row in
            for (place, byte) in colors.joined().enumerated() { row.setByte(byte, at: place) }
        }
        return bitmap
    }

    /// What Little CMS 2.16 gives for the same colours, relative colorimetric, without its optimisations.
    @Test(arguments: [
        (
            StandardColorSpace.displayP3,
            [255, 0, 0, 255, 119, 38, 0, 204, 0, 128, 128, 128, 3, 5, 9, 250, 250, 0, 99, 10, 208]
        ),
        (
            StandardColorSpace.adobeRGB,
            [255, 0, 0, 255, 129, 57, 0, 201, 0, 129, 129, 129, 0, 1, 2, 250, 250, 0, 105, 12, 205]
        ),
    ])
    func coloursAreThoseOfLittleCMS(space: StandardColorSpace, expected: [Int]) throws {
        let transform = ColorTransform(from: space.profile, to: .sRGB)
        let shown = try transform.converted(Self.bitmap(Self.colors, .rgb)).packedBytes()
        #expect(zip(shown, expected).allSatisfy { abs(Int($0) - $1) <= 1 })
        #expect(shown.count == expected.count)
    }

    @Test func everyFormatOfEightBitsGetsTheSameColours() throws {
        let transform = ColorTransform(from: StandardColorSpace.displayP3.profile, to: .sRGB)
        let rgb = try Self.bitmap(Self.colors, .rgb)
        let wanted = try transform.converted(rgb)
        for format in [PixelFormat.bgrx, .bgraPremultiplied, .rgba, .rgbaPremultiplied] {
            let shown = try transform.converted(rgb.converted(to: format))
            #expect(shown.format == format)
            #expect(try shown.converted(to: .rgb) == wanted)
        }
    }

    @Test(arguments: [PixelFormat.rgb, .bgrx, .rgba, .gray, .rgba16])
    func picturesAreConvertedInTheirMemoryUnlessAnotherHoldsIt(format: PixelFormat) throws {
        let transform = ColorTransform(from: StandardColorSpace.displayP3.profile, to: .sRGB)
        let stored = try Self.bitmap(Self.colors, .rgb).converted(to: format)
        var shown = stored
        try transform.convert(&shown)
        #expect(try shown == transform.converted(stored))
        #expect(try stored == Self.bitmap(Self.colors, .rgb).converted(to: format))
        #expect(!shown.hasSameStorage(as: stored))
        var alone = try Self.bitmap(Self.colors, .rgb).converted(to: format)
        try transform.convert(&alone)
        #expect(alone == shown)
    }

    @Test func alphaStaysAndColoursBelowItAreThoseOfStraightOnes() throws {
        let transform = ColorTransform(from: StandardColorSpace.displayP3.profile, to: .sRGB)
        let straight = try Self.bitmap([[255, 128, 64, 100], [10, 200, 30, 0], [90, 20, 200, 255]], .rgba)
        let shown = try transform.converted(straight).packedBytes()
        #expect([shown[3], shown[7], shown[11]] == [100, 0, 255])
        #expect(Array(shown[0..<3]) == [255, 119, 38])
        let premultiplied = try transform.converted(straight.converted(to: .rgbaPremultiplied))
        #expect(premultiplied.packedBytes()[0] == 100)
    }

    @Test func sixteenBitsAgreeWithEight() throws {
        let transform = ColorTransform(from: StandardColorSpace.adobeRGB.profile, to: .sRGB)
        let rgb = try Self.bitmap(Self.colors, .rgb)
        let wide = try transform.converted(rgb.converted(to: .rgba16)).converted(to: .rgb).packedBytes()
        let narrow = try transform.converted(rgb).packedBytes()
        #expect(zip(wide, narrow).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func grayPicturesStayGray() throws {
        let transform = ColorTransform(from: StandardColorSpace.adobeRGB.profile, to: .sRGB)
        let gray = try transform.converted(Self.bitmap([[128], [0], [255]], .gray))
        #expect(gray.format == .gray)
        #expect(gray.packedBytes() == [129, 0, 255])
    }

    @Test func otherChannelsAreRefused() throws {
        let transform = ColorTransform(from: StandardColorSpace.adobeRGB.profile, to: .sRGB)
        let picture = try Bitmap(size: PixelSize(width: 1, height: 1), format: .cmyk)
        #expect(throws: ImageError.self) { try transform.converted(picture) }
    }

    /// A grid that is exact at its points: each of a cell's colours in between lies on the lines of its tetrahedron.
    @Test func tablesOfThreeChannelsAreFollowed() throws {
        // Lab by red, green, blue: only green counts, as lightness. Blue varies fastest.
        let values = (0..<8).flatMap { [($0 / 2 % 2) * 0xFF00, 0x8000, 0x8000] }
        let bytes = profileBytes(connection: "Lab ", [("A2B0", table16(channels: 3, points: 2, values))])
        let transform = ColorTransform(from: try ColorProfile(icc: bytes), to: .sRGB)
        let shown = try transform.converted(Self.bitmap([[9, 0, 200], [0, 128, 77], [255, 255, 0]], .rgb))
        // Half of the way is L 50.2, which is 119.5 in sRGB.
        let pixels = shown.packedBytes()
        #expect(Array(pixels[0..<3]) == [0, 0, 0])
        #expect(pixels[3..<6].allSatisfy { (119...120).contains($0) })
        #expect(Array(pixels[6..<9]) == [255, 255, 255])
    }
}
