import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct OklabTests {
    /// Values of CSS Color Module Level 4 for the primaries of sRGB, to five digits.
    static let primaries: [(UInt32, [Float])] = [
        (0xFFFF_FFFF, [1, 0, 0]), (0xFF00_0000, [0, 0, 0]),
        (0xFF00_00FF, [0.62796, 0.22486, 0.12585]), (0xFF00_FF00, [0.86644, -0.23389, 0.17950]),
        (0xFFFF_0000, [0.45201, -0.03246, -0.31153]),
    ]

    @Test(arguments: primaries)
    func primariesAreWhereTheStandardHasThem(_ pixel: UInt32, _ expected: [Float]) {
        let point = Oklab.point(pixel)
        for axis in 0..<3 { #expect(abs(point[axis] / 255 - expected[axis]) < 2e-5) }
        #expect(point.w == Oklab.opaque)
    }

    @Test func pixelsComeBack() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let color = UInt32.random(in: 0...0xFF_FFFF, using: &random)
            #expect(Oklab.pixel(Oklab.point(color | 0xFF00_0000)) == color | 0xFF00_0000)
            let alpha = UInt32.random(in: 1...254, using: &random)
            #expect(Oklab.pixel(Oklab.point(color | alpha << 24)) == color | alpha << 24)
            #expect(Oklab.pixel(Oklab.point(color)) == 0)
        }
    }

    @Test func aRowHasThePointsOfItsPixels() {
        var random = SeededRandom(seed: 6)
        let row = random.bytes(4 * 50)
        var points = [UInt8](repeating: 0, count: 16 * 50)
        row.withRawSpan(first: row.count) { row in
            points.withMutableBytes { Oklab.convert(row, into: &$0, width: 50) }
            points.withRawSpan(first: points.count) { points in
                for x in 0..<50 { #expect(points.point(at: 16 * x) == Oklab.point(row.nativeUInt32(at: 4 * x))) }
            }
        }
    }

    @Test func opaquePointsAreNearerToOpaqueOnesThanToAnyOther() {
        let extremes: [UInt32] = [0xFF00_0000, 0xFFFF_FFFF, 0xFF00_00FF, 0xFF00_FF00, 0xFFFF_0000]
        let others: [UInt32] = [0, 0xFEFF_FFFF, 0xFE00_0000, 0x0100_0000]
        for first in extremes {
            for second in extremes {
                let near = Oklab.squaredDistance(Oklab.point(first), Oklab.point(second))
                for other in others { #expect(near < Oklab.squaredDistance(Oklab.point(first), Oklab.point(other))) }
            }
        }
    }
}
