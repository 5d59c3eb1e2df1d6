import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PixelEncodingTests {
    /// IHDR's colour type and depth for a bitmap whose pixels `color` gives as straight RGBA.
    private func header(
        _ format: PixelFormat, side: Int = 64, metadata: ImageMetadata = ImageMetadata(),
        _ color: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> [Int] {
        var straight = try Bitmap(size: PixelSize(width: side, height: side), format: .rgba)
        for y in 0..<side {
            straight.withMutableRowBytes(y) { row in
                for x in 0..<side {
                    for (channel, sample) in color(x, y).enumerated() {
                        row.storeBytes(of: sample, toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        let bitmap = try straight.converted(to: format)
        let file = try ReferencePNG(
            PNGCoder().encode(RasterImage(bitmap: bitmap, metadata: metadata), to: .png, options: .default))
        return [file.colorType, file.depth]
    }

    @Test(arguments: [PixelFormat.bgrx, .rgb, .bgraPremultiplied, .rgba, .rgbaPremultiplied])
    func opaqueColorIsRGB(_ format: PixelFormat) throws {
        #expect(try header(format) { x, y in [UInt8(x * 4), UInt8(y * 4), UInt8(x + y), 255] } == [2, 8])
    }

    @Test(arguments: [PixelFormat.bgraPremultiplied, .rgba, .rgbaPremultiplied])
    func oneTransparentPixelKeepsAlpha(_ format: PixelFormat) throws {
        #expect(
            try header(format) { x, y in
                [UInt8(x * 4), UInt8(y * 4), UInt8(x + y), x == 63 && y == 63 ? 254 : 255]
            } == [6, 8])
    }

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk })
    func equalChannelsAreGray(_ format: PixelFormat) throws {
        let header = try header(format) { x, y in [UInt8](repeating: UInt8(x * 4 + y / 16), count: 3) + [255] }
        #expect(header == [0, 8])
    }

    @Test(arguments: [(255, 1), (85, 2), (17, 4), (1, 8)])
    func graysTakeTheSmallestDepth(_ step: Int, _ depth: Int) throws {
        for format in [PixelFormat.gray, .rgb, .bgrx, .gray16] {
            #expect(
                try header(format) { x, y in
                    [UInt8](repeating: UInt8((x + y) * step % 256 / step * step), count: 3) + [255]
                } == [0, depth])
        }
    }

    @Test func translucentGrayIsGrayAlphaUnlessColorsAreFew() throws {
        #expect(try header(.rgba) { x, y in [UInt8](repeating: UInt8(x), count: 3) + [UInt8(y)] } == [4, 8])
        #expect(try header(.rgba) { x, _ in [7, 7, 7, UInt8(x % 3)] } == [3, 2])
    }

    @Test(arguments: [(2, 1), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func fewColorsAreAPalette(_ count: Int, _ depth: Int) throws {
        #expect(
            try header(.bgrx, side: 128) { x, y in
                // In no order, so that indices say less than a palette takes.
                let color = (x * 97 + y * 57 + x * y * 31) % count
                return [UInt8(color), UInt8(255 - color), 9, 255]
            } == [3, depth])
    }

    @Test func aPaletteIsNotWorthMoreThanTheRestOfTheFile() throws {
        #expect(
            try header(.bgrx, side: 128) { x, y in
                let color = (x + 128 * y) % 256
                return [UInt8(color), UInt8(255 - color), 9, 255]
            } == [2, 8])
    }

    @Test func oneColorMoreThanAPaletteHoldsIsRGB() throws {
        #expect(
            try header(.bgrx, side: 128) { x, y in
                let color = (x + 128 * y) % 257
                return [UInt8(color % 256), UInt8(color / 256), 9, 255]
            } == [2, 8])
    }

    @Test func smallPicturesDoNotPayForAPalette() throws {
        #expect(try header(.rgb, side: 3) { x, y in [UInt8(x), UInt8(y), 0, 255] } == [2, 8])
    }

    @Test func transparentPaletteEntriesComeFirst() throws {
        let colors: [[UInt8]] = [[1, 2, 3, 255], [4, 5, 6, 0], [7, 8, 9, 255], [10, 11, 12, 128]]
        var bitmap = try Bitmap(size: PixelSize(width: 40, height: 40), format: .rgba)
        for y in 0..<40 {
            bitmap.withMutableRowBytes(y) { row in
                for x in 0..<160 { row.storeBytes(of: colors[x / 4 % 4][x % 4], toByteOffset: x, as: UInt8.self) }
            }
        }
        let file = try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default))
        #expect(file.body("tRNS") == [0, 128])
        #expect(file.body("PLTE") == [4, 5, 6, 10, 11, 12, 1, 2, 3, 7, 8, 9])
        #expect(file.filters.allSatisfy { $0 == 0 })
    }

    /// Pixels of many colours, of which every ninth is transparent.
    private func keyed(_ transparent: [UInt8], _ opaque: @escaping (Int, Int) -> [UInt8]) -> (Int, Int) -> [UInt8] {
        { x, y in (x + 64 * y) % 9 == 8 ? transparent : opaque(x, y) }
    }

    @Test func oneColorOfTransparentPixelsAloneStandsForAlpha() throws {
        let colors = { (x: Int, y: Int) in [UInt8(x * 4), UInt8(y * 4 | 1), UInt8(x + y), 255] }
        #expect(try header(.rgba, keyed([10, 20, 30, 0], colors)) == [2, 8])
        #expect(try header(.bgraPremultiplied, keyed([0, 0, 0, 0], colors)) == [2, 8])
        // An opaque pixel of that colour, before or after the first transparent one.
        #expect(try header(.rgba, keyed([0, 1, 0, 0], colors)) == [6, 8])
        #expect(try header(.rgba, keyed([252, 253, 126, 0], colors)) == [6, 8])
        // Two colours, and one pixel that is translucent.
        #expect(try header(.rgba) { x, y in x == 9 ? [1, 2, 3, 0] : x == 8 ? [3, 2, 1, 0] : colors(x, y) } == [6, 8])
        #expect(
            try header(.rgba) { x, y in x == 9 ? [1, 2, 3, 0] : x + y == 8 ? [3, 2, 1, 9] : colors(x, y) } == [6, 8])
    }

    @Test func colorKeysKeepEveryPixel() throws {
        var bitmap = try Bitmap(size: PixelSize(width: 64, height: 64), format: .rgba)
        for y in 0..<64 {
            bitmap.withMutableRowBytes(y) { row in
                for x in 0..<64 {
                    let isTransparent = (x + y) % 7 == 0
                    let pixel: [UInt8] = isTransparent ? [9, 9, 9, 0] : [UInt8(x * 4), UInt8(y * 4), UInt8(x), 255]
                    for channel in 0..<4 {
                        row.storeBytes(of: pixel[channel], toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default)
        #expect(try ReferencePNG(file).body("tRNS") == [0, 9, 0, 9, 0, 9])
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgba
        #expect(try PNGCoder().decode(ImageData(file), options: decoding).bitmap == bitmap)
    }

    @Test func sixteenBitsAreKeptOnlyWhereTheySaySomething() throws {
        func header(_ alpha: UInt16, _ step: Int, _ low: UInt16) throws -> [Int] {
            var bitmap = try Bitmap(size: PixelSize(width: 300, height: 2), format: .rgba16)
            for y in 0..<2 {
                bitmap.withMutableRowBytes(y) { row in
                    for x in 0..<300 {
                        let red = UInt16(x & 0xFF) * 257
                        // A step of 1 stands for a green that eight bits do not hold.
                        let green = step == 1 ? red ^ 1 : UInt16((x + step) & 0xFF) * 257
                        for (channel, sample) in [red, green, red, alpha].enumerated() {
                            row.storeBytes(of: sample ^ low, toByteOffset: 8 * x + 2 * channel, as: UInt16.self)
                        }
                    }
                }
            }
            let file = try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default))
            return [file.colorType, file.depth]
        }
        #expect(try header(65535, 0, 0) == [0, 8])
        #expect(try header(65535, 1, 0) == [2, 16])
        #expect(try header(65534, 0, 0) == [4, 16])
        #expect(try header(65534, 1, 0) == [6, 16])
        #expect(try header(65535, 3, 0) == [2, 8])
        #expect(try header(0x1234, 0, 1) == [4, 16])
    }

    @Test func anRGBProfileKeepsRGBSamples() throws {
        var metadata = ImageMetadata()
        metadata.iccProfile =
            [UInt8](repeating: 0, count: 16) + Array("RGB XYZ ".utf8) + [UInt8](repeating: 0, count: 120)
        let gray: (Int, Int) -> [UInt8] = { x, y in
            [UInt8](repeating: UInt8((x * 97 + y * 57 + x * y * 31) % 256), count: 3) + [255]
        }
        // 256 grays in no order in 4096 pixels: the palette pays for itself.
        #expect(try header(.rgb, metadata: metadata, gray) == [3, 8])
        #expect(try header(.rgb, side: 4, metadata: metadata, gray) == [2, 8])
    }
}
