import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct GIFStillEncoderTests {
    private func encoded(
        _ pixels: [[UInt8]], width: Int, _ options: EncodingOptions = .default,
        metadata: ImageMetadata = ImageMetadata()
    ) throws -> [UInt8] {
        let size = PixelSize(width: width, height: pixels.count / width)
        let bitmap = try Bitmap(packed: Array(pixels.joined()), size: size, format: .rgba)
        return try GIFCoder().encode(RasterImage(bitmap: bitmap, metadata: metadata), to: .gif, options: options)
    }

    private func decoded(_ file: [UInt8]) throws -> [UInt8] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return try GIFCoder().decode(ImageData(file), options: options).bitmap.packedBytes()
    }

    /// Every byte of the smallest file, by GIF89a sections 17 to 22 and 27.
    @Test func aPixelIsThirtyFiveBytes() throws {
        let file = try encoded([[9, 8, 7, 255]], width: 1)
        #expect(
            file == Array("GIF87a".utf8)
                // 1x1, global table of two entries, eight bits a colour.
                + [1, 0, 1, 0, 0xF0, 0, 0] + [9, 8, 7, 0, 0, 0]
                // Image at 0,0 of 1x1; two bits an index: clear 4, 0, end 5, three bits each.
                + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, 0b01_000_100, 1, 0] + [0x3B])
    }

    @Test func versionsAreThoseThatAreNeeded() throws {
        let red: [UInt8] = [255, 0, 0, 255]
        var commented = ImageMetadata()
        commented.comments = ["hello"]
        #expect(try encoded([red, red], width: 2).starts(with: "GIF87a".utf8))
        #expect(try encoded([red, [0, 0, 0, 0]], width: 2).starts(with: "GIF89a".utf8))
        #expect(try encoded([red], width: 1, metadata: commented).starts(with: "GIF89a".utf8))
    }

    @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256], [false, true])
    func upTo256ColorsComeBack(_ count: Int, _ isTransparent: Bool) throws {
        let opaque = (0..<(isTransparent ? count - 1 : count)).map { [UInt8($0), UInt8($0 / 3), 7, 255] as [UInt8] }
        let colors = opaque + (isTransparent ? [[0, 0, 0, 0]] : [])
        var source = DecisionSource(seed: UInt64(count))
        let pixels = colors + (0..<300).map { _ in source.pick(colors) }
        let width = 1 + source.below(20)
        let whole = Array(pixels.prefix(pixels.count / width * width))
        for effort in EncodingOptions.Effort.allCases {
            for isInterlaced in [false, true] {
                var options = EncodingOptions()
                options.effort = effort
                options.gif.isInterlaced = isInterlaced
                #expect(try decoded(encoded(whole, width: width, options)) == Array(whole.joined()))
            }
        }
    }

    @Test func translucentPixelsBecomeOpaqueOrTransparent() throws {
        let losses = LossLog()
        var options = EncodingOptions()
        options.losses = losses
        let file = try encoded([[1, 2, 3, 127], [1, 2, 3, 128], [4, 5, 6, 255]], width: 3, options)
        #expect(try decoded(file) == [0, 0, 0, 0, 1, 2, 3, 255, 4, 5, 6, 255])
        #expect(losses.count(of: .translucency) > 0 && losses.count(of: .colors) == 0)
        options.background = SIMD3(255, 255, 255)
        losses.clear()
        let flat = try encoded([[0, 0, 0, 127], [4, 5, 6, 255]], width: 2, options)
        #expect(try decoded(flat) == [128, 128, 128, 255, 4, 5, 6, 255])
        #expect(losses.count(of: .translucency) == 0)
    }

    @Test func translucentPixelsAreRefusedIfNothingMayBeLost() throws {
        var options = EncodingOptions()
        options.gif.mayReduceColors = false
        let file = try encoded([[1, 2, 3, 0], [4, 5, 6, 255]], width: 2, options)
        #expect(try decoded(file) == [0, 0, 0, 0, 4, 5, 6, 255])
        for alpha in [1, 127, 128, 254] as [UInt8] {
            #expect(throws: ImageError.unsupported(.gif, feature: "translucent pixels without loss")) {
                try encoded([[1, 2, 3, alpha], [4, 5, 6, 255]], width: 2, options)
            }
        }
    }

    @Test func moreColorsBecomeSimilarOnes() throws {
        let picture = try EncoderPicture(.ramp, size: PixelSize(width: 90, height: 60), format: .rgba)
        for dithering in [.none, .blueNoise, .default] as [Dithering] {
            let losses = LossLog()
            var options = EncodingOptions()
            options.losses = losses
            options.gif.dithering = dithering
            let file = try GIFCoder().encode(RasterImage(bitmap: picture.bitmap), to: .gif, options: options)
            let (read, wanted) = (try decoded(file), picture.bitmap.packedBytes())
            let difference = zip(read, wanted).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(difference < 8 * read.count)
            #expect(losses.count(of: .colors) > 0)
            options.gif.mayReduceColors = false
            #expect(throws: ImageError.self) {
                try GIFCoder().encode(RasterImage(bitmap: picture.bitmap), to: .gif, options: options)
            }
        }
    }

    @Test func lowerQualityMakesSmallerFilesThatDifferMore() throws {
        let picture = try EncoderPicture(.ramp, size: PixelSize(width: 120, height: 90), format: .rgb)
        var options = EncodingOptions()
        var (counts, differences) = ([Int](), [Int]())
        for quality in [0.9, 0.5, 0.2, 0] {
            options.quality = quality
            let file = try GIFCoder().encode(RasterImage(bitmap: picture.bitmap), to: .gif, options: options)
            counts.append(file.count)
            let wanted = try picture.bitmap.converted(to: .rgba).packedBytes()
            differences.append(zip(try decoded(file), wanted).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
        }
        #expect(counts == counts.sorted(by: >), "\(counts)")
        #expect(differences[3] > differences[0], "\(differences)")
    }

    @Test func fewColorsAreLostOnlyIfAQualityAsksForIt() throws {
        var source = DecisionSource(seed: 5)
        let pixels = (0..<60 * 40).map { _ in [UInt8(100 + source.below(8)), 90, 80, 255] }
        let exact = try encoded(pixels, width: 60)
        #expect(try decoded(exact) == pixels.flatMap { $0 })
        var options = EncodingOptions()
        options.quality = 0.3
        let lossy = try encoded(pixels, width: 60, options)
        #expect(lossy.count < exact.count * 3 / 4)
        #expect(try zip(decoded(lossy), pixels.flatMap { $0 }).allSatisfy { abs(Int($0) - Int($1)) < 8 })
        options.gif.isInterlaced = true
        #expect(try decoded(encoded(pixels, width: 60, options)) == pixels.flatMap { $0 })
    }

    @Test func transparencySurvivesColorsThatCrowdAHashTable() throws {
        // All of these begin their search in the first slots of the table that counts colours.
        let factor: UInt32 = 0x9E37_79B1
        // Modulo 2^32, by doubling the number of bits that are right.
        let inverse = (0..<5).reduce(factor) { found, _ in found &* (2 &- factor &* found) }
        let crowd = (0..<1 << 17).map { $0 &* inverse }.filter { $0 >> 24 == 0xFF }
        #expect(crowd.count > 400 && crowd.allSatisfy { $0 &* factor < 1 << 17 })
        var pixels: [[UInt8]] = []
        for color in crowd.prefix(400) {
            pixels.append((0..<4).map { index in UInt8(truncatingIfNeeded: color >> UInt32(8 * index)) })
        }
        pixels += [[UInt8]](repeating: [1, 2, 3, 255], count: 4)
        pixels += [[UInt8]](repeating: [0, 0, 0, 0], count: 96)
        for quality in [nil, 0.5, 1] {
            var options = EncodingOptions()
            options.quality = quality
            let read = try decoded(encoded(pixels, width: 50, options))
            for place in pixels.indices { #expect(read[4 * place + 3] == pixels[place][3]) }
        }
    }

    @Test func aQualityNeverMakesAFileOfFewColorsLonger() throws {
        let pixels = (0..<90 * 60).map { place -> [UInt8] in
            let (column, row) = (place % 90 / 30, place / 900)
            return [UInt8(column * 80), UInt8(row * 40), 90, 255]
        }
        let exact = try encoded(pixels, width: 90).count
        for quality in [0, 0.3, 0.6, 0.9, 1] {
            var options = EncodingOptions()
            options.quality = quality
            #expect(try encoded(pixels, width: 90, options).count <= exact)
        }
    }

    @Test func whatNoFileHoldsIsRefused() throws {
        let wide = try Bitmap(size: PixelSize(width: 65_536, height: 1), format: .gray)
        #expect(throws: ImageError.limitExceeded(.dimension, requested: 65_536, allowed: 65_535)) {
            try GIFCoder().encode(RasterImage(bitmap: wide), to: .gif, options: .default)
        }
        for count in [1, 0, -1, 257, .max] {
            var options = EncodingOptions()
            options.gif.colorCount = count
            #expect(throws: ImageError.self) { try encoded([[1, 2, 3, 255]], width: 1, options) }
        }
    }

    @Test func effortMakesFilesSmaller() throws {
        var source = DecisionSource(seed: 3)
        let pixels = (0..<200 * 150).map { place in
            let base = place < 15_000 ? 0 : 100
            return [UInt8(base + source.below(9) * source.below(9)), UInt8(place / 200), 0, 255]
        }
        let limited = pixels.map { [$0[0] / 2, $0[1] / 64, 0, 255] as [UInt8] }
        let counts = try EncodingOptions.Effort.allCases.map { effort in
            var options = EncodingOptions()
            options.effort = effort
            return try encoded(limited, width: 200, options).count
        }
        #expect(counts[0] >= counts[1] && counts[1] >= counts[2])
    }

    /// Colours of noise, each pixel four by four times: what repeats is not spent on strings that lose something.
    @Test func enlargedPicturesAreNotLargerWithMoreEffort() throws {
        var random = SeededRandom(seed: 5)
        var field = [[Int]](repeating: [128, 128, 128], count: 64 * 64)
        for place in 1..<field.count {
            field[place] = field[place - 1].map { min(250, max(5, $0 + Int(random.next() % 17) - 8)) }
        }
        let pixels = (0..<256 * 256).map { place in
            field[place / 256 / 4 * 64 + place % 256 / 4].map { UInt8($0) } + [255]
        }
        var options = EncodingOptions()
        options.effort = .fast
        let fast = try encoded(pixels, width: 256, options).count
        options.effort = .default
        #expect(try encoded(pixels, width: 256, options).count <= fast)
    }
}
