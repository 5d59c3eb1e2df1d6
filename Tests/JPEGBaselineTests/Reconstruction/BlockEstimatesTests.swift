// Estimates of missing coefficients, against the arithmetic that they stand for.

import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct BlockEstimatesTests {
    private static let unknown = [Int8](repeating: -1, count: 9)

    private func geometry(
        width: Int, height: Int, factors: [(Int, Int)] = [(1, 1)]
    ) throws -> FrameGeometry {
        try #require(
            FrameGeometry(
                size: PixelSize(width: width, height: height),
                components: factors.enumerated().map {
                    .init(
                        identifier: UInt8($0.offset + 1), horizontalSampling: $0.element.0,
                        verticalSampling: $0.element.1, quantizationTable: 0)
                }))
    }

    /// The middle row of five, estimated: 64 coefficients of each block.
    private func estimated(
        _ dc: (_ row: Int, _ column: Int) -> Int16, ac: [Int: Int16] = [:], bits: [Int8], steps: [Int], count: Int = 7
    ) throws -> [[Int16]] {
        let geometry = try geometry(width: 8 * count, height: 40)
        let store = try CoefficientStore(geometry, meter: nil)
        var coefficients = [Int16](repeating: 0, count: 5 * count * 64)
        for row in 0..<5 {
            for column in 0..<count { coefficients[(row * count + column) * 64] = dc(row, column) }
        }
        for (place, value) in ac { coefficients[(2 * count + count / 2) * 64 + place] = value }
        var neighborhood = try DCNeighborhood(widest: count, meter: nil)
        neighborhood.load([0, 1, 2, 3, 4], of: store.planes[0], count: count, from: coefficients.span)
        var blocks = Array(coefficients[2 * count * 64..<3 * count * 64])
        var lastIndices = [UInt8](repeating: 0, count: count)
        let estimates = BlockEstimates(bits: bits, steps: steps)
        var blockSpan = blocks.mutableSpan
        var indexSpan = lastIndices.mutableSpan
        neighborhood.estimate(
            estimates.positions, by: estimates, count: count, blocks: &blockSpan, lastIndices: &indexSpan)
        return (0..<count).map { Array(blocks[$0 * 64..<$0 * 64 + 64]) }
    }

    private func ramp(_ row: Int, _ column: Int) -> Int16 { Int16(1000 * column) }

    private let ones = [Int](repeating: 1, count: 10)

    @Test(arguments: [[Int8](repeating: -1, count: 9), [0, -1, -1, -1, -1, -1, -1, -1, -1]])
    func aFlatPictureStaysFlat(_ bits: [Int8]) throws {
        for block in try estimated({ _, _ in -77 }, bits: [0] + bits, steps: ones) {
            #expect(block == [-77] + Array(repeating: 0, count: 63))
        }
    }

    /// A ramp from left to right has AC01 = -0.2847 of what the DC coefficient grows by from block to block (the DCT of
    /// T.81 §A.3.3); the wide window makes it a tenth steeper.
    @Test func aRampHasTheFirstCoefficientOfItsTransform() throws {
        let known = try estimated(ramp, bits: [0, -1, -1, -1, -1, 0, 0, 0, 0, 0], steps: ones)[3]
        #expect(known[1] == -281)
        #expect([known[8], known[16], known[9]] == [0, 0, 0] && known[0] == 3000)
        let wide = try estimated(ramp, bits: [0] + Self.unknown, steps: ones)[3]
        #expect(wide[1] == -313 && wide[0] == 3000)
        let down = try estimated({ row, _ in Int16(1000 * row) }, bits: [0] + Self.unknown, steps: ones)[3]
        #expect(down[8] == -313 && down[1] == 0)
    }

    @Test func stepsScaleAnEstimate() throws {
        var steps = ones
        (steps[0], steps[1]) = (10, 7)
        let block = try estimated(
            { _, column in Int16(10 * column) }, bits: [0, -1, 0, 0, 0, 0, 0, 0, 0, 0], steps: steps)[3]
        // 10 · 10 · 0.28125 / 7 is 4.02.
        #expect(block[1] == -4)
    }

    @Test func anEstimateIsWhatMissingBitsCanHold() throws {
        let bits: [Int8] = [0, 2, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try estimated(ramp, bits: bits, steps: ones)[3][1] == -3)
    }

    @Test func coefficientsThatAreThereStay() throws {
        let bits: [Int8] = [0, 1, 0, 1, 1, 1, 0, 0, 0, 0]
        let block = try estimated(ramp, ac: [1: 40], bits: bits, steps: ones)[3]
        #expect(block[1] == 40)
    }

    @Test func nothingIsEstimatedWhereNothingIsMissing() {
        let table = DequantizationTable(naturalOrder: Array(repeating: 3, count: 64))
        let known = [Int8](repeating: 0, count: 10)
        let dcAlone = [0] + Self.unknown
        let nothing = [-1] + Self.unknown
        func smoothing(_ bits: [[Int8]], _ steps: [DequantizationTable?]) -> BlockSmoothing? {
            BlockSmoothing(bits.map { DeliveredBits(reached: $0, beyond: $0) }, steps: steps)
        }
        #expect(smoothing([known, known], [table, table]) == nil)
        #expect(smoothing([known, dcAlone], [table, table]) != nil)
        #expect(smoothing([dcAlone, nothing], [table, nil]) == nil)
        var zero = [UInt16](repeating: 3, count: 64)
        zero[24] = 0
        #expect(smoothing([dcAlone], [DequantizationTable(naturalOrder: zero)]) == nil)
        (zero[24], zero[25]) = (3, 0)
        #expect(smoothing([dcAlone], [DequantizationTable(naturalOrder: zero)]) != nil)
    }

    @Test func onlyDCAloneIsInterpolated() {
        #expect(BlockEstimates(bits: [1] + Self.unknown, steps: ones).interpolatesDC)
        let some = BlockEstimates(bits: [0, 2, 2, -1, -1, -1, -1, -1, -1, -1], steps: ones)
        #expect(!some.interpolatesDC && some.positions == [1, 2, 3, 4, 5])
        #expect(BlockEstimates(bits: [0, 0, 0, 2, 2, 0, 2, 2, 2, 2], steps: ones).positions == [3, 4])
    }

    @Test func rowsBeyondTheBorderAreTheNearest() throws {
        let component = try geometry(width: 8, height: 40).components[0]
        let rows = (0..<5).map { BlockEstimates.neighborRows($0, of: component) }
        #expect(rows == [[0, 0, 0, 1, 2], [0, 0, 1, 2, 3], [0, 1, 2, 3, 4], [1, 2, 3, 4, 4], [2, 3, 4, 4, 4]])
    }

    /// As libjpeg-turbo 2.1.5 has it: with two rows of blocks in an MCU row, rows 2 and 3 do not look two rows up, and
    /// rows 8 and 9 of twelve do not look two rows down.
    @Test func theBorderIsToldByMCURows() throws {
        let component = try geometry(width: 8, height: 96, factors: [(1, 2), (1, 1), (1, 1)]).components[0]
        let rows = (0..<12).map { BlockEstimates.neighborRows($0, of: component) }
        #expect(rows[0] == [0, 0, 0, 1, 2] && rows[1] == [0, 0, 1, 2, 3])
        #expect(rows[2] == [1, 1, 2, 3, 4] && rows[3] == [2, 2, 3, 4, 5] && rows[4] == [2, 3, 4, 5, 6])
        #expect(rows[7] == [5, 6, 7, 8, 9] && rows[8] == [6, 7, 8, 9, 9] && rows[9] == [7, 8, 9, 10, 10])
        #expect(rows[10] == [8, 9, 10, 11, 11] && rows[11] == [9, 10, 11, 11, 11])
    }
}
