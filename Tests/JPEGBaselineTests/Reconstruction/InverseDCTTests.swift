// The vector kernels against the scalar reference.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct InverseDCTTests {
    /// One component of one block at each scale.
    private func planes(_ scale: DCTScale) throws -> MCURowPlanes {
        let component = FrameGeometry.ComponentSpecification(
            identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)
        let geometry = try #require(
            FrameGeometry(size: PixelSize(width: 8, height: 8), components: [component], scale: scale))
        return try MCURowPlanes(geometry, meter: nil)
    }

    private func reconstructed(
        _ coefficients: [Int16], _ lastIndex: UInt8, _ table: DequantizationTable, _ scale: DCTScale
    ) throws -> [UInt8] {
        var planes = try planes(scale)
        InverseDCT.reconstruct(
            coefficients.span, lastIndices: [lastIndex].span, table: table, into: &planes, component: 0, blockRow: 0)
        let plane = planes.planes[0]
        return (0..<plane.blockSize).flatMap { row in
            planes.samples.withBytes { samples in
                (0..<plane.blockSize).map { samples.byte(at: plane.origin + row * plane.stride + $0) }
            }
        }
    }

    @Test(arguments: DCTScale.allCases)
    func kernelsEqualTheReference(scale: DCTScale) throws {
        var random = SeededRandom(seed: 20)
        for round in 0..<4000 {
            let magnitude = [8, 60, 1024, 32767][round % 4]
            let density = [1, 4, 16, 64][round / 4 % 4]
            let corner = round % 3 == 0
            var coefficients = [Int16](repeating: 0, count: 64)
            for _ in 0..<density {
                // Row 0 alone is a case of its own.
                let index =
                    round % 7 == 0
                    ? Int.random(in: 0...7, using: &random)
                    : corner
                        ? Int.random(in: 0...3, using: &random) * 8 + Int.random(in: 0...3, using: &random)
                        : Int.random(in: 0...63, using: &random)
                coefficients[index] = Int16(Int.random(in: -magnitude...magnitude, using: &random))
            }
            let largestStep: UInt16 = round % 5 == 0 ? 65535 : round % 5 == 1 ? 255 : 16
            let table = DequantizationTable(
                naturalOrder: (0..<64).map { _ in UInt16.random(in: 1...largestStep, using: &random) })
            let lastIndex = InverseDCT.lastIndex(of: coefficients.span)
            let expected = InverseDCTReference.samples(coefficients, table, size: scale.rawValue)
            #expect(try reconstructed(coefficients, lastIndex, table, scale) == expected, "round \(round)")
            // Of a block that ends in runs of zeros less is known.
            let later = UInt8.random(in: lastIndex...63, using: &random)
            #expect(try reconstructed(coefficients, later, table, scale) == expected, "round \(round), \(later)")
        }
    }

    @Test func theLastIndexIsThatOfTheLastCoefficientInZigZagOrder() {
        var block = [Int16](repeating: 0, count: 64)
        #expect(InverseDCT.lastIndex(of: block.span) == 0)
        for (place, index) in [(0, 0), (8 * 2, 3), (8 * 3 + 3, 24), (7, 28), (8 * 7 + 7, 63)] {
            block[place] = -1
            #expect(InverseDCT.lastIndex(of: block.span) == index)
        }
    }
}
