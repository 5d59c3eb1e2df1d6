import DeflateCodec
import ImageCodecsCore
import Testing

@Suite struct RefinementChoiceTests {
    private var choice = RefinementChoice()

    /// Asks about a segment of `matchCount` matches, with `literalCount` literals before the last of them.
    private mutating func isWorthwhile(
        literals literalCount: UInt32, matches matchCount: Int, bytes: Int
    ) throws -> Bool {
        var words = try NumberBuffer<UInt32>(count: 2 * matchCount, meter: nil)
        words.withMutableSpan { $0[2 * matchCount - 2] = literalCount }
        return choice.isWorthwhile(words, wordCount: 2 * matchCount, bytes)
    }

    @Test mutating func fewLiteralsAreLessThanThreeForFiveMatches() throws {
        let answer1 = try isWorthwhile(literals: 299, matches: 500, bytes: 10_000)
        #expect(answer1)
        choice = RefinementChoice()
        let answer2 = try isWorthwhile(literals: 300, matches: 500, bytes: 10_000)
        #expect(!answer2)
    }

    @Test mutating func literalsOfEarlierSegmentsCount() throws {
        let answer3 = try isWorthwhile(literals: 1000, matches: 500, bytes: 10_000)
        #expect(!answer3)
        // 1000 literals and 1000 matches by now; then 1000 and 1700.
        let answer4 = try isWorthwhile(literals: 0, matches: 500, bytes: 10_000)
        #expect(!answer4)
        let answer5 = try isWorthwhile(literals: 0, matches: 700, bytes: 10_000)
        #expect(answer5)
    }

    @Test mutating func matchesAsLongAsTheyCanBeAreLeft() throws {
        let answer6 = try isWorthwhile(literals: 0, matches: 100, bytes: 19_200)
        #expect(!answer6)
        let answer7 = try isWorthwhile(literals: 0, matches: 100, bytes: 19_199)
        #expect(answer7)
    }

    @Test mutating func shortStreamsMayHaveFiveLiteralsForAMatchAnd40OfAQuickSearch() throws {
        let cases = [
            (1 << 20, false, 2499, true), (1 << 20, false, 2500, false), (1 << 20 + 1, false, 300, false),
            (1 << 20, true, 19_999, true), (1 << 20, true, 20_000, false), (1 << 20 + 1, true, 300, false),
        ]
        for (byteCount, isQuick, literals, isTried) in cases {
            choice = RefinementChoice(byteCount: byteCount, isQuick: isQuick)
            let answer = try isWorthwhile(literals: UInt32(literals), matches: 500, bytes: 100_000)
            #expect(answer == isTried)
        }
    }

    @Test mutating func theLongestMatchesOfShortStreamsAreSearchedToo() throws {
        choice = RefinementChoice(byteCount: 19_200)
        let answer = try isWorthwhile(literals: 0, matches: 100, bytes: 19_200)
        #expect(answer)
    }

    @Test mutating func aHundredthIsEnoughAfterAQuickSearch() throws {
        for (after, triedAgain) in [(9900, true), (9901, false)] {
            choice = RefinementChoice(byteCount: 1000, isQuick: true)
            let first = try isWorthwhile(literals: 0, matches: 100, bytes: 1000)
            choice.record(before: 10_000, after: after)
            let second = try isWorthwhile(literals: 0, matches: 100, bytes: 1000)
            #expect(first && second == triedAgain)
        }
    }

    @Test mutating func whatGainsLittleIsTriedLessAndLessOften() throws {
        var tried: [Int] = []
        for segment in 0..<16 {
            guard try isWorthwhile(literals: 0, matches: 100, bytes: 1000) else { continue }
            tried.append(segment)
            // A 33rd part.
            choice.record(before: 3300, after: 3200)
        }
        #expect(tried == [0, 2, 5, 10])
    }

    @Test mutating func whatGainsEnoughIsTriedAlways() throws {
        for _ in 0..<16 {
            let answer8 = try isWorthwhile(literals: 0, matches: 100, bytes: 1000)
            #expect(answer8)
            choice.record(before: 3200, after: 3100)
        }
    }

    /// The differences between the rows of a gradient in two directions: hardly any literals, and many ways to choose matches.
    @Test func gradientsTakeLessThanByTheLongestMatches() throws {
        let (width, height) = (600, 300)
        var bytes: [UInt8] = []
        var above = [Int](repeating: 0, count: width)
        for y in 0..<height {
            let row = (0..<width).map { (3 * $0 + 5 * y) * 255 / (3 * width + 5 * height) }
            bytes.append(2)
            bytes += zip(row, above).map { UInt8(truncatingIfNeeded: $0 - $1) }
            above = row
        }
        var work = WorkGuard(EncodingOptions())
        let stream = try bytes.withSpan { (bytes) throws(ImageError) in
            try Deflater.compress(bytes, effort: .default, meter: nil, work: &work)
        }
        // zlib 1.2.13 takes 1683 bytes at level 9.
        #expect(stream.count < 1683)
    }
}
