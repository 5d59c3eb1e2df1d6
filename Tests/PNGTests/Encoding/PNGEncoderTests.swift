#if SystemZlib
import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGEncoderTests {
    @Test(arguments: PixelFormat.all, PixelContent.allCases)
    func writtenPixelsAreTheBitmaps(_ format: PixelFormat, _ content: PixelContent) throws {
        var random = SeededRandom(seed: 7)
        for side in 1...20 {
            let size = PixelSize(width: side, height: [1, 3, 20, 7][side % 4])
            let (bitmap, pixels) = try testBitmap(size, format, content, random: &random)
            let file = try PNGEncoder().encode(RasterImage(bitmap: bitmap))
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
        let noise = try ReferencePNG(PNGEncoder().encode(RasterImage(bitmap: bitmap)))
        #expect(noise.pixels == pixels)
        #expect(noise.chunks.filter { $0.type == "IDAT" }.map(\.body.count).prefix(3) == [65536, 65536, 65536])

        let (smooth, smoothPixels) = try testBitmap(size, .rgba16, .gradient, random: &random)
        let gradient = try ReferencePNG(PNGEncoder().encode(RasterImage(bitmap: smooth)))
        #expect(gradient.pixels == smoothPixels)
        #expect(gradient.filters.contains { $0 != 0 })
    }

    @Test func qualityIsEffortAndKeepsPixels() throws {
        var random = SeededRandom(seed: 10)
        let (bitmap, pixels) = try testBitmap(
            PixelSize(width: 200, height: 150), .rgb, .gradient, random: &random)
        var sizes: [Int] = []
        for quality in [0, 0.5, 1, -3, 17, .nan] {
            var options = EncodingOptions()
            options.quality = quality
            let file = try PNGEncoder(options: options).encode(RasterImage(bitmap: bitmap))
            #expect(try ReferencePNG(file).pixels == pixels)
            sizes.append(file.count)
        }
        #expect(sizes[2] <= sizes[0])
        #expect(sizes[3] == sizes[0] && sizes[4] == sizes[2])
        #expect(try sizes[5] == PNGEncoder().encode(RasterImage(bitmap: bitmap)).count)
    }

    @Test func emptyPicturesAreRefused() throws {
        for size in [PixelSize(width: 0, height: 4), PixelSize(width: 4, height: 0)] {
            let image = RasterImage(bitmap: try Bitmap(size: size, format: .rgb))
            #expect(throws: ImageError.self) { try PNGEncoder().encode(image) }
        }
    }

    @Test func otherFormatsAreUnsupported() throws {
        let image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb))
        #expect(throws: ImageError.self) { try PNGCoder().encode(image, to: .gif, options: .default) }
        #expect(PNGCoder().canEncode(to: .png) && !PNGCoder().canEncode(to: .jpeg))
    }
}
#endif
