import ImageCaching
import Testing

@Suite struct DiskIndexTests {
    private func record(_ words: SIMD4<UInt64>) -> DiskRecord {
        DiskRecord(name: EntryName(words: words), byteCount: 4096, usedAt: 1, savedAt: 1)
    }

    @Test func aBeginningIsKnownAsLongAsAnyNameBeginsSo() {
        var index = DiskIndex()
        let (one, other) = (record(SIMD4(5, 1, 0, 0)), record(SIMD4(5, 2, 0, 0)))
        #expect(!index.hasName(beginningWith: 5))
        for record in [one, other, one] { index.insert(record) }
        #expect(index.count == 2 && index.hasName(beginningWith: 5) && !index.hasName(beginningWith: 1))
        index.remove(one.name)
        index.remove(one.name)
        #expect(index.hasName(beginningWith: 5) && index.record(one.name) == nil && index.record(other.name) == other)
        index.remove(other.name)
        #expect(!index.hasName(beginningWith: 5) && index.count == 0 && index.oldest == nil)
    }

    /// Whoever may write to the folder may set the times of its files.
    @Test func timesAtTheEndsOfTheRangeAreTimes() {
        for usedAt in [Int64.min, .max] {
            let name = EntryName(words: SIMD4(1, 2, 3, 4))
            let record = DiskRecord(name: name, byteCount: 4096, usedAt: usedAt, savedAt: usedAt)
            var index = DiskIndex(inOrder: [record], now: 1_800_000_000)
            #expect(index.oldest?.usedAt ?? 0 <= 1_800_000_000)
            let isToBeSaved = index.use(name, now: 1_800_000_000)
            #expect(isToBeSaved)
            #expect(index.oldest?.usedAt == 1_800_000_000)
        }
    }

    @Test func aNameIsSpelledInDigitsThatLeadBackToIt() throws {
        let name = EntryName(of: CacheKey(source: "picture", variant: "w10"))
        #expect(name.text.count == 64 && EntryName(text: name.text) == name)
        #expect(EntryName(text: Array("0".utf8)) == nil)
        #expect(EntryName(of: CacheKey(source: "picturew", variant: "10")) != name)
    }
}
