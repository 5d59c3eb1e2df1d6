import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
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

    @Test(arguments: [1, 2, 7, 64, 256], [(0.6 as Float, 1), (1, 2), (0.9, 4), (1, 5)])
    func diffusedColoursAreThoseOfTheReference(_ count: Int, _ rows: (strength: Float, count: Int)) throws {
        var random = SeededRandom(seed: UInt64(count))
        var tables = try tables(count, &random)
        for width in [1, 2, 3, 9, 150] {
            let diffused = DiffusedRows(width: width, count: rows.count, strength: rows.strength)
            let byteCount = diffused.errorRowByteCount * (rows.count + 1)
            var errors = try ScratchBuffer(zeroedByteCount: byteCount, meter: nil)
            var expectedErrors = try ScratchBuffer(zeroedByteCount: byteCount, meter: nil)
            let points = try row(width * rows.count, &random)
            let plain = random.bytes(width * rows.count).map { $0 < 60 ? $0 : 0 }
            var indices = [UInt8](repeating: 0, count: width * rows.count)
            var expected = indices
            var place = DiffusedRows.start
            while true {
                let stops = points.withBytes { points in
                    plain.withRawSpan(first: plain.count) { plain in
                        let stop = errors.withMutableBytes { errors in
                            indices.withMutableBytes {
                                ColorMappingKernels.diffuse(
                                    points, plain: plain, diffused, from: place, tables, errors: &errors, into: &$0)
                            }
                        }
                        let expectedStop = expectedErrors.withMutableBytes { errors in
                            expected.withMutableBytes {
                                ColorMappingKernelsReference.diffuse(
                                    points, plain: plain, diffused, from: place, tables, errors: &errors, into: &$0)
                            }
                        }
                        return (stop, expectedStop)
                    }
                }
                #expect(stops.0 == stops.1)
                guard let stop = stops.0 else { break }
                tables.list(stop.cell)
                place = stop.place
            }
            #expect(indices == expected)
            #expect(errors.withBytes { errors in expectedErrors.withBytes { errors.hasSameBytes(as: $0) } })
        }
    }
}
