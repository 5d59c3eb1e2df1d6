import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct BlendKernelsTests {
    /// Pixels with runs of opaque and of transparent ones between.
    private func pixels(_ count: Int, isStraight: Bool, _ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < 4 * count {
            let alphas: [UInt8] = [0, 255, UInt8.random(in: 0...255, using: &random), 1, 254]
            let alpha = alphas[Int.random(in: 0..<5, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes += (0..<3).map { _ in UInt8.random(in: 0...(isStraight ? 255 : alpha), using: &random) } + [alpha]
            }
        }
        return Array(bytes.prefix(4 * count))
    }

    @Test(arguments: [false, true])
    func kernelsEqualTheReference(isStraight: Bool) {
        var random = SeededRandom(seed: 4)
        for count in Array(0...40) + [333, 1000] {
            let source = pixels(count, isStraight: isStraight, &random)
            var canvas = pixels(count, isStraight: isStraight, &random)
            var expected = canvas
            source.withRawSpan { source in
                canvas.withMutableRawSpan { canvas in
                    if isStraight {
                        BlendKernels.layOverStraight(source, on: &canvas, count: count)
                    } else {
                        BlendKernels.layOver(source, on: &canvas, count: count)
                    }
                }
                expected.withMutableRawSpan { expected in
                    if isStraight {
                        BlendKernelsReference.layOverStraight(source, on: &expected, count: count)
                    } else {
                        BlendKernelsReference.layOver(source, on: &expected, count: count)
                    }
                }
            }
            #expect(canvas == expected, "\(count) pixels")
        }
    }

    @Test func everyPremultipliedPairIsRounded() {
        // All alphas of the pixel above, all values of the channel below.
        for alpha in 0...255 {
            let source = Array([[UInt8]](repeating: [0, 0, 0, UInt8(alpha)], count: 256).joined())
            var canvas = (0...255).flatMap { [UInt8($0), UInt8($0), UInt8($0), UInt8($0)] }
            source.withRawSpan { source in
                canvas.withMutableRawSpan { BlendKernels.layOver(source, on: &$0, count: 256) }
            }
            for value in 0...255 {
                let kept = (2 * value * (255 - alpha) + 255) / 510
                #expect(Int(canvas[4 * value]) == kept && Int(canvas[4 * value + 3]) == alpha + kept)
            }
        }
    }

    @Test func theWholeCanvasIsNotTouchedBehindTheRow() {
        let source = [UInt8](repeating: 255, count: 4 * 5)
        for count in 0...5 {
            var canvas = [UInt8](repeating: 1, count: 4 * 5)
            source.withRawSpan { source in
                canvas.withMutableRawSpan { BlendKernels.layOver(source, on: &$0, count: count) }
            }
            #expect(canvas == (0..<20).map { $0 < 4 * count ? 255 : 1 })
        }
    }

    @Test func hiddenColorsGo() {
        var row: [UInt8] = [1, 2, 3, 0, 4, 5, 6, 1, 7, 8, 9, 0, 1, 1, 1, 0]
        var other = row
        row.withMutableRawSpan { BlendKernels.hideColors(&$0, count: 3) }
        other.withMutableRawSpan { BlendKernelsReference.hideColors(&$0, count: 3) }
        #expect(row == other)
        #expect(row == [0, 0, 0, 0, 4, 5, 6, 1, 0, 0, 0, 0, 1, 1, 1, 0])
    }
}
