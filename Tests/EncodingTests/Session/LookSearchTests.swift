import CodecTestSupport
import ImageEncoding
import Testing

@Suite struct LookSearchTests {
    /// Searches among ways whose scores a function says.
    private func run(
        _ count: Int, _ target: Double, _ score: (_ share: Double) -> Double
    ) -> (best: (index: Int, score: Double)?, attemptCount: Int) {
        var search = LookSearch(count: count, target: target)
        var attemptCount = 0
        while let index = search.next, attemptCount < 100 {
            #expect((0..<count).contains(index))
            search.record(index, score: score(Double(index) / Double(max(1, count - 1))))
            attemptCount += 1
        }
        return (search.best, attemptCount)
    }

    /// Scores that fall slowly or steeply at first, as those of pictures of all kinds do.
    @Test(arguments: [1.0, 2, 4, 8], [30.0, 50, 70, 80, 90])
    func aScoreOfAnyCurveIsFoundInFewAttempts(_ steepness: Double, _ target: Double) throws {
        for base in [96.0, 100] {
            let (best, attemptCount) = run(201, target) { share in
                var power = 1.0
                for _ in 0..<Int(steepness) { power *= share }
                return base - 25 * share - 120 * power
            }
            let score = try #require(best?.score)
            #expect(score >= target - LookSearch.tolerance && score < target + 1.5, "\(score) after \(attemptCount)")
            #expect(attemptCount <= LookSearch.attemptCount)
        }
    }

    @Test func whatCannotBeReachedIsTheFirstWay() throws {
        let (best, attemptCount) = run(201, 99) { 80 - 100 * $0 }
        #expect(best?.index == 0 && best?.score == 80)
        #expect(attemptCount <= 3)
    }

    @Test func theLastWayIsFoundIfAllLookGoodEnough() {
        #expect(run(201, 10) { 90 - $0 }.best?.index == 200)
        #expect(run(5, 10) { 90 - $0 }.best?.index == 4)
    }

    /// Of five palettes that score 100, 80, 60, 40, 20 the one that is not below the target.
    @Test(arguments: [(100.0, 0), (79, 1), (80.4, 1), (80.6, 0), (61, 1), (60, 2), (25, 3), (0, 4)])
    func ofFewWaysTheRoughestThatLooksGoodEnoughIsFound(_ target: Double, _ expected: Int) {
        let (best, attemptCount) = run(5, target) { 100 - 80 * $0 }
        #expect(best?.index == expected)
        #expect(attemptCount <= 3)
    }

    @Test func scoresThatJumpEndTheSearchToo() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let (best, attemptCount) = run(201, 75) { _ in Double.random(in: -50...100, using: &random) }
            #expect(best != nil && attemptCount <= LookSearch.attemptCount)
        }
        #expect(run(1, 50) { _ in 20 }.best?.index == 0)
    }
}
