import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct ScanlineFiltererTests {
    /// Scanlines filtered one after the other, with their filter type bytes.
    private func filtered(
        _ strategy: FilterStrategy, _ rows: [[UInt8]], distance: Int
    ) throws -> [[UInt8]] {
        let byteCount = rows.map(\.count).max() ?? 0
        var filterer = try ScanlineFilterer(strategy, byteCount: byteCount, distance: distance, meter: nil)
        var target = try ScratchBuffer(byteCount: byteCount + 1, meter: nil)
        return rows.map { row in
            filterer.filter(into: &target, at: 0) { scanline in
                for (index, byte) in row.enumerated() { scanline.setByte(byte, at: index) }
            }
            return target.withBytes(0..<row.count + 1) { $0.copiedBytes() }
        }
    }

    @Test(arguments: [
        FilterStrategy.fixed(.paeth), .fewestBits(step: 1), .fewestBits(step: 3), .leastPairEntropy, .shortest,
        .given([.average, .none, .sub, .up]),
    ])
    func decodersUndoEveryStrategy(_ strategy: FilterStrategy) throws {
        var random = SeededRandom(seed: 5)
        for distance in [1, 3, 4, 8] {
            let rows = (0..<6).map { _ in random.bytes(67).map { $0 & 0x3F } }
            var above = [UInt8](repeating: 0, count: 67)
            for (row, filtered) in zip(rows, try filtered(strategy, rows, distance: distance)) {
                let filter = try #require(ScanlineFilter(rawValue: filtered[0]))
                let undone = undoFilterReference(
                    filter, Array(filtered.dropFirst()), above: above, distance: distance)
                #expect(undone == row)
                above = row
            }
        }
    }

    @Test func fewestBitsTakesWhatLeavesTheSmallestResiduals() throws {
        let ramp = (0..<40).map { UInt8(5 * $0) }
        let rows = [ramp, ramp, ramp.map { $0 ^ 1 }]
        #expect(try filtered(.fewestBits(step: 1), rows, distance: 1).map { $0[0] } == [1, 2, 2])
    }

    @Test func leastPairEntropyLeavesRepetitionsAlone() throws {
        // Sub leaves as many magnitudes, but more different pairs.
        let row = (0..<60).map { _ in [UInt8](arrayLiteral: 200, 0, 100) }.flatMap(\.self)
        #expect(try filtered(.leastPairEntropy, [row], distance: 1)[0][0] == 0)
    }

    @Test func shortestLeavesAloneWhatRepeatsAFewScanlinesLater() throws {
        var random = SeededRandom(seed: 3)
        let three = (0..<3).map { _ in random.bytes(200) }
        let rows = (0..<4).flatMap { _ in three }
        let filtered = try filtered(.shortest, rows, distance: 1)
        // The first of a pass has another one above it than later.
        for row in 4..<12 { #expect(filtered[row] == filtered[row - 3]) }
    }

    @Test func aPassStartsWithoutAScanlineAbove() throws {
        var filterer = try ScanlineFilterer(.fixed(.up), byteCount: 4, distance: 1, meter: nil)
        var target = try ScratchBuffer(byteCount: 5, meter: nil)
        for _ in 0..<2 {
            filterer.beginPass(byteCount: 2)
            filterer.filter(into: &target, at: 0) { scanline in
                for index in 0..<2 { scanline.setByte(7, at: index) }
            }
            #expect(target.withBytes(0..<3) { $0.copiedBytes() } == [2, 7, 7])
        }
    }

    @Test func givenFiltersThatEndAreFollowedByNone() throws {
        #expect(try filtered(.given([.sub]), [[1, 2], [3, 4]], distance: 1).map { $0[0] } == [1, 0])
    }
}
