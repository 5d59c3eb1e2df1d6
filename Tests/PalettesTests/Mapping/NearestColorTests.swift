import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct NearestColorTests {
    /// Palettes: all over the place, with alpha, with a transparent entry, crowded, of one colour.
    static let palettes: [[UInt32]] = {
        var random = SeededRandom(seed: 12)
        func colors(_ count: Int, _ mask: UInt32, _ alpha: (Int) -> UInt32) -> [UInt32] {
            (0..<count).map { UInt32.random(in: 0...0xFF_FFFF, using: &random) & mask | alpha($0) << 24 }
        }
        return [
            colors(256, 0xFF_FFFF) { _ in 255 }, colors(256, 0xFF_FFFF) { [255, 128, 30][$0 % 3] },
            [0] + colors(100, 0xFF_FFFF) { _ in 255 }, colors(200, 0x0F_0F0F) { _ in 255 }, [0xFF12_3456],
            colors(17, 0xFF_FFFF) { UInt32($0 * 15) },
        ]
    }()

    /// The nearest, where distances that differ in their last eight bits alone count as equal.
    private func bruteForce(_ points: [SIMD4<Float>], _ point: SIMD4<Float>) -> (Int, Float) {
        var (best, least) = (0, UInt32.max)
        for index in points.indices {
            let distance = Oklab.squaredDistance(point, points[index]).bitPattern & 0xFFFF_FF00
            if distance < least { (best, least) = (index, distance) }
        }
        return (best, Oklab.squaredDistance(point, points[best]))
    }

    @Test(arguments: palettes.indices)
    func theNearestOfAllIsFound(_ number: Int) throws {
        let colors = Self.palettes[number]
        let points = Oklab.points(colors)
        var random = SeededRandom(seed: 3)
        var search = try NearestColor(Palette(colors), meter: nil)
        for index in 0..<20_000 {
            var point = Oklab.point(
                UInt32.random(in: 0...UInt32.max, using: &random) | (index % 2 == 0 ? 0xFF00_0000 : 0))
            if index % 3 == 0 { point += SIMD4(Float.random(in: -40...40, using: &random), 7, -9, 0) }
            let found = search.nearest(to: point)
            let expected = bruteForce(points, point)
            #expect(Int(found.index) == expected.0 && found.squaredDistance == expected.1)
        }
    }

    @Test(arguments: palettes.indices)
    func aColourOfThePaletteIsItsOwnNearest(_ number: Int) throws {
        let colors = Self.palettes[number]
        var search = try NearestColor(Palette(colors), meter: nil)
        for color in colors where color >> 24 > 0 || color == 0 {
            #expect(colors[Int(search.index(of: color))] == color)
        }
    }

    @Test func listsAreMadeAnewWhenTheyAreTooMany() throws {
        // All colours are about as far from the middle, so that lists are long.
        var random = SeededRandom(seed: 30)
        let points = (0..<256).map { _ in
            let direction = SIMD3<Float>((0..<3).map { _ in Float.random(in: -1...1, using: &random) })
            let length = (direction * direction).sum().squareRoot() + 0.001
            return SIMD4(direction / length * 60 + SIMD3(128, 0, 0), Oklab.opaque)
        }
        let meter = MemoryMeter()
        var search = try NearestColor(points, meter: meter)
        for _ in 0..<30_000 {
            let point = SIMD4<Float>(
                Float.random(in: 60...200, using: &random), Float.random(in: -60...60, using: &random),
                Float.random(in: -60...60, using: &random), Oklab.opaque)
            #expect(Int(search.nearest(to: point).index) == bruteForce(points, point).0)
        }
        #expect(meter.peak <= NearestColor.byteCount)
    }

    @Test func whatIsNoNumberFindsSomeColour() throws {
        var search = try NearestColor(Palette([0xFF00_0000, 0xFFFF_FFFF]), meter: nil)
        for value in [Float.nan, .infinity, -.infinity, 1e30, -1e30] {
            #expect(search.nearest(to: SIMD4(repeating: value)).index < 2)
        }
    }

    @Test func anEmptyPaletteCountsAsBlack() throws {
        var search = try NearestColor(Palette([]), meter: nil)
        #expect(search.index(of: 0xFFFF_FFFF) == 0)
    }
}
