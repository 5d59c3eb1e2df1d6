import CodecTestSupport
import Foundation
import ImageCaching
import ImageCodecsCore
import Testing

@Suite struct DiskCacheTests {
    private func key(_ number: Int) -> CacheKey { CacheKey(source: "https://example.org/\(number).jpg") }

    private func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(number))
        return random.bytes(count)
    }

    @Test func anEntryComesBackWithWhatItsOwnerSaid() throws {
        let folder = CacheFolderForTests()
        let clock = SettableClock()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20, clock: clock.clock)
        #expect(cache.entry(for: key(1)) == nil)
        try cache.insert(
            DiskEntry(bytes: [1, 2, 3], attributes: ["type": "image/png", "ETag": "\"ä\""], freshFor: .seconds(60)),
            for: key(1))
        let entry = try #require(cache.entry(for: key(1)))
        #expect(entry.array == [1, 2, 3])
        #expect(entry.attributes == ["type": "image/png", "ETag": "\"ä\""])
        #expect(entry.storedAt == .seconds(1_800_000_000) && entry.freshFor == .seconds(60))
        #expect(cache.contains(key(1)) && !cache.contains(key(2)))
        #expect(cache.entry(for: key(1).with(variant: "w100")) == nil)
        try cache.insert(DiskEntry([]), for: key(1))
        #expect(cache.entry(for: key(1))?.array == [])
        cache.remove(key(1))
        #expect(cache.entry(for: key(1)) == nil)
        #expect(cache.statistics.byteCount == 0 && folder.files.isEmpty)
    }

    @Test func anyTextIsAKey() throws {
        let folder = CacheFolderForTests()
        let sources = [
            "", "\u{0}", "a\u{0}b", "a", "a\n", "../../etc/passwd", "/", "ab/cdef", "part-1-x", "state", "index",
        ]
        let long = String(repeating: "x", count: 1 << 20)
        let keys = (sources + [long, long + "x"]).flatMap { text in
            [CacheKey(source: text), CacheKey(source: "v", variant: text + "!")]
        }
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 16 << 20)
            for (number, key) in zip(0..., keys) { try cache.insert(DiskEntry(bytes: [UInt8(number)]), for: key) }
        }
        let cache = try DiskCache(path: folder.path, byteCount: 16 << 20)
        #expect(cache.statistics.entryCount == keys.count)
        #expect(folder.files.allSatisfy { $0.path.hasPrefix(folder.path) })
        for (number, key) in zip(0..., keys) { #expect(cache.entry(for: key)?.array == [UInt8(number)]) }
        #expect(cache.entry(for: CacheKey(source: long + "y")) == nil)
    }

    /// What a process has inserted since this one counted files is found, though the index has no name like it.
    @Test func whatAnotherCacheInsertsIsFoundAtOnce() throws {
        let folder = CacheFolderForTests()
        let one = try DiskCache(path: folder.path, byteCount: 1 << 20)
        let other = try DiskCache(path: folder.path, byteCount: 1 << 20)
        #expect(other.entry(for: key(1)) == nil && !other.contains(key(1)))
        try one.insert(DiskEntry([1]), for: key(1))
        #expect(other.contains(key(1)) && other.entry(for: key(1))?.array == [1])
        one.remove(key(1))
        #expect(other.entry(for: key(1)) == nil && other.statistics.missCount == 2)
    }

    @Test func aFileLongerThanTheCacheIsNotReadAndRemoved() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try cache.insert(DiskEntry([1]), for: key(1))
        let file = try #require(folder.files.first)
        // Two gibibytes that take no room.
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 31)
        try handle.close()
        #expect(cache.entry(for: key(1)) == nil)
        #expect(folder.files.isEmpty)
    }

    @Test(arguments: [false, true])
    func entriesOutliveTheCache(_ isClosed: Bool) throws {
        let folder = CacheFolderForTests()
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            for number in 0..<20 { try cache.insert(DiskEntry(bytes(number, 5000)), for: key(number)) }
            if isClosed { cache.close() }
        }
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        #expect(cache.statistics.entryCount == 20)
        #expect(cache.statistics.byteCount == folder.allocatedByteCount)
        for number in 0..<20 { #expect(cache.entry(for: key(number))?.array == bytes(number, 5000)) }
        #expect(cache.statistics.missCount == 0)
    }

    @Test func theIndexOfAClosedCacheIsNotBelievedAfterFurtherInsertions() throws {
        let folder = CacheFolderForTests()
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            try cache.insert(DiskEntry([1]), for: key(1))
            cache.close()
            try cache.insert(DiskEntry([2]), for: key(2))
        }
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        #expect(cache.statistics.entryCount == 2)
        #expect(cache.entry(for: key(2))?.array == [2])
    }

    @Test func useIsCountedInBlocksAndNeverPassesTheLimitAcrossRestarts() throws {
        let folder = CacheFolderForTests()
        var random = SeededRandom(seed: 6)
        let limit = 400_000
        for round in 0..<6 {
            let cache = try DiskCache(path: folder.path, byteCount: limit)
            #expect(cache.statistics.byteCount == folder.allocatedByteCount)
            for _ in 0..<60 {
                let number = Int.random(in: 0..<100, using: &random)
                let count = Int.random(in: 0..<40_000, using: &random)
                try cache.insert(DiskEntry(bytes(number, count)), for: key(number))
                #expect(folder.allocatedByteCount <= limit)
            }
            #expect(cache.statistics.byteCount == folder.allocatedByteCount)
            #expect(folder.allocatedByteCount > limit / 2)
            if round % 2 == 0 { cache.close() }
        }
    }

    @Test func theEntryNotUsedForTheLongestTimeGoesFirst() throws {
        let folder = CacheFolderForTests()
        let clock = SettableClock()
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 4 * 4096, clock: clock.clock)
            for number in 0..<4 { try cache.insert(DiskEntry(bytes(number, 100)), for: key(number)) }
            clock.advance(by: .seconds(7200))
            #expect(cache.entry(for: key(0)) != nil)
            try cache.insert(DiskEntry([4]), for: key(4))
            #expect(cache.contains(key(0)) && !cache.contains(key(1)) && cache.contains(key(2)))
            cache.close()
        }
        // The order is still known after a restart, and from the times of files if the index is lost.
        for isIndexLost in [false, true] {
            if isIndexLost { try? FileManager.default.removeItem(atPath: folder.path + "/index") }
            let cache = try DiskCache(path: folder.path, byteCount: 4 * 4096, clock: clock.clock)
            clock.advance(by: .seconds(7200))
            #expect(cache.entry(for: key(0)) != nil)
            try cache.insert(DiskEntry([9]), for: key(isIndexLost ? 6 : 5))
            #expect(cache.contains(key(0)))
            #expect(!cache.contains(key(isIndexLost ? 3 : 2)))
            if !isIndexLost { cache.close() }
        }
    }

    @Test func anEntryThatNobodyUsesGoesWithTheNextInsertion() throws {
        let folder = CacheFolderForTests()
        let clock = SettableClock()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20, maxAge: .seconds(100), clock: clock.clock)
        try cache.insert(DiskEntry([1]), for: key(1))
        try cache.insert(DiskEntry([2]), for: key(2))
        clock.advance(by: .seconds(90))
        #expect(cache.entry(for: key(1)) != nil)
        clock.advance(by: .seconds(20))
        #expect(cache.entry(for: key(2)) == nil)
        try cache.insert(DiskEntry([3]), for: key(3))
        #expect(folder.files.count == 2)
        #expect(cache.entry(for: key(1)) != nil)
        clock.advance(by: .seconds(200))
        cache.removeExpired()
        #expect(folder.files.isEmpty && cache.statistics.byteCount == 0)
    }

    @Test func aClockSetBackMakesNoEntryImmortal() throws {
        let folder = CacheFolderForTests()
        let clock = SettableClock()
        let year = Duration.seconds(365 * 86_400)
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20, maxAge: .seconds(100), clock: clock.clock)
        clock.advance(by: year)
        for number in 0..<5 {
            try cache.insert(
                DiskEntry(bytes: [UInt8(number)], freshFor: .seconds(1000)), for: key(number))
        }
        #expect(cache.entry(for: key(0))?.isFresh(at: clock.clock.now()) == true)
        clock.advance(by: .zero - year)
        // Nobody knows how old it is.
        #expect(cache.entry(for: key(0))?.isFresh(at: clock.clock.now()) == false)
        try cache.insert(DiskEntry([9]), for: key(9))
        clock.advance(by: .seconds(101))
        try cache.insert(DiskEntry([10]), for: key(10))
        #expect(cache.statistics.entryCount == 1 && folder.files.count == 1)
        // The same if the cache was opened meanwhile.
        clock.advance(by: .zero - year)
        let again = try DiskCache(path: folder.path, byteCount: 1 << 20, maxAge: .seconds(100), clock: clock.clock)
        #expect(again.statistics.entryCount == 1)
        clock.advance(by: .seconds(101))
        try again.insert(DiskEntry([11]), for: key(11))
        #expect(again.statistics.entryCount == 1)
    }

    @Test func freshnessEndsWithItsTime() throws {
        let entry = DiskEntry(bytes: [], storedAt: .seconds(100), freshFor: .seconds(10))
        #expect(entry.isFresh(at: .seconds(100)) && entry.isFresh(at: .seconds(109)))
        #expect(!entry.isFresh(at: .seconds(110)) && !entry.isFresh(at: .seconds(99)))
        #expect(!DiskEntry(bytes: [], storedAt: .seconds(100)).isFresh(at: .seconds(100)))
    }

    @Test func anEntryLargerThanTheCacheIsRefusedAndChangesNothing() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 8192)
        try cache.insert(DiskEntry([1]), for: key(1))
        #expect(throws: ImageError.limitExceeded(.input, requested: 12_288, allowed: 8192)) {
            try cache.insert(DiskEntry(bytes(2, 9000)), for: key(2))
        }
        #expect(cache.entry(for: key(1))?.array == [1])
    }

    @Test func trimmingAndRemovingAllKeepCount() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        for number in 0..<10 { try cache.insert(DiskEntry(bytes(number, 4000)), for: key(number)) }
        cache.trim(to: 12_288)
        #expect(cache.statistics.entryCount == 3 && folder.allocatedByteCount == 12_288)
        #expect(cache.entry(for: key(9)) != nil)
        cache.removeAll()
        #expect(folder.files.isEmpty && cache.statistics.byteCount == 0)
        try cache.insert(DiskEntry([1]), for: key(1))
        #expect(cache.entry(for: key(1)) != nil)
    }

    @Test func aFolderThatCannotBeMadeIsAnError() {
        #expect(throws: ImageError.self) { try DiskCache(path: "/dev/null/cache", byteCount: 1) }
    }

    @Test func aFullDiskLeavesTheOldEntryAndNoRest() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try cache.insert(DiskEntry([1]), for: key(1))
        let place = try #require(folder.files.first).deletingLastPathComponent()
        // A folder of the entry's name cannot be replaced by a file.
        let name = try #require(folder.files.first)
        try FileManager.default.removeItem(at: name)
        try FileManager.default.createDirectory(at: name, withIntermediateDirectories: false)
        #expect(throws: ImageError.self) { try cache.insert(DiskEntry([2]), for: key(1)) }
        #expect(folder.files.isEmpty && FileManager.default.fileExists(atPath: place.path))
    }

    @Test func manyTasksReadWholeEntriesOnly() async throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 200_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    for _ in 0..<300 {
                        let number = Int.random(in: 0..<40, using: &random)
                        if let entry = cache.entry(for: key(number)) {
                            #expect(entry.array.allSatisfy { $0 == UInt8(number) })
                        }
                        let count = Int.random(in: 0..<20_000, using: &random)
                        try cache.insert(DiskEntry([UInt8](repeating: UInt8(number), count: count)), for: key(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cache.statistics.damageCount == 0)
        #expect(folder.allocatedByteCount <= 200_000)
        #expect(cache.statistics.byteCount == folder.allocatedByteCount)
    }

    @Test(arguments: [false, true]) func aFolderThatIsRemovedIsMadeAgain(_ isEmptied: Bool) throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        for number in 0..<3 { try cache.insert(DiskEntry(bytes(number, 5000)), for: key(number)) }
        if isEmptied {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
            }
        } else {
            try FileManager.default.removeItem(at: folder.url)
        }
        #expect(cache.entry(for: key(0)) == nil)
        try cache.insert(DiskEntry(bytes(7, 3000)), for: key(7))
        #expect(cache.entry(for: key(7))?.array == bytes(7, 3000))
        // Nothing of what was there is counted any more.
        #expect(cache.statistics.entryCount == 1)
        #expect(cache.statistics.byteCount == folder.allocatedByteCount)
        #expect(!cache.contains(key(1)))
        cache.close()
        let next = try DiskCache(path: folder.path, byteCount: 1 << 20)
        #expect(next.entry(for: key(7))?.array == bytes(7, 3000))
    }

    @Test func aFolderThatAnotherCacheHasMadeAnewIsShared() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try cache.insert(DiskEntry(bytes(0, 5000)), for: key(0))
        try FileManager.default.removeItem(at: folder.url)
        let other = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try other.insert(DiskEntry(bytes(1, 9000)), for: key(1))
        try cache.insert(DiskEntry(bytes(2, 5000)), for: key(2))
        for number in 1...2 {
            #expect(cache.entry(for: key(number)) != nil)
            #expect(other.entry(for: key(number)) != nil)
        }
        #expect(cache.entry(for: key(0)) == nil)
        #expect(cache.statistics.byteCount == folder.allocatedByteCount)
        #expect(other.statistics.byteCount == folder.allocatedByteCount)
    }

    @Test func anEntryTakesThePlaceOfTheOneBeforeAndItsBytes() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        for count in [100_000, 10, 50_000] {
            try cache.insert(DiskEntry(bytes(count, count)), for: key(1))
            #expect(cache.entry(for: key(1))?.array == bytes(count, count))
            #expect(cache.statistics.entryCount == 1 && folder.files.count == 1)
            #expect(cache.statistics.byteCount == folder.allocatedByteCount)
        }
    }

    @Test func removingWhatIsNotThereChangesNothing() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try cache.insert(DiskEntry(bytes(1, 1000)), for: key(1))
        cache.remove(key(2))
        #expect(cache.contains(key(1)) && cache.statistics.byteCount == folder.allocatedByteCount)
        cache.remove(key(1))
        cache.remove(key(1))
        #expect(!cache.contains(key(1)) && cache.entry(for: key(1)) == nil)
        #expect(cache.statistics.byteCount == 0 && folder.files.isEmpty)
        try cache.insert(DiskEntry(bytes(3, 1000)), for: key(1))
        #expect(cache.entry(for: key(1))?.array == bytes(3, 1000))
    }

    @Test func foldersAboveItAreMadeToo() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path + "/of/this/program", byteCount: 1 << 20)
        try cache.insert(DiskEntry([1]), for: key(1))
        #expect(folder.files.count == 1 && cache.entry(for: key(1))?.array == [1])
    }

    @Test func whatFitsStaysAndAnEmptyCacheHasNothingToRemove() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        for _ in 0..<2 {
            cache.trim(to: 0)
            cache.removeExpired()
            cache.removeAll()
            #expect(cache.statistics == DiskCacheStatistics())
        }
        for number in 0..<3 { try cache.insert(DiskEntry(bytes(number, 4000)), for: key(number)) }
        cache.trim(to: cache.statistics.byteCount)
        cache.removeExpired()
        #expect(cache.statistics.entryCount == 3 && cache.statistics.evictionCount == 0)
        for number in 0..<3 { #expect(cache.entry(for: key(number))?.array == bytes(number, 4000)) }
    }

    @Test func aKeyThatIsRemovedWithAllAndWrittenAgainIsThere() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 4 << 20)
        for round in 0..<3 {
            try cache.insert(DiskEntry(bytes(round, 500_000)), for: key(1))
            #expect(cache.entry(for: key(1))?.array == bytes(round, 500_000))
            cache.removeAll()
            #expect(cache.entry(for: key(1)) == nil && !cache.contains(key(1)) && folder.files.isEmpty)
        }
    }
}
