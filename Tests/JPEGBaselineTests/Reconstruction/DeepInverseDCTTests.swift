import CodecTestSupport
import Foundation
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

/// The inverse DCT of twelve bits beside the formula of T.81 §A.3.3 in floating point.
@Suite struct DeepInverseDCTTests {
    /// Samples of one block by the formula.
    private func formula(_ coefficients: [Double]) -> [Double] {
        (0..<64).map { place in
            let (x, y) = (Double(place % 8), Double(place / 8))
            var sum = 0.0
            for v in 0..<8 {
                for u in 0..<8 {
                    let scale = (u == 0 ? 0.5.squareRoot() : 1) * (v == 0 ? 0.5.squareRoot() : 1) / 4
                    sum +=
                        scale * coefficients[8 * v + u] * cos((2 * x + 1) * Double(u) * .pi / 16)
                        * cos((2 * y + 1) * Double(v) * .pi / 16)
                }
            }
            return sum
        }
    }

    @Test(arguments: 0..<20)
    func samplesAreWithinOneOfTheFormula(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let blockCount = 3
        // Sparse blocks, full ones, and one that has its first coefficient alone.
        var coefficients = [Int16](repeating: 0, count: 64 * blockCount)
        for index in 0..<128 where index % 64 == 0 || Int.random(in: 0..<(seed % 4 + 1), using: &random) == 0 {
            coefficients[index] = Int16.random(in: -120...120, using: &random)
        }
        coefficients[128] = Int16.random(in: -1000...1000, using: &random)
        let steps = (0..<64).map { _ in Int16.random(in: 1...40, using: &random) }
        var samples = [UInt16](repeating: 0, count: 8 * 8 * blockCount)
        let lastIndices: [UInt8] = [63, 63, 0]
        var output = samples.mutableSpan
        DeepInverseDCT.reconstruct(
            coefficients.span, lastIndices: lastIndices.span, steps: steps.span, into: &output, at: 0,
            stride: 8 * blockCount)
        for block in 0..<blockCount {
            let expected = formula((0..<64).map { Double(coefficients[64 * block + $0]) * Double(steps[$0]) })
            for place in 0..<64 {
                let sample = Double(samples[place / 8 * 8 * blockCount + 8 * block + place % 8])
                let wanted = min(max(expected[place] + 2048, 0), 4095)
                #expect(abs(sample - wanted) <= 1)
            }
        }
    }

    /// Numbers of every size: those that fit into 16 bits on the way, those that nearly do, and those of damaged files.
    @Test(arguments: 0..<24)
    func vectorsGiveWhatThePlainTransformGives(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let magnitude = Int16([3, 40, 300, 3000, 16000, 32767][seed % 6])
        let largestStep: UInt16 = [1, 12, 200, 65535][seed / 6]
        var samples = [UInt16](repeating: 0, count: 64)
        var expected = samples
        for _ in 0..<200 {
            let density = Int.random(in: 1...64, using: &random)
            let block = (0..<64).map { _ in
                Int.random(in: 0..<64, using: &random) < density
                    ? Int16.random(in: -magnitude...magnitude, using: &random) : 0
            }
            let steps = (0..<64).map { _ in Int16(bitPattern: .random(in: 1...largestStep, using: &random)) }
            let last: [UInt8] = [block[1...].allSatisfy { $0 == 0 } ? 0 : 63]
            var output = samples.mutableSpan
            DeepInverseDCT.reconstruct(
                block.span, lastIndices: last.span, steps: steps.span, into: &output, at: 0, stride: 8)
            var twin = expected.mutableSpan
            DeepInverseDCT.transform(block.span, steps: steps.span, into: &twin, at: 0, stride: 8)
            #expect(samples == expected)
        }
    }
}
