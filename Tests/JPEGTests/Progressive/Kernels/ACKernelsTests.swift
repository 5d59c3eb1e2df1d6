import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// The kernels decode what their plain twins decode, whatever the bits are.
@Suite struct ACKernelsTests {
    private static let count = 40

    /// Four codes of 3 bits and up to 31 of 6, for any runs and sizes of 0...`sizes`: nearly every window is a code.
    private func table(sizes: UInt8, using random: inout SeededRandom) -> HuffmanSpecification {
        var symbols: [UInt8] = []
        for run in UInt8(0)...15 {
            for size in 0...sizes { symbols.append(run << 4 | size) }
        }
        symbols = Array(symbols.shuffled(using: &random).prefix(35))
        var counts = [UInt8](repeating: 0, count: 16)
        counts[2] = 4
        counts[5] = UInt8(symbols.count - 4)
        return HuffmanSpecification(counts: counts, symbols: symbols)
    }

    /// Decodes random bits with both; how many blocks they got through.
    private func compare(refines: Bool, seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        let table = table(sizes: refines ? 1 : 6, using: &random)
        let entries = try HuffmanTable(table, use: refines ? .symbols : .progressiveAC, offset: 0).entries
        let start = Int.random(in: 1...20, using: &random)
        let band = Band(
            start: start, end: Int.random(in: start...63, using: &random), low: Int.random(in: 0...2, using: &random))
        // Refinement needs coefficients to refine: multiples of twice the bit, in part of the places.
        var coefficients = [Int16](repeating: 0, count: Self.count * 64)
        var masks = [UInt64](repeating: 0, count: Self.count)
        if refines {
            for block in 0..<Self.count {
                for position in 1...63 where Int.random(in: 0..<4, using: &random) == 0 {
                    let value = Int16([-3, -2, -1, 1, 2, 3].randomElement(using: &random)!) << Int16(band.low + 1)
                    coefficients[block * 64 + Int(ZigZagOrder.natural[position])] = value
                    masks[block] |= 1 << UInt64(position)
                }
            }
        }
        var blocks = (0..<Self.count).map { Array(coefficients[$0 * 64..<$0 * 64 + 64]) }
        let data = random.bytes(Int.random(in: 0...900, using: &random))
        let bytes = data.stuffed + [0xFF, 0xD9]
        let done = run(&coefficients, &masks, band: band, table: entries, bytes: bytes, refines: refines)

        var bits = BitsByTheBook(data)
        var endOfBandRun = 0
        for index in 0..<Self.count {
            let isSound =
                refines
                ? ACBlockByTheBook.refine(
                    &blocks[index], band: band, table: table, bits: &bits, endOfBandRun: &endOfBandRun)
                : ACBlockByTheBook.decodeFirst(
                    &blocks[index], band: band, table: table, bits: &bits, endOfBandRun: &endOfBandRun)
            guard isSound, !bits.hasOverrun else {
                #expect(done == index)
                return index
            }
            guard index < done else {
                Issue.record("the kernel stopped at \(done), the reference goes on at \(index)")
                return index
            }
            #expect(Array(coefficients[index * 64..<index * 64 + 64]) == blocks[index])
            for position in 1...63 {
                let isSet = masks[index] >> UInt64(position) & 1 == 1
                #expect(isSet == (blocks[index][Int(ZigZagOrder.natural[position])] != 0))
            }
        }
        #expect(done == Self.count)
        return done
    }

    /// Blocks decoded before the first that is damaged.
    private func run(
        _ coefficients: inout [Int16], _ masks: inout [UInt64], band: Band, table: [Int32], bytes: [UInt8],
        refines: Bool
    ) -> Int {
        var state = ProgressiveState()
        let row = ACKernels.BlockRow(firstMask: 0, firstCoefficient: 0)
        var coefficientSpan = coefficients.mutableSpan
        var maskSpan = masks.mutableSpan
        // SAFETY: every byte of a span of bytes is initialised.
        let input = unsafe bytes.span.bytes
        let result =
            refines
            ? ACKernels.refine(
                0..<Self.count, band: band, table: table, state: &state, input: input, isFinal: true, row: row,
                coefficients: &coefficientSpan, masks: &maskSpan)
            : ACKernels.decodeFirst(
                0..<Self.count, band: band, table: table, state: &state, input: input, isFinal: true, row: row,
                coefficients: &coefficientSpan, masks: &maskSpan)
        return switch result {
        case .complete: Self.count
        case .needsMoreInput(let column), .damaged(let column): column
        }
    }

    @Test(arguments: [false, true]) func scansAreThoseOfTheReference(refines: Bool) throws {
        var blockCount = 0
        for seed in 0..<600 { blockCount += try compare(refines: refines, seed: UInt64(seed)) }
        // Random bits are damaged sooner or later, but not at once.
        #expect(blockCount > 600 * 4)
    }
}
