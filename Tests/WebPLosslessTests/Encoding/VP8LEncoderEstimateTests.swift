import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// What encoding holds, by the meter, and what is said before.
@Suite struct VP8LEncoderEstimateTests {
    private typealias Picture = VP8LEncoderTests.Picture

    /// Just above the size up to which pictures are tried in more ways by effort default.
    private static let size = PixelSize(width: 600, height: 440)

    /// The kinds that take most: all symbols of every block, many short copies, of indices too, and a few copies among noise.
    private static func pictures() -> [Picture] {
        var random = SeededRandom(seed: 48)
        let noise = (0..<size.width * size.height).map { _ in pixel(random.next()) }
        let colors = (0..<300).map { _ in (pixel(random.next()), pixel(random.next())) }
        let pairs = (0..<size.width * size.height / 2).map { _ in colors[Int(random.next() % 300)] }
        return [
            Picture("noise", size.width, size.height) { x, y in noise[y * size.width + x] },
            Picture("noise that repeats a little", size.width, size.height) { x, y in
                noise[(y < 400 ? y : y - 400) * size.width + x]
            },
            Picture("pairs", size.width, size.height) { x, y in
                let place = y * size.width + x
                return (place % 2 == 0 ? pairs[place / 2].0 : pairs[place / 2].1) | SIMD4(0, 0, 0, 255)
            },
            // Fast chooses copies of indices by what they take.
            Picture("pairs of few colours", size.width, size.height) { x, y in
                let place = y * size.width + x
                let number = (place / 2 * 7919 >> 3) % 100
                return (place % 2 == 0 ? colors[number].0 : colors[number].1) | SIMD4(0, 0, 0, 255)
            },
        ]
    }

    private static func pixel(_ bits: UInt64) -> SIMD4<UInt8> {
        SIMD4(
            UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits >> 16),
            UInt8(truncatingIfNeeded: bits >> 24), UInt8(truncatingIfNeeded: bits >> 32))
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func estimateIsNoMoreThanThreeTenthsAboveWhatIsHeld(effort: EncodingOptions.Effort) throws {
        let estimate = VP8LEncoder.byteCount(Self.size, effort)
        var most = 0
        for picture in Self.pictures() {
            let meter = MemoryMeter()
            _ = try VP8LEncoderTests.encoded(picture, VP8LEncoder.Settings(effort: effort), meter: meter)
            #expect(meter.peak <= estimate, "\(picture.name)")
            most = max(most, meter.peak)
        }
        #expect(10 * estimate <= 13 * most, "\(estimate) bytes for \(most)")
    }

    /// Four bytes of a pixel, as many of the bitstream, and tables: copies are taken as they are found.
    @Test func fastHoldsTenBytesAPixelOfNoiseAtMost() throws {
        let picture = try #require(Self.pictures().first)
        let meter = MemoryMeter()
        _ = try VP8LEncoderTests.encoded(picture, VP8LEncoder.Settings(effort: .fast), meter: meter)
        #expect(meter.peak <= 10 * Self.size.width * Self.size.height)
    }

    @Test func thirtySixMegapixelsAreWithinTwoGibibytes() {
        let size = PixelSize(width: 7360, height: 4912)
        for effort in EncodingOptions.Effort.allCases {
            #expect(VP8LEncoder.byteCount(size, effort) <= EncodingLimits.default.maxMemoryByteCount)
        }
    }

    /// No arithmetic overflows.
    @Test func estimatesOfTheLargestPicturesSaturate() {
        for effort in EncodingOptions.Effort.allCases {
            #expect(VP8LEncoder.byteCount(PixelSize(width: 1 << 14, height: 1 << 14), effort) > 1 << 31)
            #expect(VP8LEncoder.byteCount(PixelSize(width: .max, height: 2), effort) == .max)
        }
    }
}
