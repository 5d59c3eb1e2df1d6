import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// The kernels decode what their plain twins decode, whatever the bits are, and wherever the input is cut.
@Suite struct DCKernelsTests {
    private static let columns = 30

    /// MCUs of 4:2:0: four blocks of the first component, one of each of the others.
    private static let blocks: [DCBlock] = {
        var blocks: [DCBlock] = []
        for row in 0..<2 {
            for column in 0..<2 {
                blocks.append(DCBlock(predictor: 0, table: 0, base: row * 60 + column, step: 2))
            }
        }
        let second = HuffmanTable.count(lookupBits: HuffmanTable.smallLookupBits)
        blocks.append(DCBlock(predictor: 1, table: second, base: 120, step: 1))
        blocks.append(DCBlock(predictor: 2, table: second, base: 150, step: 1))
        return blocks
    }()

    /// Sizes 0...11, the codes 2 to 12 bits long; nearly every window is a code.
    private let specifications = [
        HuffmanSpecification(
            counts: [0, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0], symbols: [3, 0, 4, 5, 6, 2, 1, 7, 8, 9, 11]),
        HuffmanSpecification(
            counts: [0, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], symbols: [0, 1, 2, 3, 4, 5, 6, 7]),
    ]

    /// MCUs before the first that is damaged or incomplete, by the twin; `coefficients` are those it decoded.
    private func decodeByReference(
        _ data: [UInt8], refines: Bool, low: Int, coefficients: inout [Int16]
    ) -> Int {
        var bits = BitsByTheBook(data)
        var predictors = [0, 0, 0]
        for column in 0..<Self.columns {
            var decoded = coefficients
            for block in Self.blocks {
                let place = block.base + column * block.step
                if refines {
                    decoded[place] = DCBlockByTheBook.refine(decoded[place], low: low, bits: &bits)
                    continue
                }
                let value = DCBlockByTheBook.decodeFirst(
                    table: specifications[block.table == 0 ? 0 : 1], low: low, bits: &bits,
                    predictor: &predictors[block.predictor])
                guard let value else { return column }
                decoded[place] = value
            }
            if bits.hasOverrun { return column }
            coefficients = decoded
        }
        return Self.columns
    }

    /// Decodes random bits with both; how many MCUs they got through.
    private func compare(refines: Bool, seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        let low = Int.random(in: 0...3, using: &random)
        var tables: [Int32] = []
        for specification in specifications {
            tables += try HuffmanTable(
                specification, use: .dc, offset: 0, lookupBits: HuffmanTable.smallLookupBits
            ).entries
        }
        var expected = (0..<180).map { _ in
            refines ? Int16.random(in: -100...100, using: &random) << Int16(low + 1) : 0
        }
        var coefficients = expected
        let data = random.bytes(Int.random(in: 0...(refines ? 40 : 300), using: &random))
        let bytes = data.stuffed + [0xFF, 0xD9]
        let count = decodeByReference(data, refines: refines, low: low, coefficients: &expected)

        var state = ProgressiveState()
        var column = 0
        var isDamaged = false
        // A first call sees part of the input, the second all of it.
        for end in [Int.random(in: 0...bytes.count, using: &random), bytes.count] {
            var span = coefficients.mutableSpan
            let input = unsafe bytes.span.extracting(first: end).bytes
            let range = column..<Self.columns
            let result =
                refines
                ? DCKernels.refine(
                    range, blocks: Self.blocks, low: low, state: &state, input: input, isFinal: end == bytes.count,
                    coefficients: &span)
                : DCKernels.decodeFirst(
                    range, blocks: Self.blocks, tables: tables, low: low, state: &state, input: input,
                    isFinal: end == bytes.count, coefficients: &span)
            switch result {
            case .complete: column = Self.columns
            case .needsMoreInput(let next): column = next
            case .damaged(let next): (column, isDamaged) = (next, true)
            }
            state.reader.rebase(droppingFirst: 0)
            if isDamaged { break }
        }
        #expect(column == count)
        #expect(isDamaged == (count < Self.columns))
        for block in Self.blocks {
            for column in 0..<count {
                let place = block.base + column * block.step
                #expect(coefficients[place] == expected[place])
            }
        }
        return count
    }

    @Test(arguments: [false, true]) func scansAreThoseOfTheReference(refines: Bool) throws {
        var count = 0
        for seed in 0..<600 { count += try compare(refines: refines, seed: UInt64(seed)) }
        // Random bits are damaged sooner or later, but not at once.
        #expect(count > 600 * 2)
    }
}
