import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct SequentialBlockKernelTests {
    private static let lookupBits = [HuffmanTable.lookupBits, HuffmanTable.smallLookupBits]

    /// Decodes blocks side by side until one is damaged or the data end; that one is `stopped`.
    private func decode(
        _ bytes: [UInt8], count: Int, lookupBits: Int
    ) throws -> (blocks: [[Int16]], lasts: [UInt8], stopped: [Int16]) {
        let dc = try HuffmanTable(StandardTables.dc[0], use: .dc, offset: 0, lookupBits: lookupBits)
        let ac = try HuffmanTable(StandardTables.ac[0], use: .sequentialAC, offset: 0, lookupBits: lookupBits)
        var coefficients = [Int16](repeating: 77, count: count * 64)
        var lasts = [UInt8](repeating: 99, count: count)
        var state = EntropyState()
        let block = MCUBlock(predictor: 0, dcTable: 0, acTable: dc.entries.count, base: 0, step: 64)
        var coefficientSpan = coefficients.mutableSpan
        var lastSpan = lasts.mutableSpan
        // SAFETY: every byte of a span of bytes is initialised.
        let (column, _) = unsafe SequentialBlockKernel.decode(
            0..<count, blocks: [block], tables: dc.entries + ac.entries, lookupBits: lookupBits, state: &state,
            input: bytes.span.bytes, coefficients: &coefficientSpan, lastIndices: &lastSpan)
        let blocks = (0..<count).map { Array(coefficients[$0 * 64..<$0 * 64 + 64]) }
        return (Array(blocks[..<column]), Array(lasts[..<column]), column < count ? blocks[column] : [])
    }

    /// Data that hold many whole blocks: random symbols of the table with random values.
    private func encode(blocks: Int, fullness: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bits: [Int] = []
        func put(_ value: Int, _ count: Int) { bits += (0..<count).map { value >> (count - 1 - $0) & 1 } }
        func putSymbol(_ symbol: UInt8, _ table: HuffmanSpecification) {
            var code = 0
            var index = 0
            for length in 1...16 {
                for _ in 0..<table.counts[length - 1] {
                    if table.symbols[index] == symbol { return put(code, length) }
                    code += 1
                    index += 1
                }
                code <<= 1
            }
        }
        for _ in 0..<blocks {
            let size = Int.random(in: 0...11, using: &random)
            putSymbol(UInt8(size), StandardTables.dc[0])
            put(Int.random(in: 0..<1 << size, using: &random), size)
            var position = 0
            while position < 63 {
                if Int.random(in: 0..<fullness, using: &random) == 0 {
                    putSymbol(0, StandardTables.ac[0])
                    break
                }
                let run = min(Int.random(in: 0...15, using: &random) / 3, 62 - position)
                let size = Int.random(in: 1...(fullness > 8 ? 3 : 10), using: &random)
                putSymbol(UInt8(run << 4 | size), StandardTables.ac[0])
                put(Int.random(in: 0..<1 << size, using: &random), size)
                position += run + 1
            }
        }
        while bits.count % 8 != 0 { bits.append(1) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | UInt8($1) }
        }
    }

    private func expectReference(_ unstuffed: [UInt8], count: Int, lookupBits: Int) throws {
        let (blocks, lasts, stopped) = try decode(
            unstuffed.stuffed + [0xFF, 0xD9], count: count, lookupBits: lookupBits)
        var bits = BitsByTheBook(unstuffed)
        var predictor = 0
        for (block, last) in zip(blocks, lasts) {
            let expected = SequentialBlockByTheBook.decodeBlock(
                &bits, dc: StandardTables.dc[0], ac: StandardTables.ac[0], predictor: &predictor)
            #expect(!expected.isDamaged && !bits.hasOverrun)
            #expect(block == expected.coefficients)
            #expect(ZigZagOrder.natural[(Int(last) + 1)...].allSatisfy { block[Int($0)] == 0 })
        }
        if blocks.count < count {
            let next = SequentialBlockByTheBook.decodeBlock(
                &bits, dc: StandardTables.dc[0], ac: StandardTables.ac[0], predictor: &predictor)
            #expect(next.isDamaged || bits.hasOverrun)
            // What damage leaves is shown by tolerant decoding, so it counts as well.
            if !bits.hasOverrun { #expect(stopped == next.coefficients) }
        }
    }

    @Test(arguments: [2, 5, 30, 1000], lookupBits) func blocksAreThoseOfTheReference(
        _ fullness: Int, lookupBits: Int
    ) throws {
        var random = SeededRandom(seed: UInt64(fullness))
        for _ in 0..<20 {
            let bytes = encode(blocks: 40, fullness: fullness, &random)
            try expectReference(bytes, count: 40, lookupBits: lookupBits)
        }
    }

    @Test(arguments: lookupBits) func randomBytesEndWhereTheReferenceEnds(_ lookupBits: Int) throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            try expectReference(
                random.bytes(Int.random(in: 0...200, using: &random)), count: 50,
                lookupBits: lookupBits)
        }
    }

    // MARK: - DC coefficients alone

    /// Decodes blocks of which the DC coefficients alone are wanted, until one is damaged or the data end.
    private func decodeDC(_ bytes: [UInt8], count: Int) throws -> [Int16] {
        let dc = try HuffmanTable(StandardTables.dc[0], use: .dc, offset: 0)
        let ac = try HuffmanTable(StandardTables.ac[0], use: .sequentialAC, offset: 0)
        var tables = dc.entries + ac.entries
        let passingLookUp = tables.count
        PassingLookUp.append(forTableAt: dc.entries.count, to: &tables)
        var coefficients = [Int16](repeating: 77, count: count * 64)
        var lasts = [UInt8](repeating: 99, count: count)
        var state = EntropyState()
        let block = MCUBlock(
            predictor: 0, dcTable: 0, acTable: dc.entries.count, passingLookUp: passingLookUp, base: 0, step: 64)
        var coefficientSpan = coefficients.mutableSpan
        var lastSpan = lasts.mutableSpan
        // SAFETY: every byte of a span of bytes is initialised.
        let (column, _) = unsafe SequentialBlockKernel.decode(
            0..<count, blocks: [block], tables: tables, state: &state, input: bytes.span.bytes,
            coefficients: &coefficientSpan, lastIndices: &lastSpan)
        #expect(lasts[..<column].allSatisfy { $0 == 0 })
        return (0..<column).map { coefficients[$0 * 64] }
    }

    /// Compares with blocks that are decoded bit by bit; how many there are.
    private func expectReferenceDC(_ unstuffed: [UInt8], count: Int) throws -> Int {
        let values = try decodeDC(unstuffed.stuffed + [0xFF, 0xD9], count: count)
        var bits = BitsByTheBook(unstuffed)
        var predictor = 0
        for value in values {
            let expected = SequentialBlockByTheBook.decodeBlock(
                &bits, dc: StandardTables.dc[0], ac: StandardTables.ac[0], predictor: &predictor)
            #expect(!expected.isDamaged && !bits.hasOverrun)
            #expect(value == expected.coefficients[0])
        }
        if values.count < count {
            let next = SequentialBlockByTheBook.decodeBlock(
                &bits, dc: StandardTables.dc[0], ac: StandardTables.ac[0], predictor: &predictor)
            #expect(next.isDamaged || bits.hasOverrun)
        }
        return values.count
    }

    @Test(arguments: [2, 5, 30, 1000]) func otherCoefficientsArePassedOver(_ fullness: Int) throws {
        var random = SeededRandom(seed: UInt64(fullness) + 50)
        for _ in 0..<20 {
            let bytes = encode(blocks: 40, fullness: fullness, &random)
            #expect(try expectReferenceDC(bytes, count: 40) == 40)
        }
    }

    @Test func randomBytesArePassedOverAsFarAsTheReferenceGoes() throws {
        var random = SeededRandom(seed: 12)
        var blockCount = 0
        for _ in 0..<2000 {
            blockCount += try expectReferenceDC(random.bytes(Int.random(in: 0...200, using: &random)), count: 50)
        }
        #expect(blockCount > 1000)
    }
}
