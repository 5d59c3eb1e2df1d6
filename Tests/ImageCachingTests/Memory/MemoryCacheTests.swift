import CodecTestSupport
import ImageCaching
import Synchronization
import Testing

@Suite struct MemoryCacheTests {
    private func key(_ number: Int) -> CacheKey { CacheKey(source: "picture \(number)") }

    private func cache(_ byteCount: Int) -> MemoryCache<Int> {
        MemoryCache(byteCount: byteCount, maxEntryByteCount: byteCount, shardCount: 1)
    }

    @Test func whatWasInsertedIsFoundUnderItsKeyAlone() {
        let cache = cache(100)
        cache.insert(1, for: CacheKey(source: "a", variant: "b"), cost: 1)
        #expect(cache.value(for: CacheKey(source: "a", variant: "b")) == 1)
        #expect(cache.value(for: CacheKey(source: "a")) == nil)
        #expect(cache.value(for: CacheKey(source: "ab")) == nil)
        #expect(cache.statistics.hitCount == 1 && cache.statistics.missCount == 2)
    }

    @Test func aSecondValueReplacesTheFirstAndItsCost() {
        let cache = cache(100)
        cache.insert(1, for: key(1), cost: 60)
        cache.insert(2, for: key(1), cost: 70)
        #expect(cache.value(for: key(1)) == 2)
        #expect(cache.statistics.byteCount == 70 && cache.statistics.entryCount == 1)
        #expect(cache.remove(key(1)) == 2)
        #expect(cache.remove(key(1)) == nil)
        #expect(cache.statistics.byteCount == 0)
    }

    @Test(arguments: [1, 2, 8])
    func costsNeverPassTheLimit(_ shardCount: Int) {
        let cache = MemoryCache<Int>(byteCount: 10_000, shardCount: shardCount)
        var random = SeededRandom(seed: 51)
        for number in 0..<20_000 {
            let picture = Int.random(in: 0..<500, using: &random)
            if cache.value(for: key(picture)) == nil {
                cache.insert(number, for: key(picture), cost: Int.random(in: 1...900, using: &random))
            }
            if number % 500 == 0 { #expect(cache.statistics.byteCount <= 10_000) }
        }
        #expect(cache.statistics.byteCount > 5_000)
    }

    @Test func anEntryLargerThanAllowedIsNotKeptAndTakesItsForerunnerAway() {
        let cache = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: 30)
        #expect(cache.insert(1, for: key(1), cost: 30))
        #expect(!cache.insert(2, for: key(1), cost: 31))
        #expect(cache.value(for: key(1)) == nil)
    }

