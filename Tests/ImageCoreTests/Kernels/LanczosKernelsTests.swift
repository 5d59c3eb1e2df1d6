import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct LanczosKernelsTests {
    /// Random bytes, or only 0 and 255, which overshoot most.
    private func pixels(_ count: Int, extreme: Bool, _ random: inout SeededRandom) -> [UInt8] {
        random.bytes(count * 4).map { extreme ? ($0 & 1) &* 255 : $0 }
    }

    @Test(arguments: [false, true])
    func rowsAreFilteredAsTheReferenceFiltersThem(_ extreme: Bool) throws {
        var random = SeededRandom(seed: 41)
        for outputCount in 1...40 {
            for sourceCount in [1, 2, 3, 5, outputCount, outputCount * 2, outputCount * 5 - 1, outputCount * 9 + 4] {
                let filter = try LanczosFilter(
                    sourceCount: sourceCount,
                    pixelsPerCell: BoxRowReducer.factor(source: sourceCount, target: outputCount),
                    outputCount: outputCount, layout: .crossedFours)
                let row = pixels(max(filter.inputCount, filter.tapCount), extreme: extreme, &random)
                var output = random.bytes(outputCount * 4 + 9)
                var expected = output
                row.withRawSpan(first: row.count) { row in
                    output.withMutableRawSpan { LanczosKernels.filterRow(row, filter: filter, into: &$0, from: 5) }
                    expected.withMutableRawSpan {
                        LanczosKernelsReference.filterRow(row, filter: filter, into: &$0, from: 5)
                    }
                }
                #expect(output == expected, "\(sourceCount) to \(outputCount)")
            }
        }
    }

    @Test(arguments: [ScaledAlpha.premultiplied, .opaque], [false, true])
    func columnsAreFilteredAsTheReferenceFiltersThem(_ alpha: ScaledAlpha, _ extreme: Bool) throws {
        var random = SeededRandom(seed: 43)
        for width in stride(from: 4, through: 40, by: 4) {
            for sourceCount in [1, 2, 3, 10, 20, 50, 61] {
                let filter = try LanczosFilter(
                    sourceCount: sourceCount, pixelsPerCell: 1, outputCount: 11, layout: .pairs)
                let rows = pixels(width * filter.tapCount, extreme: extreme, &random)
                for y in 0..<11 {
                    let weights = (0..<filter.tapCount).map { filter.weight(ofTap: $0, output: y) }
                    var output = random.bytes(width * 4)
                    var expected = output
                    rows.withRawSpan(first: rows.count) { rows in
                        output.withMutableRawSpan {
                            LanczosKernels.filterColumns(rows, weights: weights.span, alpha: alpha, into: &$0)
                        }
                        expected.withMutableRawSpan {
                            LanczosKernelsReference.filterColumns(rows, weights: weights.span, alpha: alpha, into: &$0)
                        }
                    }
                    #expect(output == expected, "\(width) wide, \(sourceCount) to 11, row \(y)")
                }
            }
        }
    }
}
