import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct RoundedMeanTests {
    /// Sums of `count` bytes around every border between two means; means only grow with the sum.
    private func sums(_ count: Int, levels: some Sequence<Int> = 0...255) -> [Int] {
        levels.flatMap { level in
            let border = level * count - count / 2
            return [border - 1, border, border + 1].filter { 0...255 * count ~= $0 }
        } + [255 * count]
    }

    @Test func sumsOfFewBytesAreDividedAsByDivision() {
        for count in 1...300 {
            let mean = RoundedMean(of: UInt64(count))
            let wrong = sums(count).first { Int(mean(UInt64($0))) != ($0 + count / 2) / count }
            #expect(wrong == nil, "\(count) samples")
        }
    }

    @Test func shortSumsAreDividedAsByDivision() {
        #expect(RoundedMean(of: 1).shortForm == nil)
        #expect(RoundedMean(of: 129).shortForm == nil)
        for count in 2...128 {
            guard let mean = RoundedMean(of: UInt64(count)).shortForm else {
                Issue.record("\(count) samples have no short form")
                continue
            }
            let wrong = sums(count).first { Int(mean(UInt16($0))) != ($0 + count / 2) / count }
            #expect(wrong == nil, "\(count) samples")
        }
    }

    @Test func sumsOfManyBytesAreDividedAsByDivision() {
        var random = SeededRandom(seed: 21)
        for exponent in 8..<54 {
            for _ in 0..<50 {
                let count = Int.random(in: 1 << exponent...2 << exponent, using: &random)
                let mean = RoundedMean(of: UInt64(count))
                let wrong = sums(count, levels: [0, 1, 2, 127, 128, 254, 255]).first {
                    Int(mean(UInt64($0))) != ($0 + count / 2) / count
                }
                #expect(wrong == nil, "\(count) samples")
            }
        }
    }
}
