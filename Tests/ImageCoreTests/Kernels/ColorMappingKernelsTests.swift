import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct ColorMappingKernelsTests {
    private func row(_ width: Int, _ random: inout SeededRandom) throws -> ScratchBuffer {
        var points = try ScratchBuffer(byteCount: 16 * width, meter: nil)
        points.withMutableBytes { points in
            for x in 0..<width {
                let alpha: UInt32 = [255, 255, 128, 0][Int.random(in: 0..<4, using: &random)]
                points.setPoint(
                    Oklab.point(UInt32.random(in: 0...0xFF_FFFF, using: &random) | alpha << 24), at: 16 * x)
            }
        }
        return points
    }

    private func tables(_ count: Int, _ random: inout SeededRandom) throws -> ColorTables {
        let colors = (0..<count).map { number in
            UInt32.random(in: 0...0xFF_FFFF, using: &random) | (number % 5 == 0 ? 0x7000_0000 : 0xFF00_0000)
        }
        return try ColorTables(Oklab.points(colors), meter: nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 16, 100, 256])
    func nearestColoursAreThoseOfTheReference(_ count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        var tables = try tables(count, &random)
        for width in [1, 2, 31, 200] {
            let points = try row(width, &random)
            var indices = [UInt8](repeating: 0, count: width)
            var expected = indices
            var x = 0
            while true {
                let stops = points.withBytes { points in
                    (
                        indices.withMutableBytes {
                            ColorMappingKernels.nearest(points, x..<width, tables, into: &$0)
                        },
                        expected.withMutableBytes {
                            ColorMappingKernelsReference.nearest(points, x..<width, tables, into: &$0)
                        }
                    )
                }
                #expect(stops.0 == stops.1)
                guard stops.0.x < width else { break }
                tables.list(stops.0.cell)
                x = stops.0.x
            }
            #expect(indices == expected)
        }
    }

    @Test(arguments: [1, 2, 7, 64, 256], [0.6 as Float, 1])
    func diffusedColoursAreThoseOfTheReference(_ count: Int, _ strength: Float) throws {
        var random = SeededRandom(seed: UInt64(count))
        var tables = try tables(count, &random)
        let width = 150
        var (next, expectedNext) = (
            try ScratchBuffer(zeroedByteCount: 16 * (width + 2), meter: nil),
            try ScratchBuffer(zeroedByteCount: 16 * (width + 2), meter: nil)
        )
        for _ in 0..<6 {
            let points = try row(width, &random)
            let plain = random.bytes(width).map { $0 < 60 ? $0 : 0 }
            let errors = next
            next = try ScratchBuffer(zeroedByteCount: 16 * (width + 2), meter: nil)
            expectedNext = try ScratchBuffer(zeroedByteCount: 16 * (width + 2), meter: nil)
            var indices = [UInt8](repeating: 0, count: width)
            var expected = indices
            var (flow, expectedFlow) = (ErrorFlow(strength: strength), ErrorFlow(strength: strength))
            var x = 0
            while true {
                let stops = points.withBytes { points in
                    errors.withBytes { errors in
                        plain.withRawSpan(first: width) { plain in
                            let stop = next.withMutableBytes { next in
                                indices.withMutableBytes {
                                    ColorMappingKernels.diffuse(
                                        points, plain: plain, x..<width, tables, &flow, errors: errors,
                                        nextErrors: &next, into: &$0)
                                }
                            }
                            let expectedStop = expectedNext.withMutableBytes { next in
                                expected.withMutableBytes {
                                    ColorMappingKernelsReference.diffuse(
                                        points, plain: plain, x..<width, tables, &expectedFlow, errors: errors,
                                        nextErrors: &next, into: &$0)
                                }
                            }
                            return (stop, expectedStop)
                        }
                    }
                }
                #expect(stops.0 == stops.1)
                guard stops.0.x < width else { break }
                tables.list(stops.0.cell)
                x = stops.0.x
            }
            #expect(indices == expected)
            #expect(next.withBytes { next in expectedNext.withBytes { next.hasSameBytes(as: $0) } })
        }
    }
}
