import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Files that begin with CgBI. Expected pixels are worked out by hand: `(c * 255 + a / 2) / a`.
@Suite struct ApplePixelsTests {
    private func file(
        width: Int, height: Int = 1, depth: UInt8 = 8, colorType: UInt8, interlaced: Bool = false,
        chunks: [(String, [UInt8])] = [], _ scanlines: [UInt8], idatSize: Int = .max
    ) -> [UInt8] {
        var builder = PNGBuilder()
        builder.add("CgBI", [0x50, 0, 0x20, 6])
        builder.addHeader(width: width, height: height, depth: depth, colorType: colorType, interlaced: interlaced)
        for (type, body) in chunks { builder.add(type, body) }
        builder.addImageData(Array(PNGBuilder.deflated(scanlines).dropFirst(2).dropLast(4)), chunkSize: idatSize)
        builder.add("IEND")
        return builder.bytes
    }

    private func pixels(
        _ file: [UInt8], _ format: PixelFormat = .rgba, strictness: DecodingOptions.Strictness = .strict
    ) throws -> [UInt8] {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.strictness = strictness
        let image = try PNGCoder().decode(ImageData(file), options: options)
        #expect(!image.isPartial)
        #expect(try PNGCoder().decode(file, inPiecesOf: 1, options: options)?.bitmap == image.bitmap)
        return image.bitmap.packedBytes()
    }

    @Test func blueComesFirstAndColorsAreMultipliedByAlpha() throws {
        let row: [UInt8] = [0, 10, 20, 30, 100, 5, 6, 7, 0, 1, 2, 3, 255, 200, 100, 0, 100]
        let expected: [UInt8] = [77, 51, 26, 100, 0, 0, 0, 0, 3, 2, 1, 255, 0, 255, 255, 100]
        for size in [1, .max] {
            #expect(try pixels(file(width: 4, colorType: 6, row, idatSize: size)) == expected)
        }
        #expect(try pixels(file(width: 4, colorType: 6, row), strictness: .tolerant) == expected)
    }

    @Test func filtersCountTheBytesOfTheFile() throws {
        // Row 0: Sub. 1, 2, 3, 255 and 1 + 9, 2 + 8, 3 + 7, 255. Row 1: Up, then Paeth would be the same as Up here.
        let rows: [UInt8] = [1, 1, 2, 3, 255, 9, 8, 7, 0, 2, 10, 10, 10, 0, 20, 20, 20, 0]
        #expect(
            try pixels(file(width: 2, height: 2, colorType: 6, rows)) == [
                3, 2, 1, 255, 10, 10, 10, 255, 13, 12, 11, 255, 30, 30, 30, 255,
            ])
    }

    @Test func interlacedPicturesAreThePassesOfTheFile() throws {
        // Passes 1, 4 and 6 have a pixel each: the first, the third, the second.
        let passes: [UInt8] = [0, 1, 2, 3, 255, 0, 7, 8, 9, 255, 0, 4, 5, 6, 255]
        #expect(
            try pixels(file(width: 3, colorType: 6, interlaced: true, passes)) == [
                3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255,
            ])
    }

    @Test func otherColorTypes() throws {
        #expect(try pixels(file(width: 2, colorType: 2, [0, 1, 2, 3, 4, 5, 6]), .rgb) == [3, 2, 1, 6, 5, 4])
        #expect(try pixels(file(width: 2, colorType: 0, [0, 8, 9]), .gray) == [8, 9])
        #expect(try pixels(file(width: 2, colorType: 4, [0, 20, 100, 7, 0]), .grayAlpha) == [51, 100, 0, 0])
        let palette: [(String, [UInt8])] = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9])]
        #expect(
            try pixels(file(width: 2, depth: 1, colorType: 3, chunks: palette, [0, 0b0100_0000])) == [
                1, 2, 3, 9, 4, 5, 6, 255,
            ])
    }

    @Test func sixteenBitsAreLikewise() throws {
        // (0x1000 * 65535 + 0x4000) / 0x8000 = 8192, 0x2000 -> 16384, 0x8000 -> 65535.
        let row: [UInt8] = [0, 0x10, 0, 0x20, 0, 0x80, 0, 0x80, 0]
        var options = DecodingOptions()
        options.pixelFormat = .rgba16
        let image = try PNGCoder().decode(ImageData(file(width: 1, depth: 16, colorType: 6, row)), options: options)
        let samples = image.bitmap.packedBytes()
        let expected: [UInt16] = [65535, 16384, 8192, 0x8000]
        #expect(samples == expected.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    }

    @Test func premultipliedPixelsAreThoseOfTheFile() throws {
        // Every colour under every alpha comes back.
        for alpha in [1, 2, 99, 128, 254, 255] as [UInt8] {
            var row: [UInt8] = [0]
            for color in 0...alpha { row += [color, 0, alpha - color, alpha] }
            let file = file(width: Int(alpha) + 1, colorType: 6, row)
            #expect(try pixels(file, .bgraPremultiplied) == Array(row.dropFirst()))
        }
    }

    @Test func itIsWrittenAsPNG() throws {
        let row: [UInt8] = [0, 10, 20, 30, 100, 1, 2, 3, 255]
        let optimized = try PNGCoder().optimized(ImageData(file(width: 2, colorType: 6, row)))
        let bytes = optimized.withBytes { bytes in (12..<16).map { bytes[$0] } }
        #expect(bytes == Array("IHDR".utf8))
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        #expect(
            try PNGCoder().decode(optimized, options: options).bitmap.packedBytes() == [77, 51, 26, 100, 3, 2, 1, 255])
    }
}