    @Test func aLargeEntryDrivesOutThoseOfOtherShards() {
        let cache = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: 100, shardCount: 8)
        for number in 0..<100 { cache.insert(number, for: key(number), cost: 1) }
        cache.insert(-1, for: key(-1), cost: 100)
        #expect(
            cache.statistics
                == {
                    var only = MemoryCacheStatistics()
                    (only.entryCount, only.byteCount, only.evictionCount) = (1, 100, 100)
                    return only
                }())
        #expect(cache.value(for: key(-1)) == -1)
    }

    @Test func entriesUsedOnceGoBeforeThoseThatCameBack() {
        let cache = cache(100)
        for number in 0..<50 {
            cache.insert(number, for: key(number), cost: 1)
            for _ in 0..<2 { _ = cache.value(for: key(number)) }
        }
        // A scan ten times as long as there is room.
        for number in 1000..<2000 { cache.insert(number, for: key(number), cost: 1) }
        let left = (0..<50).count { cache.value(for: key($0)) != nil }
        #expect(left == 50)
    }

    @Test func aKeyThatComesBackSoonAfterItWentBeginsInTheMainQueue() {
        let cache = cache(20)
        // Twenty entries that were used fill the main queue, which sets how long the ghosts are.
        for number in 0..<20 {
            cache.insert(number, for: key(number), cost: 1)
            for _ in 0..<3 { _ = cache.value(for: key(number)) }
        }
        for number in 100..<110 { cache.insert(number, for: key(number), cost: 1) }
        // 100 went through the small queue without use; it is remembered.
        #expect(!cache.contains(key(100)))
        cache.insert(100, for: key(100), cost: 1)
        for number in 200..<210 { cache.insert(number, for: key(number), cost: 1) }
        #expect(cache.contains(key(100)))
    }

    @Test func trimmingKeepsWhatFits() {
        let cache = MemoryCache<Int>(byteCount: 1000, shardCount: 4)
        for number in 0..<100 { cache.insert(number, for: key(number), cost: 10) }
        cache.trim(to: 500)
        #expect(cache.statistics.byteCount == 500)
        cache.removeAll()
        #expect(cache.statistics.byteCount == 0 && cache.statistics.entryCount == 0)
    }

    @Test func valuesAreFreedWhenTheyGo() {
        final class Witness: Sendable {}
        let cache = MemoryCache<Witness>(byteCount: 10, shardCount: 1)
        weak var first: Witness?
        do {
            let witness = Witness()
            first = witness
            cache.insert(witness, for: key(0), cost: 2)
        }
        #expect(first != nil)
        for number in 1..<20 { cache.insert(Witness(), for: key(number), cost: 2) }
        #expect(first == nil)
    }

    @Test func manyThreadsSeeTheirOwnValuesOnly() async {
        let cache = MemoryCache<Int>(byteCount: 300, maxEntryByteCount: 10, shardCount: 4)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    for _ in 0..<20_000 {
                        let number = Int.random(in: 0..<1000, using: &random)
                        if let value = cache.value(for: key(number)) {
                            #expect(value == number)
                        } else {
                            cache.insert(number, for: key(number), cost: 1 + number % 7)
                        }
                        if number == 0 { cache.remove(key(number + 1)) }
                    }
                }
            }
        }
        #expect(cache.statistics.byteCount <= 300)
    }

    @Test func whatLeavesIsHandedToAnOwnerThatFreesItLater() {
        final class Value: Sendable {}
        let cache = MemoryCache<Value>(byteCount: 100, maxEntryByteCount: 100, shardCount: 2)
        weak var first: Value?
        var gone: [any Sendable] = []
        func insert(_ number: Int, cost: Int) -> Value {
            let value = Value()
            cache.insert(value, for: key(number), cost: cost) { gone.append($0) }
            return value
        }
        first = insert(0, cost: 10)
        #expect(gone.isEmpty && first != nil)
        // In its place; as it is too large for another; because it is too large itself.
        _ = insert(0, cost: 10)
        #expect(gone.count == 1 && first != nil)
        _ = insert(1, cost: 100)
        #expect(gone.count == 2 && cache.value(for: key(0)) == nil)
        _ = insert(1, cost: 101)
        #expect(gone.count == 3 && cache.value(for: key(1)) == nil && cache.statistics.byteCount == 0)
        gone = []
        #expect(first == nil)
    }

    @Test func anEntryOfAsMuchAsAllowedIsKept() {
        let cache = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: 40, shardCount: 1)
        #expect(cache.insert(1, for: key(1), cost: 40))
        #expect(!cache.insert(2, for: key(2), cost: 41))
        #expect(cache.contains(key(1)) && !cache.contains(key(2)))
        // A quarter of the cache if nothing is said.
        let other = MemoryCache<Int>(byteCount: 100, shardCount: 1)
        #expect(other.insert(1, for: key(1), cost: 25) && !other.insert(2, for: key(2), cost: 26))
    }

    @Test func aCacheOfNoBytesKeepsNothing() {
        let cache = cache(0)
        #expect(!cache.insert(1, for: key(1), cost: 0))
        #expect(cache.value(for: key(1)) == nil && cache.statistics.entryCount == 0)
    }

    @Test func removingAllLeavesAnEmptyCacheThatGoesOn() {
        let cache = cache(100)
        for number in 0..<10 { cache.insert(number, for: key(number), cost: 10) }
        cache.removeAll()
        cache.removeAll()
        #expect(cache.statistics.entryCount == 0 && cache.statistics.byteCount == 0)
        #expect((0..<10).allSatisfy { cache.value(for: key($0)) == nil })
        cache.insert(3, for: key(3), cost: 10)
        #expect(cache.value(for: key(3)) == 3 && cache.statistics.byteCount == 10)
    }

    @Test func writingOneKeyAgainAndAgainDrivesNobodyOut() {
        let cache = cache(2)
        for number in 0..<10 { cache.insert(number, for: key(1), cost: 1) }
        cache.insert(-1, for: key(2), cost: 1)
        for number in 10..<20 { cache.insert(number, for: key(1), cost: 1) }
        #expect(cache.statistics.entryCount == 2 && cache.statistics.evictionCount == 0)
        #expect(cache.value(for: key(1)) == 19 && cache.value(for: key(2)) == -1)
    }

    @Test func anEntryMayCostNoMoreThanTheCacheWhateverIsSaid() {
        let cache = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: 1000, shardCount: 1)
        #expect(cache.insert(1, for: key(1), cost: 100) && !cache.insert(2, for: key(2), cost: 101))
        #expect(cache.contains(key(1)) && cache.statistics.byteCount == 100)
        let none = MemoryCache<Int>(byteCount: 100, maxEntryByteCount: -1, shardCount: 1)
        #expect(!none.insert(1, for: key(1), cost: 0) && !none.contains(key(1)))
    }

    @Test func whatCameFirstGoesFirstUnlessItWasUsedTwice() {
        let cache = cache(1000)
        for number in 1...4 { cache.insert(number, for: key(number), cost: 10) }
        for _ in 0..<2 { _ = cache.value(for: key(2)) }
        // Whether it is there is no use.
        for _ in 0..<2 { #expect(cache.contains(key(1))) }
        #expect(cache.statistics.hitCount == 2 && cache.statistics.missCount == 0)
        for gone in [1, 3, 4, 2] {
            #expect(cache.contains(key(gone)))
            cache.trim(to: cache.statistics.byteCount - 1)
            #expect(!cache.contains(key(gone)))
        }
        #expect(cache.statistics.entryCount == 0 && cache.statistics.evictionCount == 4)
    }
}
