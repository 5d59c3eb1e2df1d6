import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import Testing

/// Each kernel of compression against its plain twin, on inputs of every kind.
@Suite struct DeflateKernelsTests {
    private static let ranges = [0..<30_000, 7..<7, 100..<108, 100..<107, 20_000..<60_000, 33_000..<90_000]

    /// The input up to the end of a range, and what kernels may look at after it.
    private func window(_ input: DeflateInput, _ range: Range<Int>, filling: UInt8 = 0x5A) throws -> ScratchBuffer {
        var buffer = try ScratchBuffer(byteCount: range.upperBound + 16, filledWith: filling, meter: nil)
        buffer.withMutableBytes { $0.copy(input.bytes(range.upperBound).span) }
        return buffer
    }

    private func words(_ buffer: NumberBuffer<UInt32>, _ count: Int) -> [UInt32] {
        buffer.withSpan { numbers in (0..<count).map { numbers[$0] } }
    }

    /// Words of sequences, and where the search ended.
    private struct Found: Equatable {
        var words: [UInt32]
        var position: Int
        var literalStart: Int
    }

    private func fastSearch(_ window: ScratchBuffer, _ range: Range<Int>, isTwin: Bool) throws -> Found {
        var table = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, filledWith: 0, meter: nil)
        var sequences = try NumberBuffer<UInt32>(count: range.count / 4 + 4, meter: nil)
        var state = MatchSearchState(at: range.lowerBound)
        window.withBytes { window in
            table.withMutableBytes { table in
                sequences.withMutableSpan { sequences in
                    for stop in stride(from: range.lowerBound, through: range.upperBound, by: 10_000) {
                        if isTwin {
                            FastMatchKernelReference.search(
                                window, &state, stop: stop, end: range.upperBound, origin: 65_530, table: &table,
                                sequences: &sequences)
                        } else {
                            FastMatchKernel.search(
                                window, &state, stop: stop, end: range.upperBound, origin: 65_530, table: &table,
                                sequences: &sequences)
                        }
                    }
                }
            }
        }
        return Found(
            words: words(sequences, state.wordCount), position: state.position, literalStart: state.literalStart)
    }

    @Test(arguments: DeflateInput.allCases)
    func fastSearchEqualsItsTwin(_ input: DeflateInput) throws {
        for range in Self.ranges {
            let window = try window(input, range)
            #expect(
                try fastSearch(window, range, isTwin: false) == fastSearch(window, range, isTwin: true), "\(range)")
        }
    }

    private func chainSearch(_ window: ScratchBuffer, _ range: Range<Int>, isTwin: Bool) throws -> Found {
        var table = try NumberBuffer<UInt16>(count: ChainMatchKernel.tableByteCount / 2, meter: nil)
        var sequences = try NumberBuffer<UInt32>(count: range.count + 4, meter: nil)
        var sums = try NumberBuffer<UInt32>(count: range.count + 1, meter: nil)
        var state = MatchSearchState(at: range.lowerBound)
        let prices = DeflatePrices(
            bytes: (0..<256).map { UInt32($0 % 7 * $0) }, lengthBits: 7, distanceBits: 5)
        let effort = ChainSearchEffort(depth: 20, lazyDepth: 8, niceLength: 60, lazyLength: 40, longRun: 9)
        window.withBytes { window in
            prices.prices.withSpan { prices in
                sums.withMutableSpan { sums in
                    if isTwin {
                        ChainMatchKernelReference.sum(window.extracting(range), prices: prices, into: &sums)
                    } else {
                        ChainMatchKernel.sum(window.extracting(range), prices: prices, into: &sums)
                    }
                }
                sums.withSpan { sums in
                    table.withMutableSpan { table in
                        sequences.withMutableSpan { sequences in
                            for stop in stride(from: range.lowerBound, through: range.upperBound + 9999, by: 9999) {
                                if isTwin {
                                    ChainMatchKernelReference.search(
                                        window, &state, stop: stop, end: range.upperBound, origin: 65_530,
                                        effort: effort, prices: prices, sums: sums, from: range.lowerBound,
                                        table: &table, sequences: &sequences)
                                } else {
                                    ChainMatchKernel.search(
                                        window, &state, stop: stop, end: range.upperBound, origin: 65_530,
                                        effort: effort, prices: prices, sums: sums, from: range.lowerBound,
                                        table: &table, sequences: &sequences)
                                }
                            }
                        }
                    }
                }
            }
        }
        return Found(
            words: words(sequences, state.wordCount), position: state.position, literalStart: state.literalStart)
    }

    @Test(arguments: DeflateInput.allCases)
    func chainSearchEqualsItsTwin(_ input: DeflateInput) throws {
        for range in Self.ranges {
            let window = try window(input, range)
            #expect(
                try chainSearch(window, range, isTwin: false) == chainSearch(window, range, isTwin: true), "\(range)")
        }
    }

    @Test(arguments: DeflateInput.allCases)
    func nothingDependsOnWhatFollowsTheInput(_ input: DeflateInput) throws {
        for range in Self.ranges {
            let (one, other) = (try window(input, range, filling: 0), try window(input, range, filling: 0xC3))
            #expect(try fastSearch(one, range, isTwin: false) == fastSearch(other, range, isTwin: false))
            #expect(try chainSearch(one, range, isTwin: false) == chainSearch(other, range, isTwin: false))
            #expect(
                try treeSearch(one, range, isLast: true, isTwin: false)
                    == treeSearch(other, range, isLast: true, isTwin: false))
        }
    }

    /// Matches and, for each position, how many there are up to it.
    private func treeSearch(
        _ window: ScratchBuffer, _ range: Range<Int>, isLast: Bool, niceLength: Int = 100, origin: Int = 3,
        isTwin: Bool
    ) throws -> [[UInt32]] {
        var table = try NumberBuffer<UInt32>(count: TreeMatchKernel.tableCount, meter: nil)
        var matches = try NumberBuffer<UInt32>(
            count: 2 * range.count + 2 * TreeMatchKernel.mostMatches, meter: nil)
        var ends = try NumberBuffer<UInt32>(count: max(1, range.count), meter: nil)
        var (skipped, matchCount) = (0, 0)
        window.withBytes { window in
            table.withMutableSpan { table in
                matches.withMutableSpan { matches in
                    ends.withMutableSpan { ends in
                        for start in stride(from: range.lowerBound, to: range.upperBound, by: 5000) {
                            let step = start..<min(start + 5000, range.upperBound)
                            if isTwin {
                                TreeMatchKernelReference.find(
                                    window, step, end: range.upperBound, isLast: isLast, origin: origin, depth: 30,
                                    niceLength: niceLength, skipped: &skipped, table: &table, matches: &matches,
                                    matchCount: &matchCount, ends: &ends, from: range.lowerBound)
                            } else {
                                TreeMatchKernel.find(
                                    window, step, end: range.upperBound, isLast: isLast, origin: origin, depth: 30,
                                    niceLength: niceLength, skipped: &skipped, table: &table, matches: &matches,
                                    matchCount: &matchCount, ends: &ends, from: range.lowerBound)
                            }
                        }
                    }
                }
            }
        }
        return [words(matches, matchCount), words(ends, range.count)]
    }

    @Test(arguments: DeflateInput.allCases)
    func treeSearchEqualsItsTwin(_ input: DeflateInput) throws {
        for range in [0..<9000, 100..<104, 33_000..<42_000] {
            let window = try window(input, range)
            for isLast in [true, false] {
                #expect(
                    try treeSearch(window, range, isLast: isLast, isTwin: false)
                        == treeSearch(window, range, isLast: isLast, isTwin: true), "\(range)")
            }
        }
    }

    @Test(arguments: DeflateInput.allCases)
    func treesFindMatchesThatAreOnes(_ input: DeflateInput) throws {
        for origin in [3, 1 << 32 - 7000] { try checkMatches(input, origin: origin) }
    }

    /// Matches are where the input has the same bytes, also where the numbers of positions begin again.
    private func checkMatches(_ input: DeflateInput, origin: Int) throws {
        let range = 0..<20_000
        let (window, bytes) = (try window(input, range), input.bytes(20_000))
        let found = try treeSearch(
            window, range, isLast: true, niceLength: .max, origin: origin, isTwin: false)
        #expect(
            try found == treeSearch(window, range, isLast: true, niceLength: .max, origin: origin, isTwin: true))
        for position in range {
            let first = position == 0 ? 0 : Int(found[1][position - 1])
            var last = 0
            for match in found[0][first..<Int(found[1][position])] {
                let (length, distance) = (PackedMatch.length(match), Int(PackedMatch.distance(match)))
                let isWithin = distance >= 1 && distance <= position && position + length <= 20_000
                #expect(
                    length > last && isWithin && bytes.repeats(at: position, length: length, distance: distance))
                last = length
            }
        }
    }

    @Test(arguments: DeflateInput.allCases)
    func shortestPathEqualsItsTwin(_ input: DeflateInput) throws {
        let range = 0..<8000
        let window = try window(input, range)
        let found = try treeSearch(window, range, isLast: true, niceLength: .max, isTwin: false)
        let prices = DeflatePrices(bytes: (0..<256).map { UInt32($0) }, lengthBits: 4, distanceBits: 4)
        for part in [0..<8000, 100..<7000, 7999..<8000] {
            var results: [[UInt32]] = []
            for isTwin in [false, true] {
                var costs = try NumberBuffer<UInt32>(count: 8001, meter: nil)
                var steps = try NumberBuffer<UInt32>(count: 8000, meter: nil)
                window.withBytes { window in
                    found[0].withSpan { matches in
                        found[1].withSpan { ends in
                            prices.prices.withSpan { prices in
                                costs.withMutableSpan { costs in
                                    steps.withMutableSpan { steps in
                                        if isTwin {
                                            ShortestPathKernelReference.search(
                                                window, part, end: part.upperBound, from: 0, prices: prices,
                                                matches: matches, ends: ends, costs: &costs, steps: &steps)
                                        } else {
                                            ShortestPathKernel.search(
                                                window, part, end: part.upperBound, from: 0, prices: prices,
                                                matches: matches, ends: ends, costs: &costs, steps: &steps)
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                results.append(words(costs, 8001) + words(steps, 8000))
            }
            #expect(results[0] == results[1], "\(part)")
        }
    }

    @Test(arguments: DeflateInput.allCases)
    func symbolsAreCountedAndWrittenAsByTheTwins(_ input: DeflateInput) throws {
        let range = 0..<30_000
        let window = try window(input, range)
        var found = try fastSearch(window, range, isTwin: false)
        found.words += [UInt32(range.upperBound - found.literalStart), 0]
        var random = SeededRandom(seed: 5)
        let codes = (0..<DeflateCodeTable.count).map { place -> UInt32 in
            let count = UInt32(random.next() % (place >= DeflateCodeTable.lengths && place < 513 ? 20 : 15)) + 1
            return UInt32(truncatingIfNeeded: random.next()) & (1 << count - 1) | count << 24
        }
        var counted: [[UInt32]] = []
        var written: [[UInt8]] = []
        for isTwin in [false, true] {
            var counts = try NumberBuffer<UInt32>(count: DeflateCounts.count, meter: nil)
            var target = try ScratchBuffer(byteCount: 200_000, filledWith: 0, meter: nil)
            var bits = DeflateBits(bits: 5, count: 3, position: 11)
            window.withBytes { window in
                found.words.withSpan { sequences in
                    DeflateSymbols.lengthSlots.withSpan { slots in
                        counts.withMutableSpan { counts in
                            if isTwin {
                                DeflateBlockKernelReference.count(
                                    sequences, window, from: 0, lengthSlots: slots, into: &counts)
                            } else {
                                DeflateBlockKernel.count(
                                    sequences, window, from: 0, lengthSlots: slots, into: &counts)
                            }
                        }
                    }
                    codes.withSpan { codes in
                        target.withMutableBytes { target in
                            if isTwin {
                                DeflateBlockKernelReference.write(
                                    sequences, window, from: 0, codes: codes, to: &target, &bits)
                            } else {
                                DeflateBlockKernel.write(
                                    sequences, window, from: 0, codes: codes, to: &target, &bits)
                            }
                        }
                    }
                }
            }
            counted.append(words(counts, DeflateCounts.count))
            written.append(
                target.withBytes(0..<bits.position) { $0.copiedBytes() } + [UInt8(bits.bits), UInt8(bits.count)])
        }
        #expect(counted[0] == counted[1])
        #expect(written[0] == written[1])
    }
}
