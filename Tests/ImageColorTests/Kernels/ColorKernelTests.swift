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
        for extreme in [false, true] {
            let contributions = (0..<768).map { _ in
                let range: ClosedRange<Int32> = extreme ? -(1 << 28)...(1 << 28) : -(1 << 24)...(1 << 25)
                return SIMD4<Int32>.random(in: range, using: &random)
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

    @Test(arguments: [(3, 3), (3, 4), (4, 4)]) func gridsAgreeWithTheirTwin(channelCount: Int, pixelByteCount: Int)
        throws
    {
        var random = SeededRandom(seed: 5)
        let side = 5
        let pointCount = (0..<channelCount).reduce(1) { count, _ in count * side }
        let points = (0..<pointCount).map { _ in
            SIMD4<Int16>(
                .random(in: -32640...32640, using: &random), .random(in: -32640...32640, using: &random),
                .random(in: -32640...32640, using: &random), 0)
        }
        var (offsets, fractions, steps): ([Int32], [Int16], [Int32]) = ([], [], [])
        var step: Int32 = 1
        for _ in 0..<channelCount {
            steps.append(step)
            for number in 0..<256 {
                offsets.append(Int32(min(number / 64, side - 2)) * step)
                // Equal fractions are as likely as others.
                fractions.append([0, 128, 256, Int16(number)][number % 4])
            }
            step *= Int32(side)
        }
        let tables = GridColorTables(points: points, offsets: offsets, fractions: fractions, steps: steps)
        #expect(tables.isComplete)
        let bytes = random.bytes(pixelByteCount * 2000)
        let ours = try row(bytes) { GridColorKernel.convert(&$0, pixelByteCount: pixelByteCount, tables) }
        let twin = try row(bytes) { GridColorKernelReference.convert(&$0, pixelByteCount: pixelByteCount, tables) }
        #expect(ours == twin)
    }

    @Test func placesBeyondTheGridAreNoticed() {
        let tables = GridColorTables(
            points: Array(repeating: .zero, count: 8), offsets: Array(repeating: 1, count: 768),
            fractions: Array(repeating: 0, count: 768), steps: [4, 2, 1])
        #expect(!tables.isComplete)
    }
}
