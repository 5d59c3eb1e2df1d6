import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import PNGCodec
import Testing

@Suite struct PNGEncoderTests {
    @Test(arguments: PixelFormat.all, PixelContent.allCases)
    func writtenPixelsAreTheBitmaps(_ format: PixelFormat, _ content: PixelContent) throws {
        var random = SeededRandom(seed: 7)
        for side in 1...20 {
            let size = PixelSize(width: side, height: [1, 3, 20, 7][side % 4])
            let (bitmap, pixels) = try testBitmap(size, format, content, random: &random)
            let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default)
            let read = try ReferencePNG(file)
            #expect(read.width == size.width && read.height == size.height)
            #expect(read.pixels == pixels, "\(size)")
        }
    }

    @Test(arguments: PixelFormat.all, PixelContent.allCases)
    func ownDecoderReadsTheSamePixels(_ format: PixelFormat, _ content: PixelContent) throws {
        var random = SeededRandom(seed: 8)
        for side in [1, 2, 5, 17, 64] {
            let size = PixelSize(width: side, height: 33 - side / 2)
            let (bitmap, _) = try testBitmap(size, format, content, random: &random)
            let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default)
            var options = DecodingOptions()
            options.pixelFormat = format == .cmyk ? .rgb : format
            let decoded = try PNGCoder().decode(ImageData(file), options: options).bitmap
            // An opaque picture is decoded without alpha; un-premultiplied colour comes back as it was stored.
            let expected = format == .cmyk ? try bitmap.converted(to: .rgb) : bitmap
            #expect(try decoded.converted(to: expected.format) == expected, "\(size)")
        }
    }

    @Test func largePicturesAreCutIntoChunksAndUseSeveralFilters() throws {
        var random = SeededRandom(seed: 9)
        let size = PixelSize(width: 517, height: 300)
        let (bitmap, pixels) = try testBitmap(size, .rgb, .noise, random: &random)
        let noise = try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default))
        #expect(noise.pixels == pixels)
        #expect(noise.chunks.filter { $0.type == "IDAT" }.map(\.body.count).prefix(3) == [65536, 65536, 65536])

        let (smooth, smoothPixels) = try testBitmap(size, .rgba16, .gradient, random: &random)
        let gradient = try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: smooth), to: .png, options: .default))
        #expect(gradient.pixels == smoothPixels)
        #expect(gradient.filters.contains { $0 != 0 })
    }

    @Test func effortMakesFilesSmallerAndKeepsPixels() throws {
        var random = SeededRandom(seed: 10)
        let (bitmap, pixels) = try testBitmap(
            PixelSize(width: 200, height: 150), .rgb, .gradient, random: &random)
        var sizes: [Int] = []
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: options)
            #expect(try ReferencePNG(file).pixels == pixels)
            sizes.append(file.count)
        }
        #expect(sizes[2] <= sizes[1] && sizes[1] <= sizes[0])
    }

    @Test(arguments: [PixelFormat.rgb, .gray, .rgba16])
    func rowsOfLargePicturesAreWrittenAsTheyCome(_ format: PixelFormat) throws {
        // Just over 32 MiB.
        let size = PixelSize(width: (1 << 15) / format.bytesPerPixel, height: 1030)
        let picture = try EncoderPicture(.ramp, size: size, format: format)
        var options = EncodingOptions()
        options.effort = .fast
        var session = try CoderRegistry([PNGCoder()]).makeEncodingSession(
            to: .png, size: size, pixelFormat: format, options: options)
        let (isStreaming, estimate) = (session.isStreaming, session.estimatedPeakByteCount)
        #expect(isStreaming && estimate < 1 << 22)
        var file: [UInt8] = []
        for y in 0..<size.height {
            try picture.bitmap.withRow(y) { (row) throws(ImageError) in
                try session.write(row) { file.append(contentsOf: $0) }
            }
        }
        try session.finish { file.append(contentsOf: $0) }
        var decoding = DecodingOptions()
        decoding.pixelFormat = format
        #expect(try PNGCoder().decode(ImageData(file), options: decoding).bitmap == picture.bitmap)
    }

    @Test(arguments: PixelFormat.all.filter { $0 != .cmyk }, EncodingOptions.Effort.allCases)
    func interlacedPixelsAreTheBitmaps(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        var options = EncodingOptions()
        options.effort = effort
        options.png.isInterlaced = true
        for (width, height) in [(1, 1), (2, 3), (3, 9), (4, 4), (5, 1), (1, 8), (8, 8), (33, 17), (64, 70)] {
            let size = PixelSize(width: width, height: height)
            for content in EncoderPicture.Content.allCases {
                let picture = try EncoderPicture(content, size: size, format: format)
                let file = try PNGCoder().encode(
                    RasterImage(bitmap: picture.bitmap), to: .png, options: options)
                // The last byte of IHDR.
                #expect(file[28] == 1)
                var decoding = DecodingOptions()
                decoding.pixelFormat = .rgba16
                let decoded = try PNGCoder().decode(ImageData(file), options: decoding).bitmap
                #expect(try decoded == picture.bitmap.converted(to: .rgba16), "\(size) \(content)")
            }
        }
    }

    @Test func drawingsKeepTheirRepetitionsAndPhotographsDoNot() throws {
        let size = PixelSize(width: 300, height: 200)
        // Sixteen tiles of random colours, more than a palette holds, each pixel twice.
        var random = SeededRandom(seed: 13)
        let tiles = random.bytes(16 * 64 * 3)
        let places = random.bytes(25 * 19).map { Int($0 & 15) }
        var drawing = try Bitmap(size: size, format: .rgb)
        for y in 0..<size.height {
            drawing.withMutableRowBytes(y) { row in
                for x in 0..<3 * size.width {
                    let (pixel, channel) = (x / 6, x % 3)
                    let tile = places[pixel / 8 + y / 8 % 19 * 25 % places.count]
                    let color = tiles[(tile * 64 + y % 8 * 8 + pixel % 8) * 3 + channel]
                    row.storeBytes(of: color, toByteOffset: x, as: UInt8.self)
                }
            }
        }
        let photograph = try EncoderPicture(.ramp, size: size, format: .rgb).bitmap
        for effort in [EncodingOptions.Effort.fast, .default] {
            var options = EncodingOptions()
            options.effort = effort
            let flat = try ReferencePNG(PNGCoder().encode(RasterImage(bitmap: drawing), to: .png, options: options))
            #expect(flat.filters.allSatisfy { $0 == 0 })
            let smooth = try ReferencePNG(
                PNGCoder().encode(RasterImage(bitmap: photograph), to: .png, options: options))
            #expect(smooth.filters.contains { $0 != 0 })
        }
    }

    @Test func aGrayProfileOfAnotherKindTurnsDeepGrayRowsToColor() throws {
        var random = SeededRandom(seed: 12)
        let (bitmap, pixels) = try testBitmap(PixelSize(width: 20, height: 9), .gray16, .noise, random: &random)
        var image = RasterImage(bitmap: bitmap)
        var profile = [UInt8](repeating: 0, count: 128)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        image.metadata.iccProfile = profile
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            let read = try ReferencePNG(PNGCoder().encode(image, to: .png, options: options))
            #expect(read.colorType == 2 && read.depth == 16)
            #expect(read.pixels == pixels)
        }
    }

    @Test func emptyPicturesAreRefused() throws {
        for size in [PixelSize(width: 0, height: 4), PixelSize(width: 4, height: 0)] {
            let image = RasterImage(bitmap: try Bitmap(size: size, format: .rgb))
            #expect(throws: ImageError.self) { try PNGCoder().encode(image, to: .png, options: .default) }
        }
    }

    @Test func otherFormatsAreUnsupported() throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb))
        #expect(throws: ImageError.self) { try PNGCoder().encode(image, to: .gif, options: .default) }
        #expect(PNGCoder().canEncode(to: .png) && !PNGCoder().canEncode(to: .jpeg))
    }
}
