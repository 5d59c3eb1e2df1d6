import Foundation
import ImageCaching
import Testing

/// Hit ratios on requests whose popularity follows Zipf's law: the key of rank *n* is asked for in proportion to *n*^-0.9.
@Suite struct HitRatioTests {
    /// Requests by rank, the same in every run: a linear congruential generator, whose upper 53 bits are a number from 0 to 1.
    private struct Zipf {
        private let sums: [Double]
        private var state: UInt64 = 1

        init(keyCount: Int, exponent: Double) {
            var sum = 0.0
            sums = (1...keyCount).map { rank in
                sum += pow(Double(rank), -exponent)
                return sum
            }
        }

        mutating func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let wanted = Double(state >> 11) / Double(1 << 53) * sums[sums.count - 1]
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

    /// The paper's algorithm, written in Python, finds 45.07 per cent on the same requests, "least recently used" 34.23.
    @Test(arguments: [1, 8])
    func onePerCentOfAHundredThousandKeysAnswerAsASimulationOfS3FIFO(_ shardCount: Int) {
        let keyCount = 100_000
        var zipf = Zipf(keyCount: keyCount, exponent: 0.9)
        let cache = MemoryCache<Int>(byteCount: keyCount / 100, shardCount: shardCount)
        let ratio = ratio(cache, keys(keyCount), { zipf.next() }, 1_000_000)
        #expect(abs(ratio - 45.07) < 0.3)
    }

    /// After each 100,000 requests come 20,000 keys that nobody asks for again. The same simulation finds 55.60 per cent, "least
    /// recently used" 48.76.
    @Test(arguments: [1, 8])
    func tenScansHarmAsLittleAsInASimulationOfS3FIFO(_ shardCount: Int) {
        let keyCount = 100_000
        var (zipf, step) = (Zipf(keyCount: keyCount, exponent: 0.9), 0)
        let cache = MemoryCache<Int>(byteCount: keyCount / 10, shardCount: shardCount)
        let ratio = ratio(
            cache, keys(keyCount + 200_000),
            {
                defer { step += 1 }
                let (round, place) = step.quotientAndRemainder(dividingBy: 120_000)
                return place < 100_000 ? zipf.next() : keyCount + round * 20_000 + place - 100_000
            }, 1_200_000)
        #expect(abs(ratio - 55.6) < 0.3)
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
