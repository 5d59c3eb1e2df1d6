import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

/// The kernels of entropy coding give what their plain twins give.
@Suite struct CoefficientKernelsTests {
    private static let count = 200

    /// Blocks with few, many and no coefficients, large and small.
    private func blocks(_ random: inout SeededRandom) throws -> ScratchBuffer {
        var result = try ScratchBuffer(zeroedByteCount: Self.count * 128, meter: nil)
        result.withMutableBytes { bytes in
            bytes.withNumbers(of: Int16.self) { values in
                for block in 0..<Self.count {
                    let largest = Int16(1 << Int.random(in: 0...15, using: &random) - 1)
                    let number = [0, 0, 1, 3, 20, 200].randomElement(using: &random) ?? 0
                    for _ in 0..<number {
                        values[block * 64 + Int.random(in: 0...63, using: &random)] =
                            Int16.random(in: -largest...largest, using: &random)
                    }
                    values[block * 64] = Int16.random(in: -1024...1024, using: &random)
                }
            }
        }
        return result
    }

    private func masks(of blocks: ScratchBuffer, low: Int) throws -> NumberBuffer<UInt64> {
        var result = try NumberBuffer<UInt64>(count: Self.count, meter: nil)
        blocks.withBytes { bytes in
            result.withMutableSpan { NonZeroMaskKernelReference.fill(&$0, 0..<Self.count, from: bytes, low: low) }
        }
        return result
    }

    @Test(arguments: 0..<14) func masksAreThoseOfTheTwin(low: Int) throws {
        var random = SeededRandom(seed: UInt64(low))
        let blocks = try blocks(&random)
        let expected = try masks(of: blocks, low: low)
        var found = try NumberBuffer<UInt64>(count: Self.count, meter: nil)
        let range = 3..<Self.count - 5
        blocks.withBytes { bytes in
            found.withMutableSpan {
                NonZeroMaskKernel.fill(
                    &$0, range, from: bytes.extracting(droppingFirst: range.lowerBound * 128), low: low)
            }
        }
        expected.withSpan { expected in
            found.withSpan { found in
                for index in 0..<Self.count {
                    #expect(found[index] == (range.contains(index) ? expected[index] : 0))
                }
            }
        }
    }

    /// Tokens of all blocks, made in pieces; `runs` are those left over after each piece.
    private func tokens(
        bufferCount: Int,
        _ append: (Range<Int>, inout MutableSpan<UInt32>, inout Int) -> Int
    ) throws -> [UInt32] {
        var result: [UInt32] = []
        var buffer = try NumberBuffer<UInt32>(count: bufferCount, meter: nil)
        var column = 0
        while column < Self.count {
            var count = 0
            let start = column
            buffer.withMutableSpan { column = append(column..<Self.count, &$0, &count) }
            try #require(column > start)
            buffer.withSpan { for index in 0..<count { result.append($0[index]) } }
        }
        return result
    }

    @Test(arguments: 0..<40) func tokensOfABandAreThoseOfTheTwin(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let blocks = try blocks(&random)
        let start = Int.random(in: 1...63, using: &random)
        let band = Band(
            start: start, end: Int.random(in: start...63, using: &random), low: Int.random(in: 0...3, using: &random))
        let masks = try masks(of: blocks, low: band.low)
        // A run that is about to reach its greatest length.
        var (run, twinRun) = (0x7FF0, 0x7FF0)
        let found = try tokens(bufferCount: 700) { columns, tokens, count in
            blocks.withBytes { bytes in
                masks.withSpan {
                    CoefficientTokenKernel.band(
                        band, columns: columns, coefficients: bytes, masks: $0, run: &run, tokens: &tokens,
                        count: &count)
                }
            }
        }
        let expected = try tokens(bufferCount: 100_000) { columns, tokens, count in
            blocks.withBytes { bytes in
                masks.withSpan {
                    CoefficientTokenKernelReference.band(
                        band, columns: columns, coefficients: bytes, masks: $0, run: &twinRun, tokens: &tokens,
                        count: &count)
                }
            }
        }
        let areEqual = found == expected
        #expect(areEqual)
        #expect(run == twinRun)
    }

    @Test(arguments: 0..<20) func tokensOfBlocksAreThoseOfTheTwin(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let blocks = try blocks(&random)
        let masks = try masks(of: blocks, low: 0)
        let roles = [TokenBlock(predictor: 0, table: 0)]
        var (predictors, twinPredictors) = (SIMD4<Int32>(repeating: 0), SIMD4<Int32>(repeating: 0))
        let found = try tokens(bufferCount: 700) { columns, tokens, count in
            blocks.withBytes { bytes in
                masks.withSpan {
                    CoefficientTokenKernel.sequential(
                        columns: columns, blocks: roles, coefficients: bytes, masks: $0, predictors: &predictors,
                        tokens: &tokens, count: &count)
                }
            }
        }
        let expected = try tokens(bufferCount: 100_000) { columns, tokens, count in
            blocks.withBytes { bytes in
                masks.withSpan {
                    CoefficientTokenKernelReference.sequential(
                        columns: columns, blocks: roles, coefficients: bytes, masks: $0,
                        predictors: &twinPredictors, tokens: &tokens, count: &count)
                }
            }
        }
        let areEqual = found == expected
        #expect(areEqual)
        #expect(predictors == twinPredictors)
    }

    /// Random tokens and codes, some of them with many ones, so that there is much to stuff.
    @Test(arguments: 0..<20) func bytesOfTokensAreThoseOfTheTwin(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var codes = [UInt32](repeating: 0, count: EntropyToken.symbolCount)
        for symbol in 0..<EntropyToken.rawTable << 8 {
            let length = UInt32.random(in: 1...16, using: &random)
            let code = Bool.random(using: &random) ? 0xFFFF : UInt32.random(in: 0...0xFFFF, using: &random)
            codes[symbol] = (code >> (16 - length)) << 8 | length
        }
        let tokens = (0..<3000).map { _ in
            let count = Int.random(in: 0...16, using: &random)
            let bits = Int(random.next() >> 48) >> (16 - count)
            let table = Int.random(in: 0...EntropyToken.rawTable, using: &random)
            let symbol = table == EntropyToken.rawTable ? 0 : Int.random(in: 0...255, using: &random)
            return EntropyToken.make(
                table: table, symbol: symbol, bits: Bool.random(using: &random) ? bits : 1 << count - 1, bitCount: count
            )
        }
        var (found, expected) = try (
            ScratchBuffer(byteCount: 30_000, filledWith: 0, meter: nil),
            ScratchBuffer(byteCount: 30_000, filledWith: 0, meter: nil)
        )
        var (pending, twinPending) = (PendingBits(), PendingBits())
        var (end, twinEnd) = (0, 0)
        for start in stride(from: 0, to: tokens.count, by: 250) {
            let piece = Array(tokens[start..<start + 250])
            found.withMutablePixels(0..<30_000) {
                end = TokenWritingKernel.write(piece.span, codes: codes.span, pending: &pending, to: &$0, at: end)
            }
            expected.withMutablePixels(0..<30_000) {
                twinEnd = TokenWritingKernelReference.write(
                    piece.span, codes: codes.span, pending: &twinPending, to: &$0, at: twinEnd)
            }
        }
        #expect(end == twinEnd)
        let bytes = found.withBytes(0..<end) { $0.copiedBytes() }
        let areEqual = bytes == expected.withBytes(0..<twinEnd) { $0.copiedBytes() }
        #expect(areEqual)
        #expect(bytes.contains(0xFF))
        #expect(pending.freeCount == twinPending.freeCount)
    }
}
