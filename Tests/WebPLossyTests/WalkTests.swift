import ImageCodecsCore
import Testing
import WebPLossyCodec

/// The numbers of the article OneMacroblock, and those of `LoopFilter` and `BooleanDecoder` that it stands beside: by the plain
/// twins, which are the standard's formulas.
@Suite struct WalkTests {
    private let payload: [UInt8]
    private let first: [UInt8]
    private let tokens: [UInt8]
    private let frame: VP8FrameHeader
    /// After the frame header.
    private let start: BooleanDecoder
    private let infos: [MacroblockInfo]
    private let coefficients: [[Int16]]

    init() throws {
        payload = try LossyFixture.named("even-sides").payload
        (first, tokens) = (Array(payload[10..<72]), Array(payload[72...]))
        var decoder = BooleanDecoder()
        frame = try first.withSpan { (input) throws(ImageError) in
            try VP8FrameHeader(&decoder, input, offset: 0)
        }
        start = decoder
        var modes = MacroblockReference(first, at: decoder)
        var residues = MacroblockReference(tokens)
        let steps = DequantizationFactors(frame.quantizers, frame.segments).values
        var (infos, coefficients) = ([MacroblockInfo](), [[Int16]]())
        var above = [[UInt8]](repeating: [0, 0, 0, 0], count: 3)
        var contexts = [MacroblockReference.Contexts](repeating: .init(), count: 3)
        for _ in 0..<2 {
            var (left, leftContexts) = ([UInt8](repeating: 0, count: 4), MacroblockReference.Contexts())
            for column in 0..<3 {
                var info = modes.modes(frame.modeParameters, above: &above[column], left: &left)
                coefficients.append(
                    residues.residue(
                        &info, above: &contexts[column], left: &leftContexts,
                        probabilities: Self.probabilities(first), steps: steps))
                infos.append(info)
            }
        }
        (self.infos, self.coefficients) = (infos, coefficients)
    }

    /// Token probabilities in the order of the standard.
    private static func probabilities(_ first: [UInt8]) -> [UInt8] {
        var (probabilities, decoder) = (CoefficientProbabilityTables.defaults, BooleanDecoder())
        first.withSpan { input in
            _ = decoder.literal(2, input)
            _ = SegmentHeader(&decoder, input)
            _ = FilterHeader(&decoder, input)
            _ = decoder.literal(2, input)
            _ = QuantizerHeader(&decoder, input)
            _ = decoder.flag(input)
            for index in probabilities.indices where decoder.bool(CoefficientProbabilityTables.updates[index], input) {
                probabilities[index] = UInt8(decoder.literal(8, input))
            }
        }
        return probabilities
    }

    @Test func theHeadersSayWhatTheArticleSays() throws {
        #expect(Array(payload[..<10]) == [0xD0, 0x07, 0x00, 0x9D, 0x01, 0x2A, 0x30, 0x00, 0x20, 0x00])
        let header = try payload.withSpan { (bytes) throws(ImageError) in
            try VP8Header(bytes, offset: 0, payloadByteCount: payload.count)
        }
        #expect(header.firstPartitionByteCount == 62 && header.isShown && header.profile == 0)
        #expect(frame.segments.quantizers == SIMD4(36, 31, 23, 19) && frame.segments.isAbsolute)
        #expect(frame.segments.filterLevels == SIMD4(11, 6, 3, 2) && frame.segments.hasMap)
        #expect(!frame.filter.isSimple && frame.filter.level == 11 && frame.filter.sharpness == 0)
        #expect(frame.partitionCount == 1 && frame.skipProbability == nil)
        #expect(frame.quantizers.chromaDCDelta == -2 && frame.quantizers.chromaACDelta == 4)
        #expect(frame.probabilities.updateCount == 8)
    }

    /// Decodes bools: probability, range before, upper eight bits of the value before, split, the bool.
    private func check(
        _ steps: [(probability: UInt8, range: UInt32, value: UInt64, split: UInt32, bool: Int)],
        _ decoder: BooleanDecoder, _ partition: [UInt8]
    ) {
        var decoder = decoder
        for step in steps {
            #expect(decoder.state.range == step.range)
            #expect(1 + ((decoder.state.range - 1) * UInt32(step.probability)) >> 8 == step.split)
            // The bits that the next byte brings may be missing below those that count.
            var bits = decoder.state.value >> 56
            if decoder.state.count < 8 {
                bits =
                    (decoder.state.value | UInt64(partition[decoder.state.next]) << UInt64(56 - decoder.state.count))
                    >> 56
            }
            #expect(bits == step.value)
            let bool = partition.withSpan { decoder.bool(step.probability, $0) }
            #expect(bool == (step.bool == 1))
        }
    }

