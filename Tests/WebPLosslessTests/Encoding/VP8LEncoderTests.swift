import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// Pictures through the encoder and back. That other decoders read the same is `Scripts/check-webp-encoder`'s business.
@Suite struct VP8LEncoderTests {
    /// A picture, RGBA.
    struct Picture: Sendable, CustomTestStringConvertible {
        let name: String
        let size: PixelSize
        let bytes: [UInt8]

        var testDescription: String { "\(name), \(size)" }

        init(_ name: String, _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<UInt8>) {
            self.name = name
            size = PixelSize(width: width, height: height)
            bytes = (0..<height).flatMap { y in
                (0..<width).flatMap { x in
                    let pixel = pixel(x, y)
                    return [pixel[0], pixel[1], pixel[2], pixel[3]]
                }
            }
        }
    }

    /// One of each kind.
    static var pictures: [Picture] {
        var random = SeededRandom(seed: 1)
        var pictures = [
            Picture("one color", 50, 40) { _, _ in SIMD4(1, 2, 3, 255) },
            Picture("gradient", 61, 47) { x, y in SIMD4(UInt8(x * 4), UInt8(y * 5), UInt8(x + y), 255) },
            Picture("gray", 64, 64) { x, y in SIMD4(repeating: UInt8((x * y) & 255)) | SIMD4(0, 0, 0, 255) },
            Picture("translucent", 33, 29) { x, y in SIMD4(UInt8(x), UInt8(y), 9, UInt8(x * 7)) },
            Picture("half transparent", 40, 30) { x, y in x < 20 ? SIMD4(UInt8(y), 5, 6, 0) : SIMD4(7, 8, UInt8(y), 255)
            },
        ]
        for colorCount in [1, 2, 3, 4, 5, 16, 17, 256, 257] {
            pictures.append(
                Picture("\(colorCount) colors", 37, 31) { x, y in
                    let number = (x * 7 + y * 13 + (x * y) % 5) % colorCount
                    return SIMD4(UInt8(number & 255), UInt8(number >> 8 * 40), UInt8((number * 3) & 255), 255)
                })
        }
        for (width, height) in [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (129, 2), (2, 129)] {
            pictures.append(Picture("noise", width, height) { _, _ in random.pixel() })
        }
        let noise = Picture("tile", 16, 16) { _, _ in random.pixel() }
        pictures.append(
            Picture("repeated noise", 128, 96) { x, y in
                let start = 4 * ((y % 16) * 16 + x % 16)
                return SIMD4(noise.bytes[start], noise.bytes[start + 1], noise.bytes[start + 2], 255)
            })
        pictures.append(
            Picture("photograph", 160, 120) { x, y in
                let base = (x * x + y * y * 3) / 200 + x / 3
                let grain = Int(random.next() % 7)
                let (red, green) = (UInt8((base + grain) & 255), UInt8((base / 2 + grain + 30) & 255))
                return SIMD4(red, green, UInt8((base / 3 + grain) & 255), 255)
            })
        return pictures
    }

    static func encoded(
        _ picture: Picture, _ settings: VP8LEncoder.Settings, meter: MemoryMeter = MemoryMeter()
    ) throws(ImageError) -> [UInt8] {
        var encoder = VP8LEncoder(picture.size, settings, meter: meter)
        var work = WorkGuard.unlimited
        let rowByteCount = 4 * picture.size.width
        for y in 0..<picture.size.height {
            try picture.bytes[y * rowByteCount..<(y + 1) * rowByteCount].span.withRawBytes {
                (row) throws(ImageError) in try encoder.add(row, &work)
            }
        }
        return try encoder.finish(&work)
    }

    private static func decoded(_ bytes: [UInt8]) throws -> (pixels: [UInt8], info: VP8LImageInfo) {
        var options = DecodingOptions.default
        options.pixelFormat = .rgba
        var decoder = VP8LDecoder(options: options)
        _ = try decoder.append(bytes.span)
        _ = try decoder.finish()
        let bitmap = try #require(try decoder.image()).bitmap
        var pixels: [UInt8] = []
        for y in 0..<bitmap.height { bitmap.withRowBytes(y) { pixels.append($0) } }
        return (pixels, decoder.imageInfo)
    }

