import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// Which way is taken. The limits are sizes of `cwebp -lossless -exact` (libwebp 1.2.4, -z 6 and -z 9) for the same pictures, 5 % added.
@Suite struct EncodingStrategyTests {
    typealias Picture = VP8LEncoderTests.Picture

    private static func byteCount(_ picture: Picture, _ effort: EncodingOptions.Effort) throws -> Int {
        // A container takes 20 bytes around the bitstream.
        try VP8LEncoderTests.encoded(picture, VP8LEncoder.Settings(effort: effort)).count + 20
    }

    /// Up and down again, by one a step.
    private static func wave(_ place: Int, _ period: Int) -> Int {
        let rest = place % (2 * period)
        return min(rest, 2 * period - rest)
    }

    /// Colours that have nothing to do with one another.
    private static func color(_ number: Int) -> SIMD4<UInt8> {
        SIMD4(UInt8(number * 73 & 255), UInt8(number * 151 & 255), UInt8(number * 199 & 255), 255)
    }

    /// Fields beside one another have colours that are beside one another often: an order of the palette shows it.
    @Test func smoothFieldsOfAnyColorsArePredicted() throws {
        let fields = Picture("fields", 192, 144) { x, y in
            Self.color((Self.wave(x * x / 16 + y, 96) + Self.wave(3 * y + x, 120)) / 9)
        }
        #expect(try Self.byteCount(fields, .default) <= 6874 * 21 / 20)
        #expect(try Self.byteCount(fields, .best) <= 3686 * 21 / 20)
        let bands = Picture("bands", 384, 288) { x, y in Self.color((x + y) * 16 / 700) }
        #expect(try Self.byteCount(bands, .default) <= 598 * 21 / 20)
        #expect(try Self.byteCount(bands, .best) <= 186 * 21 / 20)
    }

    /// Differences of few values, which copies repeat: sums of differences do not say what they take.
    @Test func softGradientsAreNoLarger() throws {
        let picture = Picture("soft", 256, 200) { x, y in
            let (a, b) = (x * x + 3 * y * y, (256 - x) * (256 - x) + y * x)
            return SIMD4(UInt8(a / 800), UInt8((a + b) / 1400), UInt8(b / 700), 255)
        }
        #expect(try Self.byteCount(picture, .default) <= 13190 * 21 / 20)
        #expect(try Self.byteCount(picture, .best) <= 12852 * 21 / 20)
    }

    /// Each row is a part of the same noise, all of it brighter by another number: what differs from the left neighbour repeats, and
    /// nothing else. The limit is a byte for each pixel of the noise, and ten for each row.
    @Test func stretchesThatRepeatBrighterAreCopies() throws {
        var random = SeededRandom(seed: 46)
        let noise = random.bytes(600)
        let rows = (0..<200).map { _ in (shift: Int(random.next() >> 33) % 300, offset: UInt8(random.next() >> 56)) }
        let picture = Picture("brighter and brighter", 300, 200) { x, y in
            let gray = noise[x + rows[y].shift] &+ rows[y].offset
            return SIMD4(gray, gray, gray, 255)
        }
        #expect(try Self.byteCount(picture, .default) <= noise.count + 10 * rows.count)
        #expect(try Self.byteCount(picture, .best) <= noise.count + 10 * rows.count)
    }

    /// Discs with soft edges on nothing, more than 256 colours: rows of one disc repeat, and predictions lose that. The limit is a
    /// quarter more than `-z 6` takes.
    @Test func discsApartAreCopiesAtFast() throws {
        let picture = Picture("discs", 288, 288) { x, y in
            let (disc, dx, dy) = (y / 32 * 9 + x / 32, 2 * (x % 32) - 31, 2 * (y % 32) - 31)
            let radius = 20 + disc % 7
            let rest = (radius * radius - dx * dx - dy * dy) * 255
            // Rounded down, also below zero.
            let alpha = (rest >= 0 ? rest : rest - (4 * radius - 1)) / (4 * radius) + 128
            guard alpha > 0 else { return SIMD4() }
            return SIMD4(
                UInt8(disc * 53 & 255), UInt8((disc * 97 + (dy > 0 ? 40 : 0)) & 255), UInt8(disc * 151 & 255),
                UInt8(min(255, alpha)))
        }
        #expect(try Self.byteCount(picture, .fast) <= 11468 * 5 / 4)
    }

    @Test(arguments: VP8LEncoderTests.pictures)
    func noEffortIsLargerThanAFasterOne(_ picture: Picture) throws {
        let counts = try [.fast, .default, .best].map { try Self.byteCount(picture, $0) }
        #expect(counts == counts.sorted(by: >))
    }
}
