import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// What the encoder does with subblocks, against plain twins and formulas.
@Suite struct SubblockKernelTests {
    private typealias Kernels = SubblockKernels
    private typealias Twin = SubblockKernelsReference

    private func samples(_ random: inout SeededRandom) -> BlockSamples {
        let kind = random.next() % 4
        var result = BlockSamples()
        for index in 0..<16 {
            let value = UInt8(truncatingIfNeeded: random.next())
            result[index] = kind == 0 ? (value < 128 ? 0 : 255) : kind == 1 ? 100 + value % 8 : value
        }
        return result
    }

    private func values(_ random: inout SeededRandom) -> BlockValues {
        let range = [1, 3, 20, 200, 2041][Int(random.next() % 5)]
        var result = BlockValues()
        for index in 0..<16 { result[index] = Int16(Int(random.next() % UInt64(2 * range + 1)) - range) }
        return result
    }

    @Test func kernelsEqualTheirTwins() {
        var random = SeededRandom(seed: 77)
        for _ in 0..<2000 {
            let (a, b, c, d) = (samples(&random), samples(&random), samples(&random), samples(&random))
            #expect(Kernels.forward(a, b, c, d) == Twin.forward(a, b, c, d))
            #expect(Kernels.effort(a, b, c, d) == Twin.effort(a, b, c, d))
            #expect(Kernels.squaredError(a, b) == Twin.squaredError(a, b))
            #expect(Kernels.variance(a) == Twin.variance(a))
            #expect(Kernels.seenErrors(a, b, c, d) == Twin.seenErrors(a, b, c, d))
            #expect(Kernels.countOfLimits(a) == Twin.countOfLimits(a))
            #expect(Kernels.overshooting(a, b) == Twin.overshooting(a, b))
            let (x, y) = Kernels.forward(a, b, c, d)
            #expect(Kernels.reconstructed(x, on: b, y, on: d) == Twin.reconstructed(x, on: b, y, on: d))
            let quantizer = BlockQuantizer(
                dc: 4 + Int(random.next() % 154), ac: 4 + Int(random.next() % 281),
                dcRounding: Int(random.next() % 160), acRounding: Int(random.next() % 160))
            for block in [x, values(&random)] {
                let levels = Kernels.levels(block, quantizer)
                #expect(levels == Twin.levels(block, quantizer))
                #expect(Kernels.coefficients(levels, quantizer) == Twin.coefficients(levels, quantizer))
                #expect(Kernels.last(levels) == Twin.last(levels))
            }
            let (top, left) = (random.next(), UInt32(truncatingIfNeeded: random.next()))
            let corner = UInt8(truncatingIfNeeded: random.next())
            for mode in 0..<UInt8(10) {
                #expect(
                    Kernels.predicted(mode, top: top, corner: corner, left: left)
                        == Twin.predicted(mode, top: top, corner: corner, left: left))
            }
        }
    }

    @Test func costsEqualTheirTwinAndWhatIsWritten() {
        var random = SeededRandom(seed: 78)
        let costs = TokenCosts(CoefficientProbabilityTables.defaults)
        for _ in 0..<500 {
            let levels = values(&random)
            let last = Kernels.last(levels)
            for type in 0..<4 {
                let (first, context) = (type == 0 ? 1 : 0, Int(random.next() % 3))
                let end = last < first ? -1 : last
                #expect(
                    Kernels.cost(levels, first: first, last: end, context: context, type: type, costs)
                        == Twin.cost(levels, first: first, last: end, context: context, type: type, costs))
            }
        }
    }

    /// The inverse of the forward transform is the difference, but for rounding.
    @Test func transformsAreInverse() {
        var random = SeededRandom(seed: 79)
        for _ in 0..<2000 {
            let (source, prediction) = (samples(&random), samples(&random))
            let (coefficients, _) = Kernels.forward(source, prediction, source, prediction)
            let (decoded, _) = Kernels.reconstructed(coefficients, on: prediction, coefficients, on: prediction)
            for index in 0..<16 { #expect(abs(Int(decoded[index]) - Int(source[index])) <= 1) }
        }
        let (flat, _) = Kernels.forward(
            BlockSamples(repeating: 110), BlockSamples(repeating: 100), BlockSamples(), BlockSamples())
        // Eight times the mean, and nothing else.
        var expected = BlockValues()
        expected[0] = 80
        #expect(flat == expected)
    }

    @Test func rowsAndSubblocksEqualTheirTwins() throws {
        var random = SeededRandom(seed: 80)
        for width in [1, 2, 3, 8, 17, 33] {
            let (upper, lower) = (random.bytes(4 * width), random.bytes(4 * width))
            var (found, expected) = ([UInt8](repeating: 0, count: 200), [UInt8](repeating: 0, count: 200))
            upper.withRawSpan { (upper: RawSpan) in
                lower.withRawSpan { (lower: RawSpan) in
                    found.withMutableBytes { plane in
                        SampleGatheringKernels.luma(upper, count: width, into: &plane, at: 3)
                        SampleGatheringKernels.chroma(upper, lower, count: width, into: &plane, u: 60, v: 120)
                    }
                    expected.withMutableBytes { plane in
                        SampleGatheringReference.luma(upper, count: width, into: &plane, at: 3)
                        SampleGatheringReference.chroma(upper, lower, count: width, into: &plane, u: 60, v: 120)
                    }
                }
            }
            #expect(found == expected)
        }
        random.bytes(400).withRawSpan { (plane: RawSpan) in
            for offset in [0, 5, 31] {
                #expect(
                    SampleGatheringKernels.fourBlocks(plane, at: offset, stride: 40)
                        == SampleGatheringReference.fourBlocks(plane, at: offset, stride: 40))
                #expect(
                    SampleGatheringKernels.twoBlocks(plane, at: offset, stride: 40)
                        == SampleGatheringReference.twoBlocks(plane, at: offset, stride: 40))
            }
        }
        let block = samples(&random)
        #expect(SampleGatheringKernels.rows(block) == SampleGatheringReference.rows(block))
        #expect(SampleGatheringKernels.block(SampleGatheringKernels.rows(block)) == block)
    }
}
