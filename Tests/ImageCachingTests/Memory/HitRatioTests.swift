import CodecTestSupport
import Foundation
import ImageCaching
import Testing

/// Hit ratios on requests whose popularity follows Zipf's law: the key of rank *n* is asked for in proportion to *n*^-0.9.
@Suite struct HitRatioTests {
    /// Requests by rank.
    private struct Zipf {
        private let sums: [Double]
        private var random: SeededRandom

        init(keyCount: Int, exponent: Double, seed: UInt64) {
            var sum = 0.0
            sums = (1...keyCount).map { rank in
                sum += pow(Double(rank), -exponent)
                return sum
            }
            random = SeededRandom(seed: seed)
        }

        mutating func next() -> Int {
            let wanted = Double.random(in: 0..<sums[sums.count - 1], using: &random)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > wanted { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    private func keys(_ count: Int) -> [CacheKey] { (0..<count).map { CacheKey(source: "\($0)") } }

    private func ratio(_ cache: MemoryCache<Int>, _ keys: [CacheKey], _ next: () -> Int, _ count: Int) -> Double {
        for _ in 0..<count {
            let number = next()
            if cache.value(for: keys[number]) == nil { cache.insert(number, for: keys[number], cost: 1) }
        }
        return cache.statistics.hitRatio * 100
    }

    /// Simulated: S3-FIFO 44.6 per cent, "least recently used" 34.2, the best that knows the future 53.0.
    @Test(arguments: [1, 8])
    func onePerCentOfAHundredThousandKeysAnswerAsTheSimulationOfS3FIFO(_ shardCount: Int) {
        let keyCount = 100_000
        var zipf = Zipf(keyCount: keyCount, exponent: 0.9, seed: 1)
        let cache = MemoryCache<Int>(byteCount: keyCount / 100, shardCount: shardCount)
        let ratio = ratio(cache, keys(keyCount), { zipf.next() }, 1_000_000)
        #expect(ratio > 44.3 && ratio < 45.3)
    }

    /// What the documentation says of loops.
    @Test func aLoopOverMoreThanFitsFindsLittle() {
        let cache = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: 100, shardCount: 1)
        var next = 0
        let ratio = ratio(
            cache, keys(150),
            {
                next = (next + 1) % 150; return next
            }, 15_000)
        #expect(ratio < 30)
    }
}