    @Test(arguments: pictures, EncodingOptions.Effort.allCases)
    func picturesComeBack(_ picture: Picture, effort: EncodingOptions.Effort) throws {
        var settings = VP8LEncoder.Settings(effort: effort)
        settings.keepsInvisibleColors = true
        let meter = MemoryMeter()
        let bytes = try Self.encoded(picture, settings, meter: meter)
        #expect(try Self.decoded(bytes).pixels == picture.bytes)
        #expect(meter.peak <= VP8LEncoder.byteCount(picture.size, effort))
        #expect(try Self.encoded(picture, settings) == bytes)
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func invisibleColorsBecomeZero(effort: EncodingOptions.Effort) throws {
        for picture in Self.pictures {
            var expected = picture.bytes
            for start in stride(from: 0, to: expected.count, by: 4) where expected[start + 3] == 0 {
                (expected[start], expected[start + 1], expected[start + 2]) = (0, 0, 0)
            }
            let bytes = try Self.encoded(picture, VP8LEncoder.Settings(effort: effort))
            #expect(try Self.decoded(bytes).pixels == expected)
        }
    }

    @Test func nearLosslessChangesLittleAndLessWithMoreQuality() throws {
        for picture in Self.pictures {
            for quality in stride(from: 0, through: 100, by: 20) {
                var settings = VP8LEncoder.Settings(effort: .default)
                settings.keepsInvisibleColors = true
                settings.nearLosslessQuality = quality
                let pixels = try Self.decoded(try Self.encoded(picture, settings)).pixels
                let most = zip(pixels, picture.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
                #expect(most <= (quality == 100 ? 0 : 1 << (4 - quality / 20)))
            }
        }
    }

    @Test func everyFeatureOfTheFormatIsUsed() throws {
        var (predictors, colors, greens, caches, groups) = (0, 0, 0, 0, 0)
        var bundles: Set<Int> = []
        for picture in Self.pictures {
            for effort in EncodingOptions.Effort.allCases {
                let info = try Self.decoded(try Self.encoded(picture, VP8LEncoder.Settings(effort: effort))).info
                for transform in info.transforms {
                    switch transform {
                    case .predictor: predictors += 1
                    case .color: colors += 1
                    case .subtractGreen: greens += 1
                    case .colorIndexing(_, let count): bundles.insert(count)
                    }
                }
                caches += info.colorCacheBits > 0 ? 1 : 0
                groups += info.metaPrefixBlockSize != nil ? 1 : 0
            }
        }
        #expect(predictors > 0 && colors > 0 && greens > 0 && caches > 0 && groups > 0)
        #expect(bundles == [1, 2, 4, 8])
    }

    /// A tile of noise takes three bytes a pixel, once; each row of its repetitions a copy.
    @Test(arguments: EncodingOptions.Effort.allCases, [(64, 64), (37, 53)])
    func noiseThatRepeatsIsWrittenOnce(effort: EncodingOptions.Effort, tile: (width: Int, height: Int)) throws {
        var random = SeededRandom(seed: 46)
        let pixels = (0..<tile.width * tile.height).map { _ in random.pixel() | SIMD4(0, 0, 0, 255) }
        let picture = Picture("tiles", 400, 300) { x, y in
            pixels[y % tile.height * tile.width + x % tile.width]
        }
        let bytes = try Self.encoded(picture, VP8LEncoder.Settings(effort: effort))
        #expect(bytes.count < pixels.count * 3 + 300 * 6)
        #expect(try Self.decoded(bytes).pixels == picture.bytes)
    }

    /// The second half of the picture is the first, with grain that makes every pixel new.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func predictedPixelsThatRepeatAreWrittenOnce(effort: EncodingOptions.Effort) throws {
        var random = SeededRandom(seed: 47)
        let grain = (0..<200 * 101).map { _ in Int(random.next() % 9) }
        func photograph(_ name: String, height: Int) -> Picture {
            Picture(name, 200, height) { x, y in
                let value = 40 + x / 2 + y % 101 + grain[y % 101 * 200 + x]
                return SIMD4(UInt8(value), UInt8(value / 2), UInt8(255 - value), 255)
            }
        }
        let once = try Self.encoded(photograph("once", height: 101), VP8LEncoder.Settings(effort: effort))
        let twice = try Self.encoded(photograph("twice", height: 202), VP8LEncoder.Settings(effort: effort))
        #expect(twice.count < once.count + once.count / 8)
    }

    @Test func indicesOfAPaletteArePredicted() throws {
        // Steps of one colour or none: indices go up by one, colours do not.
        let picture = Picture("false colors", 160, 120) { x, y in
            let number = (x + y + (x * y) % 3) * 200 / 282
            return SIMD4(UInt8(number), UInt8(abs(number - 100)), UInt8(number < 128 ? number : 255 - number), 255)
        }
        let bytes = try Self.encoded(picture, VP8LEncoder.Settings(effort: .best))
        let other = try Self.encoded(picture, VP8LEncoder.Settings(effort: .fast))
        #expect(bytes.count <= other.count)
        #expect(try Self.decoded(bytes).pixels == picture.bytes)
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func oneColorTakesNoPalette(effort: EncodingOptions.Effort) throws {
        let picture = try #require(Self.pictures.first { $0.name == "one color" })
        // Five bytes of header, and five codes of one symbol.
        #expect(try Self.encoded(picture, VP8LEncoder.Settings(effort: effort)).count <= 18)
    }

    @Test func refusedMemoryIsAnError() throws {
        let picture = try #require(Self.pictures.first { $0.name == "photograph" })
        for limit in [1 << 10, 1 << 17, 1 << 18, 1 << 19] {
            let meter = MemoryMeter(limit: limit)
            var failure: ImageError?
            do throws(ImageError) {
                _ = try Self.encoded(picture, VP8LEncoder.Settings(effort: .default), meter: meter)
            } catch {
                failure = error
            }
            #expect(meter.peak <= limit)
            guard let failure else { continue }
            #expect(failure.isMemoryLimit)
        }
    }

    /// Each request in turn, in a picture with something of everything.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func everyRefusedRequestIsAnError(effort: EncodingOptions.Effort) {
        var random = SeededRandom(seed: 9)
        let picture = Picture("mixed", 72, 60) { x, y in
            if y < 20 { return SIMD4(UInt8(x * 3), UInt8(y * 9), UInt8(x + y), 255) }
            return x < 36 ? SIMD4(9, 8, 7, 255) : random.pixel()
        }
        let violations = RefusedMemory.violations("\(effort)") { (meter) throws(ImageError) in
            try Self.encoded(picture, VP8LEncoder.Settings(effort: effort), meter: meter)
        }
        #expect(violations == [])
    }

    /// What a picture has in one direction alone is in its first row or column.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func gradientsInOneDirectionArePredicted(effort: EncodingOptions.Effort) throws {
        for (width, height) in [(900, 1), (1, 900), (900, 8), (8, 900)] {
            let picture = Picture("gradient", width, height) { x, y in
                let place = max(x * (width > height ? 1 : 0), y * (height > width ? 1 : 0))
                return SIMD4(UInt8(place * 255 / 899), UInt8(place * 177 / 899), UInt8(255 - place * 255 / 899), 255)
            }
            #expect(try Self.encoded(picture, VP8LEncoder.Settings(effort: effort)).count < 600)
        }
    }
}

extension ImageError {
    fileprivate var isMemoryLimit: Bool {
        if case .limitExceeded(.memory, _, _) = self { true } else { false }
    }
}

extension SeededRandom {
    fileprivate mutating func pixel() -> SIMD4<UInt8> {
        let bits = next()
        return SIMD4(
            UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits >> 16),
            UInt8(truncatingIfNeeded: bits >> 24), UInt8(truncatingIfNeeded: bits >> 32))
    }
}
