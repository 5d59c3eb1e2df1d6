import CodecTestSupport
import ImageCodecsCore
import ImageColor
import Testing

@Suite struct ColorKernelTests {
    private func row(_ bytes: [UInt8], _ convert: (inout MutableRawSpan) -> Void) throws -> [UInt8] {
        var bitmap = try Bitmap(size: PixelSize(width: bytes.count, height: 1), format: .gray)
        bitmap.withMutableRowBytes(0) { row in
            for (place, byte) in bytes.enumerated() { row.setByte(byte, at: place) }
            convert(&row)
        }
        return bitmap.packedBytes()
    }

    @Test(arguments: [3, 4]) func matrixAgreesWithItsTwin(pixelByteCount: Int) throws {
        var random = SeededRandom(seed: 3)
        // Sums within their bits, and any sums.
        for limit: Int64 in [1 << 18, 1 << 40] {
            let contributions = (0..<768).map { index in
                func light() -> Int64 { .random(in: -limit...limit, using: &random) + (index < 256 ? 1 << 20 : 0) }
                return MatrixColorTables.packed(light(), light(), light())
            }
            let tables = MatrixColorTables(
                contributions: contributions, numbers: random.bytes(MatrixColorTables.numberCount))
            let bytes = random.bytes(pixelByteCount * 500)
            let ours = try row(bytes) { MatrixColorKernel.convert(&$0, pixelByteCount: pixelByteCount, tables) }
            let twin = try row(bytes) {
                MatrixColorKernelReference.convert(&$0, pixelByteCount: pixelByteCount, tables)
            }
            #expect(ours == twin)
        }
    }

    private func affine(_ random: inout SeededRandom, _ range: ClosedRange<Float>, scale: Float) -> AffineColors {
        func column() -> SIMD4<Float> {
            var column = SIMD4<Float>.random(in: range, using: &random) * scale
            column.w = 0
            return column
        }
        return AffineColors(x: column(), y: column(), z: column(), offset: column())
    }

    @Test(arguments: [3, 4], [(true, true), (true, false), (false, true), (false, false)])
    func gridsAgreeWithTheirTwin(channelCount: Int, kind: (isLab: Bool, hasCurves: Bool)) throws {
        var random = SeededRandom(seed: 5)
        let side = 5
        let pointCount = (0..<channelCount).reduce(1) { count, _ in count * side }
        // The ends of the range are as likely as all others.
        func number() -> Int16 {
            [.min, .max, .random(in: .min ... .max, using: &random)].randomElement(using: &random)!
        }
        let points = (0..<pointCount).map { _ in SIMD4<Int16>(number(), number(), number(), 0) }
        var places: [GridPlace] = []
        var step = 1
        for _ in 0..<channelCount {
            for number in 0..<256 {
                // Equal distances are as likely as others.
                places.append(
                    GridPlace(
                        offset: min(number / 64, side - 2) * step, step: step,
                        distance: [0, GridPlace.one / 2, GridPlace.one, number * 64 + 1][number % 4]))
            }
            step *= side
        }
        let curves = (0..<(kind.hasCurves ? 3 * GridColorTables.curveCount : 0)).map { _ in
            Float.random(in: -536_870_912...536_854_528, using: &random)
        }
        // The last is light far beyond what there is.
        for lightScale: Float in [16384, 1_073_741_824, .infinity] {
            var toSpace = affine(&random, -1...1, scale: 1 / 536_870_912)
            toSpace.offset = SIMD4(0.5, 0.25, 0.125, 0)
            let tables = GridColorTables(
                points: points, places: places, curves: curves, toSpace: toSpace, isLab: kind.isLab,
                toLight: affine(&random, -2...2, scale: lightScale),
                numbers: random.bytes(GridColorTables.numberCount))
            #expect(tables.isComplete)
            // Rows end anywhere within four pixels.
            for (pixelByteCount, count) in (channelCount...4).flatMap({ size in
                [1, 2, 3, 4, 2001, 2002].map { (size, $0) }
            }) {
                let bytes = random.bytes(pixelByteCount * count)
                let ours = try row(bytes) { GridColorKernel.convert(&$0, pixelByteCount: pixelByteCount, tables) }
                guard lightScale <= 16384 else { continue }
                let twin = try row(bytes) {
                    GridColorKernelReference.convert(&$0, pixelByteCount: pixelByteCount, tables)
                }
                #expect(ours == twin)
            }
        }
    }

    @Test func placesBeyondTheGridAreNoticed() {
        let none = AffineColors(x: .zero, y: .zero, z: .zero, offset: .zero)
        func tables(offset: Int) -> GridColorTables {
            let places = [4, 2, 1].flatMap { step in
                Array(repeating: GridPlace(offset: offset, step: step, distance: 0), count: 256)
            }
            return GridColorTables(
                points: Array(repeating: .zero, count: 8), places: places, curves: [], toSpace: none, isLab: true,
                toLight: none, numbers: Array(repeating: 0, count: GridColorTables.numberCount))
        }
        #expect(tables(offset: 0).isComplete)
        #expect(!tables(offset: 1).isComplete)
    }
}
