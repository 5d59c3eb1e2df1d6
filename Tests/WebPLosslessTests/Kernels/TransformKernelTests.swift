import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// The kernels of the transforms against their plain twins.
@Suite struct TransformKernelTests {
    private func pixels(_ count: Int, _ random: inout SeededRandom) -> [UInt32] {
        (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next() >> 16) }
    }

    /// Runs `body` on pixels that have room after them, and takes `count` from the target's `first` on.
    private func run(
        _ source: [UInt32], targetCount: Int, from first: Int, count: Int,
        _ body: (Span<UInt32>, inout MutableSpan<UInt32>) -> Void
    ) -> [UInt32] {
        let padded = source + Array(repeating: 0x5A5A_5A5A, count: 8)
        var target = Array(repeating: UInt32(0xA5A5_A5A5), count: targetCount + 8)
        var output = target.mutableSpan
        body(padded.span, &output)
        return Array(target[first..<first + count])
    }

    @Test(arguments: 0..<16)
    func predictionsEqualTheReference(_ mode: Int) {
        var random = SeededRandom(seed: UInt64(mode))
        for width in [1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 70] {
            for kind in 0..<4 {
                let height = 6
                var differences = pixels(width * height, &random)
                // Flat stretches, and steps of one.
                if kind == 1 { differences = differences.map { $0 & 0x0101_0101 } }
                if kind == 2 { differences = differences.map { $0 % 5 == 0 ? $0 : 0 } }
                // Drawn pictures: one step in a row or two.
                if kind == 3 { differences = differences.map { $0 % 53 == 0 ? $0 : 0 } }
                let modes = [UInt8](repeating: UInt8(mode), count: (width + 3) / 4 * 2)
                let expected = TransformReference.undoPredictor(differences, width: width, modes: modes, sizeBits: 2)
                // All rows at once, then one row at a time.
                let whole = run(
                    differences, targetCount: width * (height + 1), from: width, count: width * height
                ) { source, target in
                    PredictorKernel.undo(
                        source, from: 0, &target, width: width, firstRow: 0, rowCount: height, modes: modes.span,
                        sizeBits: 2)
                }
                #expect(whole == expected, "\(width) pixels, kind \(kind)")
                var above = [UInt32](repeating: 0, count: width)
                for row in 0..<height {
                    var rows = above + [UInt32](repeating: 0, count: width + 8)
                    let padded = differences + [UInt32](repeating: 0, count: 8)
                    var target = rows.mutableSpan
                    PredictorKernel.undo(
                        padded.span, from: row * width, &target, width: width, firstRow: row, rowCount: 1,
                        modes: modes.span, sizeBits: 2)
                    above = Array(rows[width..<2 * width])
                    #expect(above == Array(expected[row * width..<(row + 1) * width]))
                }
            }
        }
    }

    @Test func modesOfBlocksChangeWithinARow() {
        var random = SeededRandom(seed: 99)
        for width in 1...40 {
            let differences = pixels(width * 9, &random).map { $0 & 0x0303_0303 }
            let modes = random.bytes((width + 3) / 4 * 3).map { $0 & 15 }
            let expected = TransformReference.undoPredictor(differences, width: width, modes: modes, sizeBits: 2)
            let actual = run(
                differences, targetCount: width * 10, from: width, count: width * 9
            ) { source, target in
                PredictorKernel.undo(
                    source, from: 0, &target, width: width, firstRow: 0, rowCount: 9, modes: modes.span, sizeBits: 2)
            }
            #expect(actual == expected)
        }
    }

    @Test(arguments: 1...20)
    func factorsEqualTheReference(_ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        let coded = pixels(width * 5, &random)
        var factors = pixels((width + 3) / 4 * 2, &random)
        factors[0] = 0x8080_8080
        if width > 8 { factors[1] = 0xFF00_0000 }
        let expected = TransformReference.undoColor(coded, width: width, factors: factors, sizeBits: 2)
        let actual = run(coded, targetCount: width * 5 + 3, from: 3, count: width * 5) { source, target in
            ColorKernel.undo(
                source, from: 0, &target, at: 3, width: width, firstRow: 0, rowCount: 5, factors: factors.span,
                sizeBits: 2)
        }
        #expect(actual == expected)
    }

    @Test func greenIsAddedAndTakenOut() {
        var random = SeededRandom(seed: 3)
        for count in 0...20 {
            let coded = pixels(count + 2, &random)
            let expected = TransformReference.addGreen(Array(coded[2...]))
            let actual = run(coded, targetCount: count, from: 0, count: count) { source, target in
                ColorKernel.addGreen(source, from: 2, &target, at: 0, count: count)
            }
            #expect(actual == expected)
            let bytes = coded.flatMap { pixel in (0..<4).map { UInt8(truncatingIfNeeded: pixel >> UInt32(8 * $0)) } }
            var plane = [UInt8](repeating: 0, count: count + 2)
            var target = plane.mutableSpan
            bytes.withRawSpan { ColorKernel.extractGreen($0, &target) }
            #expect(plane == coded.map { UInt8($0 >> 8 & 255) })
        }
    }

    @Test(arguments: 0...3, [1, 4])
    func indicesBecomeColors(_ bundleBits: Int, byteStride: Int) {
        var random = SeededRandom(seed: UInt64(bundleBits))
        for width in 1...30 {
            let bytesPerRow = (width - 1) >> bundleBits + 1
            let indices = random.bytes(bytesPerRow * 4)
            let colors = pixels([200, 13, 3, 2][bundleBits], &random)
            var table = [UInt32](repeating: 0, count: 256 << bundleBits)
            var filled = table.mutableSpan
            IndexingKernel.fillTable(&filled, colors: colors.span, bundleBits: bundleBits)
            let expected = TransformReference.undoIndexing(
                indices, width: width, colors: colors, bundleBits: bundleBits)
            let source = byteStride == 1 ? indices : indices.flatMap { [1, $0, 2, 3] }
            var target = [UInt32](repeating: 0, count: width * 4 + 16)
            var output = target.mutableSpan
            source.withRawSpan { source in
                IndexingKernel.undo(
                    source, from: byteStride == 1 ? 0 : 1, byteStride: byteStride, &output, at: 5, width: width,
                    rowCount: 4, table: table.span, bundleBits: bundleBits)
            }
            #expect(Array(target[5..<5 + width * 4]) == expected)
        }
    }
}
