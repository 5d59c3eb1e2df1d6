import CodecTestSupport
import ImageEncoding
import Testing

@Suite struct LengthSearchTests {
    /// Searches among qualities of which a function says how long files are.
    private func run(
        limit: Int, _ qualities: ClosedRange<Double> = 0...1, isKnown: Bool = true, first: Double = 0.75,
        _ length: (_ quality: Double) -> Int
    ) -> (best: (quality: Double, byteCount: Int)?, attemptCount: Int) {
        let highest = qualities.upperBound
        var search = LengthSearch(
            limit: limit, qualities: qualities, byteCount: isKnown ? length(highest) : nil, first: first)
        var attemptCount = 0
        while let quality = search.next, attemptCount < 100 {
            #expect(qualities.contains(quality))
            search.record(quality, byteCount: length(quality))
            attemptCount += 1
        }
        return (search.best, attemptCount)
    }

    /// Lengths that grow slowly at first and steeply at the end, or as a power of two.
    @Test(arguments: [0.0, 1, 3, 8], [0.9, 0.6, 0.3, 0.1])
    func aLengthOfAnyCurveIsFoundInFewAttempts(_ steepness: Double, _ share: Double) throws {
        func length(_ quality: Double) -> Int {
            var power = 1.0
            for _ in 0..<8 { power *= quality }
            return 2000 + Int(100_000 * (quality + steepness * power))
        }
        let limit = Int(share * Double(length(0.95)))
        for isKnown in [true, false] {
            let (best, attemptCount) = run(limit: limit, 0...0.95, isKnown: isKnown, length)
            let byteCount = try #require(best?.byteCount)
            #expect(byteCount <= limit && byteCount >= limit - limit / 200, "\(byteCount) of \(limit)")
            #expect(attemptCount <= (share < 0.3 ? 9 : 7), "\(attemptCount) attempts")
        }
    }

    @Test func whatFitsNowhereIsTriedAtTheLowestQuality() {
        var lengths: [Double] = []
        let (best, attemptCount) = run(limit: 1000, 0.1...0.8) { quality in
            lengths.append(quality)
            return 1001 + Int(10 * quality)
        }
        #expect(best == nil && attemptCount <= 4 && lengths.last == 0.1)
        #expect(run(limit: 10, 0.5...0.5) { _ in 20 }.attemptCount == 0)
        // Of one quality whose length is not known there is one attempt.
        for quality in [0.0, 0.1, 1] {
            let (best, attemptCount) = run(limit: 20, quality...quality, isKnown: false, first: quality) { _ in 20 }
            #expect(best?.quality == quality && attemptCount == 1)
            #expect(run(limit: 19, quality...quality, isKnown: false) { _ in 20 }.attemptCount == 1)
        }
    }

    /// Lengths of a few steps: the highest that fits.
    @Test(arguments: [(399, 300), (400, 400), (250, 200), (1000, 1000), (999, 900), (100, 100)])
    func lengthsThatGoByStepsAreFound(_ limit: Int, _ expected: Int) {
        let (best, attemptCount) = run(limit: limit, isKnown: false) { 100 * (1 + Int(9 * $0)) }
        #expect(best?.byteCount == expected && attemptCount <= LengthSearch.attemptCount)
    }

    @Test func lengthsThatJumpEndTheSearchToo() {
        var random = SeededRandom(seed: 4)
        for limit in [1, 500, 900, 1000] {
            for isKnown in [true, false] {
                let (best, attemptCount) = run(limit: limit, isKnown: isKnown) { quality in
                    quality == 1 ? 1001 : Int.random(in: 1...1000, using: &random)
                }
                #expect(attemptCount <= LengthSearch.attemptCount && (best?.byteCount ?? 0) <= limit)
            }
        }
        // Lengths that fall where quality rises.
        #expect(run(limit: 500) { 1000 - Int(400 * $0) }.best == nil)
    }

    @Test func theHighestQualityIsFoundIfItFits() {
        let (best, attemptCount) = run(limit: 9000, 0.1...0.8, isKnown: false) { 1000 + Int(1000 * $0) }
        #expect(best?.quality == 0.8 && attemptCount <= 3)
    }

    @Test func aSearchThatBeginsAtTheLowestQualityGoesUp() {
        let (best, attemptCount) = run(limit: 5000, 0.1...0.9, isKnown: false, first: 0.1) { 3000 + Int(9000 * $0) }
        #expect((4975...5000).contains(best?.byteCount ?? 0) && attemptCount <= 7)
    }
}
