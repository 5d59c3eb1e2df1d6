import ImageCodecsCore
import Testing

@Suite struct RowInterlacingTests {
    /// Rows in the order of GIF89a Appendix E, written out.
    private func order(_ height: Int) -> [Int] {
        [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
    }

    @Test func rowsComeInFourPasses() {
        #expect(order(10) == [0, 8, 4, 2, 6, 1, 3, 5, 7, 9])
        for height in 1...70 {
            let interlacing = RowInterlacing(height: height)
            #expect((0..<height).map { interlacing.row($0).y } == order(height))
            #expect((0..<height).allSatisfy { interlacing.index(ofRow: interlacing.row($0).y) == $0 })
        }
    }

    @Test func aRowStandsForThoseThatHaveNotCome() {
        for height in 1...40 {
            let interlacing = RowInterlacing(height: height)
            var shown = [Int?](repeating: nil, count: height)
            for index in 0..<height {
                let (y, rows) = interlacing.row(index)
                #expect(rows.lowerBound == y && rows.upperBound <= height)
                for row in rows { shown[row] = y }
            }
            #expect(shown == (0..<height).map { $0 })
        }
    }

    @Test func theRowsThatAreRealAreThoseAboveTheFirstMissing() {
        for height in 1...40 {
            let interlacing = RowInterlacing(height: height)
            for count in 0...height {
                let came = Set(order(height).prefix(count))
                let real = (0..<height).first { !came.contains($0) } ?? height
                #expect(interlacing.decodedRowCount(count) == real, "\(count) of \(height) rows")
            }
        }
    }
}
