import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct PixelColorTests {
    /// What the subscript promises: the pixel of the bitmap converted to sixteen bits.
    private func expectPixelsOfRGBA16(_ bitmap: Bitmap) throws {
        let converted = try bitmap.converted(to: .rgba16)
        for y in 0..<bitmap.height {
            let expected = converted.withRow16(y) { row in
                (0..<bitmap.width).map { x in
                    PixelColor(red: row[4 * x], green: row[4 * x + 1], blue: row[4 * x + 2], alpha: row[4 * x + 3])
                }
            }
            #expect((0..<bitmap.width).map { bitmap[$0, y] } == expected, "\(bitmap.format), row \(y)")
        }
    }

    /// A bitmap of random bytes, whatever they mean.
    private func noise(_ format: PixelFormat, _ size: PixelSize, seed: UInt64) throws -> Bitmap {
        var random = SeededRandom(seed: seed)
        var bitmap = try Bitmap(size: size, format: format)
        for y in 0..<size.height {
            try bitmap.withMutableRow(y) { row in
                for index in row.indices { row[index] = UInt8.random(in: 0...255, using: &random) }
            }
        }
        return bitmap
    }

    @Test(arguments: PixelFormat.all)
    func aPixelIsThatOfTheBitmapConvertedToSixteenBits(_ format: PixelFormat) throws {
        try expectPixelsOfRGBA16(noise(format, PixelSize(width: 61, height: 40), seed: 1))
    }

    @Test(arguments: [PixelFormat.bgraPremultiplied, .rgbaPremultiplied, .grayAlpha, .cmyk])
    func everyPairOfColourAndAlphaIsThatOfTheConvertedBitmap(_ format: PixelFormat) throws {
        var bitmap = try Bitmap(size: PixelSize(width: 256, height: 256), format: format)
        let count = format.bytesPerPixel
        for y in 0..<256 {
            try bitmap.withMutableRow(y) { row in
                for index in row.indices { row[index] = UInt8(index % count == count - 1 ? y : index / count) }
            }
        }
        try expectPixelsOfRGBA16(bitmap)
    }

    @Test func coloursAreStraight() throws {
        let half = try Bitmap(
            copying: [0, 64, 128, 128], size: PixelSize(width: 1, height: 1), format: .bgraPremultiplied)
        #expect(half[0, 0].rgba8 == SIMD4(255, 128, 0, 128))
        #expect(half[0, 0] == PixelColor(red: 65535, green: 32896, blue: 0, alpha: 32896))
        let clear = try Bitmap(copying: [9, 9, 9, 0], size: PixelSize(width: 1, height: 1), format: .bgraPremultiplied)
        #expect(clear[0, 0] == PixelColor(red: 0, green: 0, blue: 0, alpha: 0))
    }

    @Test func sixteenBitsAreExact() throws {
        var bitmap = try Bitmap(size: PixelSize(width: 2, height: 1), format: .gray16)
        try bitmap.withMutableRow16(0) { $0[1] = 0x1234 }
        #expect(bitmap[1, 0] == PixelColor(red: 0x1234, green: 0x1234, blue: 0x1234))
        #expect(bitmap[0, 0] == PixelColor(red: 0, green: 0, blue: 0))
    }

    @Test func eightBitsComeBack() {
        for value in UInt8.min...UInt8.max {
            let samples = SIMD4(value, 255 - value, 0, value)
            #expect(PixelColor(rgba8: samples).rgba8 == samples)
        }
        // round(v / 257)
        #expect(PixelColor(red: 128, green: 129, blue: 65406, alpha: 65407).rgba8 == SIMD4(0, 1, 254, 255))
    }

    @Test func descriptionsAreThoseOfStyleSheets() {
        #expect(PixelColor(rgba8: SIMD4(255, 128, 0, 255)).description == "#ff8000")
        #expect(PixelColor(rgba8: SIMD4(255, 128, 0, 128)).description == "#ff800080")
        #expect(PixelColor(rgba8: SIMD4(0, 0, 0, 0)).description == "#00000000")
        #expect(PixelColor(red: 0xffff, green: 0x8080, blue: 1).description == "#ffff80800001")
        #expect(PixelColor(red: 0, green: 0, blue: 0, alpha: 1).description == "#0000000000000001")
    }

    @Test func pixelsOutsideEndTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgb)[3, 0]
        }
        await #expect(processExitsWith: .failure) {
            _ = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgb)[0, -1]
        }
    }
}