    @Test func theBoolsOfTheModesAreThoseOfTheTable() {
        check(
            [
                (85, 138, 10, 46, 0), (128, 184, 43, 92, 0), (145, 184, 87, 104, 0), (231, 208, 174, 187, 0),
                (231, 187, 174, 168, 1), (120, 152, 50, 71, 0),
            ], start, first)
        let names = ["DC", "TM", "VE", "HE", "LD", "RD", "VR", "VL", "HD", "HU"]
        #expect(
            (0..<16).map { names[Int(infos[0].modes[$0])] } == [
                "DC", "TM", "TM", "DC", "DC", "TM", "TM", "TM", "DC", "HU", "HE", "DC", "DC", "LD", "DC", "DC",
            ])
        #expect(infos[0].hasSubblockModes == 1 && infos[0].chromaMode == 0 && infos[0].segment == 0)
    }

    @Test func theBoolsOfTheTokenAreThoseOfTheTable() {
        #expect(Array(tokens[..<4]) == [0xFE, 0xF9, 0xE4, 0xAC])
        let head: [(UInt8, UInt32, UInt64, UInt32, Int)] = [
            (202, 255, 254, 201, 1), (24, 216, 215, 21, 1), (213, 195, 194, 162, 1), (235, 132, 131, 121, 1),
            (220, 176, 169, 151, 1), (240, 200, 151, 187, 0), (175, 187, 151, 128, 1),
        ]
        check(
            head.map { (probability: $0.0, range: $0.1, value: $0.2, split: $0.3, bool: $0.4) }, BooleanDecoder(),
            tokens)
        // After the extra bits comes the sign.
        var decoder = BooleanDecoder()
        let extra: [(UInt8, Bool)] = [(176, false), (155, false), (140, true), (135, true)]
        tokens.withSpan { input in
            for step in head { _ = decoder.bool(step.0, input) }
            for (probability, bit) in extra { #expect(decoder.bool(probability, input) == bit) }
        }
        check([(128, 168, 124, 84, 1)], decoder, tokens)
    }

    @Test func everyBlockOfLumaHasCoefficients() {
        // So contexts are 0, 1 and 2 by how many neighbours are in the picture.
        #expect((0..<16).allSatisfy { infos[0].lumaCodes >> UInt32(2 * $0) & 3 > 0 })
        #expect(Array(coefficients[0][..<16]) == [-726, 40] + Array(repeating: 0, count: 14))
        #expect(Array(coefficients[0][16..<32]) == [-33] + Array(repeating: 0, count: 15))
        // The first block of U has a coefficient, the first one of V none.
        #expect(Array(coefficients[0][256..<272]) == [31] + Array(repeating: 0, count: 15))
        #expect(infos[0].chromaCodes & 3 == 1 && infos[0].chromaCodes >> 8 & 3 == 0)
        let steps = DequantizationFactors(frame.quantizers, frame.segments).values
        #expect(steps[0] == 33 && steps[1] == 40)
    }

    @Test func theResidueIsThatOfTheArticle() {
        let residue = ReconstructionReference.inverseDCT(coefficients[0][..<16].map(Int.init))
        for row in 0..<4 { #expect(Array(residue[4 * row..<4 * row + 4]) == [-84, -88, -93, -97]) }
    }

    private func samples(_ twin: ReconstructionReference, _ plane: Int, _ y: Int, _ columns: Range<Int>) -> [Int] {
        columns.map { twin.planes[plane][$0, y] }
    }

    @Test func theSamplesAreThoseOfTheArticle() {
        var twin = ReconstructionReference(columns: 3, rows: 2)
        twin.reconstruct(infos, coefficients: coefficients, filter: FilterPlan())
        for row in 0..<3 {
            #expect(
                samples(twin, 0, row, 0..<16) == [44, 40, 35, 31, 27, 27, 27, 27, 33, 37, 42, 46, 62, 69, 80, 88])
        }
        #expect(samples(twin, 0, 0, 16..<20) == [102, 113, 128, 139])
        #expect(
            samples(twin, 0, 4, 0..<16) == [58, 54, 49, 45, 34, 34, 34, 34, 42, 46, 51, 55, 63, 70, 81, 89])
        for row in 0..<4 {
            #expect(samples(twin, 1, row, 0..<4) == [132, 132, 132, 132])
            #expect(samples(twin, 2, row, 0..<4) == [128, 128, 128, 128])
        }
        #expect(twin.planes[0][-1, 0] == 129 && twin.planes[0][0, -1] == 127)
    }

    @Test func theLoopFilterDoesWhatTheArticleSays() {
        let plan = FilterPlan(frame.filter, frame.segments)
        #expect(plan.strengths[1].interiorLimit == 11 && plan.strengths[1].edgeLimit == 33)
        #expect(plan.strengths[1].varianceThreshold == 0)
        // The next macroblock is in segment 3, whose limit between macroblocks is 10.
        #expect(infos[1].segment == 3 && plan.strengths[7].edgeLimit + 4 == 10)
        var twin = ReconstructionReference(columns: 3, rows: 2)
        twin.reconstruct(infos, coefficients: coefficients, filter: plan)
        #expect(
            samples(twin, 0, 0, 0..<16) == [44, 40, 35, 30, 27, 27, 27, 28, 32, 37, 42, 46, 62, 69, 80, 88])
        #expect(samples(twin, 1, 0, 0..<1) == [132] && samples(twin, 2, 0, 0..<1) == [128])
        #expect(twin.pixel(0, 0, width: 48, height: 32) == [41, 31, 33, 255])
    }

    @Test func thePixelIsMadeAsTheArticleSays() {
        let y = (44 * 19077) >> 8
        #expect(y == 3278)
        #expect(y + ((128 * 26149) >> 8) - 14234 == 2118 && 2118 >> 6 == 33)
        #expect(y - ((132 * 6419) >> 8) - ((128 * 13320) >> 8) + 8708 == 2017 && 2017 >> 6 == 31)
        #expect(y + ((132 * 33050) >> 8) - 17685 == 2634 && 2634 >> 6 == 41)
    }
}
