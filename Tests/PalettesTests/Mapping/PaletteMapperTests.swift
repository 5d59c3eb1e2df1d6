import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct PaletteMapperTests {
    static let methods: [Dithering] = [
        .automatic, .none, .blueNoise, .default, .errorDiffusion(strength: 1), .errorDiffusion(strength: .nan),
        .errorDiffusion(strength: 1e300),
    ]

    /// The colours that pixels get.
    private func mapped(
        _ rows: [[UInt32]], _ palette: [UInt32], _ dithering: Dithering
    ) throws -> [[UInt32]] {
        let width = rows.map(\.count).max() ?? 0
        let meter = MemoryMeter()
        var mapper = try PaletteMapper(Palette(palette), dithering, width: width, meter: meter)
        mapper.begin()
        let result = rows.map { row in
            var indices = [UInt8](repeating: 0, count: row.count)
            row.rgbaBytes.withRawSpan(first: 4 * row.count) { row in
                let width = row.byteCount / 4
                indices.withMutableBytes { mapper.map(row, into: &$0, width: width) }
            }
            return indices.map { palette[Int($0)] }
        }
        #expect(meter.peak <= PaletteMapper.byteCount(width: width))
        return result
    }

    private func noise(_ width: Int, _ height: Int) -> [[UInt32]] {
        var random = SeededRandom(seed: 77)
        return (0..<height).map { _ in
            (0..<width).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000 }
        }
    }

    @Test(arguments: methods)
    func coloursOfThePaletteStay(_ dithering: Dithering) throws {
        let rows = noise(40, 6)
        let palette = Array(Set(rows.joined())).sorted()
        #expect(try mapped(rows, palette, dithering) == rows)
    }

    @Test func withoutDitheringEveryPixelGetsTheNearestColour() throws {
        // More colours than are remembered, each twice; then rows of colours that want the same place in the table, in turn.
        var rows = noise(900, 60)
        for y in rows.indices where y % 2 == 1 { rows[y] = rows[y - 1].reversed() }
        let inOnePlace = (UInt32(0xFF00_0000)..<0xFF10_0000).filter { (color: UInt32) -> Bool in
            (color &* 0x9E37_79B1) >> 17 == 77
        }
        #expect(inOnePlace.count > 4)
        for _ in 0..<3 { rows.append((0..<90).map { inOnePlace[$0 * $0 % inOnePlace.count] }) }
        rows.append([0, 0x7F12_3456, 0, 0xFFFF_FFFF, 0x7F12_3456, 0xFF00_0000, 0, 0x0012_3456])
        let palette = noise(200, 1)[0] + [0x7F33_3333]
        var search = try NearestColor(Palette(palette), meter: nil)
        let expected = rows.map { row in row.map { palette[Int(search.index(of: $0))] } }
        #expect(try mapped(rows, palette, .none) == expected)
    }

    @Test(arguments: methods)
    func rowsAtOnceAreMappedLikeRowsOneByOne(_ dithering: Dithering) throws {
        var rows = noise(37, 4 * PaletteMapper.mostRows + 3)
        for y in rows.indices where y % 5 < 3 { rows[y].replaceSubrange(9..<30, with: rows[0][9..<30]) }
        let palette = Array(noise(60, 1)[0])
        let bytes = rows.joined().map { $0 }.rgbaBytes
        var mapper = try PaletteMapper(Palette(palette), dithering, width: 60, meter: nil)
        for most in 2...PaletteMapper.mostRows {
            // Something wider before, of which nothing may stay.
            mapper.begin()
            let wide = noise(60, 2).joined().map { $0 }.rgbaBytes
            var wideIndices = [UInt8](repeating: 0, count: 120)
            wide.withRawSpan(first: wide.count) { wide in
                wideIndices.withMutableBytes { mapper.map(wide, into: &$0, width: 60, count: 2) }
            }
            mapper.begin()
            var result: [UInt32] = []
            for start in stride(from: 0, to: rows.count, by: most) {
                let count = min(most, rows.count - start)
                var indices = [UInt8](repeating: 0, count: 37 * count)
                let part = Array(bytes[4 * 37 * start..<4 * 37 * (start + count)])
                part.withRawSpan(first: part.count) { part in
                    indices.withMutableBytes { mapper.map(part, into: &$0, width: 37, count: count) }
                }
                result += indices.map { palette[Int($0)] }
            }
            #expect(try result == Array(mapped(rows, palette, dithering).joined()))
        }
    }

    @Test(arguments: methods)
    func transparencyStaysAndOpaquePixelsStayOpaque(_ dithering: Dithering) throws {
        var rows = noise(60, 20)
        for y in rows.indices {
            for x in rows[y].indices {
                rows[y][x] = rows[y][x] & 0xFF_FFFF | [255, 0, 128, 254][(x / 7 + y) % 4] << 24
            }
        }
        let palette: [UInt32] = [0, 0xFF80_8080, 0xFFFF_FFFF, 0xFF00_0000, 0x8080_8080]
        let result = try mapped(rows, palette, dithering)
        for (row, result) in zip(rows, result) {
            for (pixel, mapped) in zip(row, result) {
                #expect((pixel >> 24 == 0) == (mapped >> 24 == 0) && (pixel >> 24 == 255) == (mapped >> 24 == 255))
            }
        }
    }

    @Test(arguments: methods)
    func areasOfOneColourHaveOneColour(_ dithering: Dithering) throws {
        let rows = [[UInt32]](repeating: [UInt32](repeating: 0xFF70_7070, count: 50), count: 20)
        let result = try mapped(rows, [0xFF00_0000, 0xFF60_6060, 0xFF90_9090], dithering)
        for row in result.dropFirst() { #expect(row.allSatisfy { $0 == 0xFF60_6060 }) }
    }

    @Test func diffusionKeepsTheMeanOfAGradient() throws {
        let rows = (0..<64).map { y in (0..<64).map { x in 0xFF00_0000 | UInt32(64 + x + y) * 0x01_0101 } }
        func lightness(_ rows: [[UInt32]]) -> Float {
            rows.joined().reduce(0) { $0 + Oklab.point($1).x } / Float(64 * 64)
        }
        let palette: [UInt32] = [0xFF00_0000, 0xFFFF_FFFF]
        let plain = try lightness(mapped(rows, palette, .none))
        let diffused = try lightness(mapped(rows, palette, .errorDiffusion(strength: 1)))
        let noisy = try lightness(mapped(rows, palette, .blueNoise))
        #expect(abs(diffused - lightness(rows)) < abs(plain - lightness(rows)) / 2)
        #expect(abs(noisy - lightness(rows)) < abs(plain - lightness(rows)) / 2)
    }

    @Test func thePatternStaysInItsPlace() throws {
        let row = (0..<80).map { 0xFF00_0000 | UInt32(40 + $0) * 0x01_0101 }
        let palette = Palette([0xFF00_0000, 0xFF80_8080, 0xFFFF_FFFF])
        func indices(_ pixels: ArraySlice<UInt32>, x: Int) throws -> [UInt8] {
            var mapper = try PaletteMapper(palette, .blueNoise, width: 80, meter: nil)
            mapper.begin(x: x, y: 3)
            var indices = [UInt8](repeating: 0, count: pixels.count)
            Array(pixels).rgbaBytes.withRawSpan(first: 4 * pixels.count) { row in
                indices.withMutableBytes { mapper.map(row, into: &$0, width: pixels.count) }
            }
            return indices
        }
        #expect(try indices(row[...], x: 0).dropFirst(25) == indices(row[25...], x: 25)[...])
    }
}

@Suite struct BlueNoiseTests {
    @Test func thresholdsAreEvenlySpread() {
        let thresholds = BlueNoise.thresholds
        #expect(Set(thresholds).count == 64 * 64)
        #expect(abs(thresholds.reduce(0, +)) < 1)
        // Sums over small squares vary far less than those of random numbers, whose variance is 16/12.
        var variance: Float = 0
        for y in stride(from: 0, to: 64, by: 4) {
            for x in stride(from: 0, to: 64, by: 4) {
                var sum: Float = 0
                for place in 0..<16 { sum += thresholds[(y + place / 4) * 64 + x + place % 4] }
                variance += sum * sum / 256
            }
        }
        #expect(variance < 0.5)
    }
}
