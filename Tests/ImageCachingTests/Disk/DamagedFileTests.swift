import CodecTestSupport
import Foundation
import ImageCaching
import ImageCodecsCore
import Testing

/// Files of a cache that were cut or changed.
@Suite struct DamagedFileTests {
    private let key = CacheKey(source: "picture", variant: "w10")

    private func check(_ change: (Data) -> [Data]) throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        let entry = DiskEntry(bytes: [7, 8, 9, 10, 11], attributes: ["type": "image/gif"], freshFor: .seconds(9))
        try cache.insert(entry, for: key)
        let file = try #require(folder.files.first)
        let whole = try Data(contentsOf: file)
        #expect(cache.entry(for: key)?.array == [7, 8, 9, 10, 11])
        for damaged in change(whole) {
            try cache.insert(entry, for: key)
            let damageCount = cache.statistics.damageCount
            try damaged.write(to: file)
            #expect(cache.entry(for: key) == nil)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(cache.statistics.damageCount == damageCount + 1)
            #expect(cache.statistics.byteCount == 0)
            #expect(cache.entry(for: key) == nil)
        }
    }

    @Test func aFileCutAtAnyPlaceIsAMissAndRemoved() throws {
        try check { whole in (0..<whole.count).map { whole.prefix($0) } }
    }

    @Test func aByteChangedAtAnyPlaceIsAMissAndRemoved() throws {
        try check { whole in
            whole.indices.flatMap { index in
                [UInt8(1), 0x80, 0xFF].map { change in
                    var damaged = whole
                    damaged[index] ^= change
                    return damaged
                }
            }
        }
    }

    @Test func aFileThatIsLongerOrFullOfZerosIsAMissAndRemoved() throws {
        try check { whole in [whole + [0], whole + whole, Data(count: whole.count), Data(count: 4096)] }
    }

    @Test func theFileOfAnotherKeyIsAMissAndRemoved() throws {
        let folder = CacheFolderForTests()
        let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
        try cache.insert(DiskEntry([1]), for: key)
        let file = try #require(folder.files.first)
        let other = CacheKey(source: "picturew", variant: "10")
        try cache.insert(DiskEntry([2]), for: other)
        let second = try #require(folder.files.first { $0 != file })
        try Data(contentsOf: second).write(to: file)
        #expect(cache.entry(for: key) == nil)
        #expect(cache.entry(for: other)?.array == [2])
    }

    @Test func aDamagedIndexIsNotBelieved() throws {
        let folder = CacheFolderForTests()
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            try cache.insert(DiskEntry([1]), for: key)
            cache.close()
        }
        let index = folder.url.appendingPathComponent("index")
        let whole = try Data(contentsOf: index)
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 1
            try damaged.write(to: index)
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            #expect(cache.statistics.entryCount == 1)
            #expect(cache.entry(for: key)?.array == [1])
        }
    }

    /// What processes share: where the number of bytes in use is wrong, too much or too little would be removed.
    @Test func aDamagedStateIsNotBelieved() throws {
        let folder = CacheFolderForTests()
        do {
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            try cache.insert(DiskEntry([1]), for: key)
            cache.close()
        }
        let state = folder.url.appendingPathComponent("state")
        let whole = try Data(contentsOf: state)
        for place in 0..<32 {
            var damaged = whole
            damaged[place] ^= 0x55
            try damaged.write(to: state)
            let cache = try DiskCache(path: folder.path, byteCount: 1 << 20)
            #expect(cache.statistics.byteCount == folder.allocatedByteCount)
            #expect(cache.entry(for: key)?.array == [1])
            cache.close()
        }
    }
}
