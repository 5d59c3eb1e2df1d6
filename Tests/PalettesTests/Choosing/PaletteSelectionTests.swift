import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct PaletteSelectionTests {
    private func palette(
        _ pixels: [UInt32], _ colorCount: Int, _ effort: EncodingOptions.Effort = .default, meter: MemoryMeter? = nil
    ) throws -> Palette {
        var work = WorkGuard.unlimited
        var histogram = try ColorHistogram(meter: meter)
        try pixels.rgbaBytes.withRawSpan { (bytes) throws(ImageError) in
            try histogram.add(bytes, width: pixels.count, weight: 1, work: &work)
        }
        return try Palette(histogram, colorCount: colorCount, effort: effort, meter: meter, work: &work)
    }

    private func noise(_ count: Int, alpha: (Int) -> UInt32 = { _ in 255 }) -> [UInt32] {
        var random = SeededRandom(seed: 8)
        return (0..<count).map { UInt32.random(in: 0...0xFF_FFFF, using: &random) | alpha($0) << 24 }
    }

    @Test func fewColoursAreKeptAsTheyCame() throws {
        let colors: [UInt32] = [0xFF00_0009, 0x8000_0001, 0, 0xFF00_0003]
        #expect(try palette(colors + colors, 4).colors == colors)
    }

    @Test func nothingMakesAnEmptyPalette() throws { #expect(try palette([], 16).colors == []) }

    @Test(arguments: [2, 3, 16, 255, 256], EncodingOptions.Effort.allCases)
    func thereAreNoMoreColoursThanAskedFor(_ count: Int, _ effort: EncodingOptions.Effort) throws {
        let palette = try palette(noise(30_000), count, effort)
        #expect(palette.count <= count && palette.count >= count * 9 / 10)
        #expect(Set(palette.colors).count == palette.count)
        #expect(palette.colors.allSatisfy { $0 >> 24 == 255 })
    }

    @Test func transparencyTakesTheFirstEntryAndNoOther() throws {
        let palette = try palette(noise(20_000) { $0 % 3 == 0 ? 0 : 255 }, 16)
        #expect(palette.colors.first == 0)
        #expect(palette.colors.dropFirst().allSatisfy { $0 >> 24 == 255 })
    }

    @Test(arguments: [2, 3, 4, 256])
    func opaqueColoursHaveOpaqueEntries(_ count: Int) throws {
        let pixels = noise(20_000) { [255, 0, 100, 254, 1][$0 % 5] }
        let palette = try palette(pixels, count)
        #expect(palette.colors.contains { $0 >> 24 == 255 })
        #expect(palette.colors.filter { $0 >> 24 == 0 } == [0])
    }

    @Test func aCommonColourStaysExact() throws {
        let common: UInt32 = 0xFF12_3457
        let palette = try palette(noise(5000) + [UInt32](repeating: common, count: 20_000), 32)
        #expect(palette.colors.contains(common))
    }

    @Test func coloursThatAreCloseTogetherAreToldApart() throws {
        let dark = (0..<4096 as Range<UInt32>).map { number -> UInt32 in
            let (red, green, blue) = (number & 15, number >> 4 & 15, number >> 8)
            return 0xFF00_0000 | blue << 16 | green << 8 | red
        }
        #expect(try palette(dark, 200).count >= 190)
    }

    @Test func moreRoundsMeanLessError() throws {
        let pixels = noise(20_000)
        let errors = try EncodingOptions.Effort.allCases.map { effort in
            var search = try NearestColor(palette(pixels, 64, effort), meter: nil)
            return pixels.reduce(0.0) { $0 + Double(search.nearest(to: Oklab.point($1)).squaredDistance) }
        }
        #expect(errors[1] < errors[0] && errors[2] <= errors[1] * 1.001)
    }

    @Test func memoryIsWithinTheEstimate() throws {
        let meter = MemoryMeter()
        _ = try palette(noise(150_000), 256, meter: meter)
        #expect(
            meter.peak <= ColorHistogram.byteCount(pixelCount: 150_000, effort: .default)
                + Palette.selectionByteCount(pixelCount: 150_000, effort: .default))
        #expect(meter.current == 0)
    }

    @Test func theClockStopsIt() throws {
        var histogram = try ColorHistogram(meter: nil)
        var unlimited = WorkGuard.unlimited
        let pixels = noise(50_000)
        try pixels.rgbaBytes.withRawSpan { (bytes) throws(ImageError) in
            try histogram.add(bytes, width: pixels.count, weight: 1, work: &unlimited)
        }
        var options = EncodingOptions()
        options.limits.maxTime = .zero
        var work = WorkGuard(options)
        work.begin()
        #expect(throws: ImageError.self) {
            try Palette(histogram, colorCount: 256, effort: .best, meter: nil, work: &work)
        }
    }
}
