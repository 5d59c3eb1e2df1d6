import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct BoxKernelsTests {
    @Test func columnSumsAreThoseOfTheReference() {
        var random = SeededRandom(seed: 31)
        for width in 1...70 {
            var sums = [UInt16](repeating: 9, count: width * 4)
            var expected = sums
            for y in 0..<5 {
                let row = random.bytes(width * 4 + 3)
                row.withRawSpan(first: row.count) { bytes in
                    var span = sums.mutableSpan
                    var plain = expected.mutableSpan
                    if y == 0 {
                        BoxKernels.startColumnSums(bytes, sums: &span)
                        BoxKernelsReference.startColumnSums(bytes, sums: &plain)
                    } else {
                        BoxKernels.addToColumnSums(bytes, sums: &span)
                        BoxKernelsReference.addToColumnSums(bytes, sums: &plain)
                    }
                }
            }
            #expect(sums == expected, "\(width) pixels")
        }
    }

    @Test(arguments: [1, 2, 3, 4, 8, 16, 31, 100, 256])
    func meansAreThoseOfTheReference(_ rows: Int) {
        var random = SeededRandom(seed: UInt64(rows))
        for columnsPerCell in [1, 2, 3, 4, 5, 7, 8, 16, 40, 129] {
            for cellCount in 0...9 {
                let firstColumn = Int.random(in: 0...3, using: &random)
                let sums = (0..<(firstColumn + cellCount * columnsPerCell) * 4).map { _ in
                    Bool.random(using: &random)
                        ? UInt16(255 * rows) : UInt16.random(in: 0...UInt16(255 * rows), using: &random)
                }
                let mean = RoundedMean(of: UInt64(rows * columnsPerCell))
                let cells = 2..<2 + cellCount
                var row = random.bytes(60)
                var expected = row
                var usedUp = sums
                row.withMutableRawSpan { row in
                    var sums = usedUp.mutableSpan
                    BoxKernels.averageCells(
                        &sums, from: firstColumn, columnsPerCell: columnsPerCell, mean: mean, cells: cells, into: &row)
                }
                usedUp = sums
                expected.withMutableRawSpan { row in
                    var sums = usedUp.mutableSpan
                    BoxKernelsReference.averageCells(
                        &sums, from: firstColumn, columnsPerCell: columnsPerCell, mean: mean, cells: cells, into: &row)
                }
                #expect(row == expected, "\(cellCount) cells of \(columnsPerCell) columns")
            }
        }
    }
}
