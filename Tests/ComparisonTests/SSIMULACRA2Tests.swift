import CodecTestSupport
import ImageCodecsCore
import ImageComparison
import Testing

@Suite struct SSIMULACRA2Tests {
    // Scores of numpy in double precision: the formulas of the Python package `ssimulacra2` 0.3.0, with zeros outside of the picture for
    // its Gaussian (scipy's `gaussian_filter`, sigma 1.5, radius 5, mode "constant"), as libjxl has them.
    @Test(arguments: [
        (8, 8, 95.5919), (9, 8, 95.5877), (16, 33, 94.2958), (64, 48, 87.2640), (129, 67, 41.6230), (300, 200, 72.3628),
        (600, 40, 86.4403),
    ])
    func scoresAreThoseOfAnIndependentProgram(_ width: Int, _ height: Int, _ expected: Double) throws {
        let original = try ComparedPictures.original(width, height)
        let score = try SSIMULACRA2(original, ComparedPictures.worse(original)).score
        #expect(abs(score - expected) < 0.01, "\(score)")
    }

    // The worse of 58.3530 over black and 60.2850 over white, by the same program.
    @Test func theWorseOfTwoBackgroundsCounts() throws {
        let picture = try ComparedPictures.original(80, 60)
        let original = try ComparedPictures.withAlpha(picture) { UInt8(truncatingIfNeeded: $0 * 3 + $1 * 2) }
        let other = try ComparedPictures.withAlpha(ComparedPictures.worse(picture)) {
            UInt8(truncatingIfNeeded: $0 * 3 + $1 * 2) & 0xFE
        }
        let score = try SSIMULACRA2(original, other).score
        #expect(abs(score - 58.3530) < 0.01, "\(score)")
    }

    // Of the same program, for pictures whose pixels are repeated: 7x9 becomes 14x9, 1x1 becomes 8x8.
    @Test(arguments: [(7, 9, 94.4245), (1, 1, 99.8089)])
    func pixelsOfSmallPicturesAreRepeated(_ width: Int, _ height: Int, _ expected: Double) throws {
        let original = try ComparedPictures.original(width, height)
        let score = try SSIMULACRA2(original, ComparedPictures.worse(original)).score
        #expect(abs(score - expected) < 0.01, "\(score)")
    }

    @Test(arguments: [(1, 1), (1, 40), (40, 1), (7, 9), (8, 8), (9, 8), (33, 17), (700, 12), (12, 700)])
    func equalPicturesHaveAHundredPoints(_ width: Int, _ height: Int) throws {
        let picture = try ComparedPictures.original(width, height)
        let comparison = try SSIMULACRA2(picture, picture, makesMap: true)
        #expect(comparison.score == 100)
        #expect(comparison.map?.scores.allSatisfy { $0 == 100 } == true)
    }

    @Test(arguments: PixelFormat.all)
    func everyFormatCanBeCompared(_ format: PixelFormat) throws {
        let picture = try ComparedPictures.original(40, 30).converted(to: .gray)
        let worse = try ComparedPictures.worse(picture.converted(to: .rgb)).converted(to: .gray)
        let expected = try SSIMULACRA2(picture, worse).score
        let score = try SSIMULACRA2(picture.converted(to: format), worse.converted(to: .rgb)).score
        #expect(score == expected && score < 100)
    }

    @Test func hiddenColoursDoNotCount() throws {
        let picture = try ComparedPictures.original(30, 20)
        let hidden = try ComparedPictures.withAlpha(picture) { _, _ in 0 }
        let other = try ComparedPictures.withAlpha(ComparedPictures.worse(picture)) { _, _ in 0 }
        #expect(try SSIMULACRA2(hidden, other).score == 100)
        // Opaque black next to nothing: equal over black, not over white.
        let black = try Bitmap(size: picture.size, format: .rgb)
        #expect(try SSIMULACRA2(black, hidden).score < 99)
    }

    @Test func pixelsOfSmallPicturesThatDifferAreSeen() throws {
        let black = try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray)
        var white = black
        try white.withMutableRow(0) { $0[0] = 255 }
        #expect(try SSIMULACRA2(black, white).score < 99)
        #expect(try SSIMULACRA2(white, black).score < 99)
    }

    @Test func differentSizesAreRefused() throws {
        let one = try ComparedPictures.original(10, 9)
        let other = try ComparedPictures.original(9, 10)
        #expect(throws: ImageError.self) { try SSIMULACRA2(one, other) }
        let nothing = try Bitmap(size: PixelSize(width: 0, height: 0), format: .rgb)
        #expect(throws: ImageError.self) { try SSIMULACRA2(nothing, nothing) }
    }

    @Test func memoryIsForAFewRows() throws {
        let original = try ComparedPictures.original(200, 400)
        let meter = MemoryMeter()
        var work = WorkGuard.unlimited
        _ = try SSIMULACRA2(original, original, meter: meter, work: &work)
        #expect(meter.current == 0)
        // At most 1.8 KiB for each column, however many rows there are.
        #expect(meter.peak <= SSIMULACRA2.estimatedByteCount(original.size))
        #expect(meter.peak < 200 * 1800 + 100_000)
        var limits = DecodingLimits.default
        limits.maxMemoryByteCount = meter.peak
        _ = try SSIMULACRA2(original, original, limits: limits)
        limits.maxMemoryByteCount -= 1
        #expect(throws: ImageError.self) { try SSIMULACRA2(original, original, limits: limits) }
    }

    @Test func timeIsLimited() throws {
        let original = try ComparedPictures.original(600, 600)
        var limits = DecodingLimits.default
        limits.maxTime = .microseconds(10)
        #expect(throws: ImageError.self) { try SSIMULACRA2(original, original, limits: limits) }
    }
}
