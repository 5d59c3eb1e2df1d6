// The memory cache without the type of its values: shards, each under its lock, and what all of them cost.

import Synchronization

/// Entries of any class, shared among shards by the hashes of their keys.
///
/// The limit holds for all shards together. Whoever adds an entry makes room in the same shard, or if nothing is left there in
/// the next.
@usableFromInline
final class MemoryStore: Sendable {
    private final class LockedShard: Sendable {
        let state = Mutex(MemoryShard())
    }

    let byteCount: Int
    let maxEntryByteCount: Int
    private let shards: [LockedShard]
    private let used = Atomic<Int>(0)

    init(byteCount: Int, maxEntryByteCount: Int, shardCount: Int) {
        self.byteCount = max(0, byteCount)
        self.maxEntryByteCount = min(maxEntryByteCount, self.byteCount)
        shards = (0..<max(1, shardCount)).map { _ in LockedShard() }
    }

    /// The shard goes by upper bits of the hash; tables within a shard by others.
    private func shardIndex(_ key: CacheKey) -> Int {
        Int(truncatingIfNeeded: ((UInt64(UInt(bitPattern: key.hash)) &>> 48) &* UInt64(shards.count)) &>> 16)
    }

    @usableFromInline
    func value(for key: CacheKey) -> StoredValue? {
        shards[shardIndex(key)].state.withLock { $0.value(for: key) }
    }

    func contains(_ key: CacheKey) -> Bool {
        shards[shardIndex(key)].state.withLock { $0.contains(key) }
    }

    /// Adds an entry and removes others until all fit; `false` if it is larger than an entry may be, when the one for the key
    /// is removed.
    ///
    /// - Parameter gone: is called with what leaves, after locks are open: freeing a picture takes time.
    @usableFromInline
    func insert(_ value: StoredValue, for key: CacheKey, cost: Int, gone: (StoredValue) -> Void) -> Bool {
        let cost = max(1, cost)
        guard cost <= maxEntryByteCount else {
            if let removed = remove(key) { gone(removed) }
            return false
        }
        let index = shardIndex(key)
        // One goes for one that comes most often.
        let (old, victim) = shards[index].state.withLock { shard -> (StoredValue?, StoredValue?) in
            let before = shard.cost
            let old = shard.insert(value, for: key, cost: cost)
            let sum = used.add(shard.cost - before, ordering: .relaxed).newValue
            guard sum > byteCount, shard.count > 1, let victim = shard.evict() else { return (old, nil) }
            used.subtract(victim.cost, ordering: .relaxed)
            return (old, victim.value)
        }
        if let old { gone(old) }
        if let victim { gone(victim) }
        makeRoom(from: index, gone)
        return true
    }

    @usableFromInline
    func remove(_ key: CacheKey) -> StoredValue? {
        let removed = shards[shardIndex(key)].state.withLock { $0.remove(key) }
        if let removed { used.subtract(removed.cost, ordering: .relaxed) }
        return removed?.value
    }

    /// Removes entries until all cost `limit` at most.
    func trim(to limit: Int) {
        var (index, emptyCount) = (0, 0)
        while used.load(ordering: .relaxed) > limit, emptyCount < shards.count {
            emptyCount = evictOne(from: index, keepingLast: false) == nil ? emptyCount + 1 : 0
            index = (index + 1) % shards.count
        }
    }

    /// Removes entries after one was added to shard `first`: others of that shard, then those of the next shards.
    private func makeRoom(from first: Int, _ gone: (StoredValue) -> Void) {
        for step in 0..<shards.count {
            let index = (first + step) % shards.count
            while true {
                if used.load(ordering: .relaxed) <= byteCount { return }
                guard let victim = evictOne(from: index, keepingLast: step == 0) else { break }
                gone(victim)
            }
        }
    }

    /// Removes the entry of a shard whose turn it is; `nil` if there is none, or only one that is to be kept.
    private func evictOne(from index: Int, keepingLast: Bool) -> StoredValue? {
        let victim = shards[index].state.withLock { shard in
            keepingLast && shard.count < 2 ? nil : shard.evict()
        }
        if let victim { used.subtract(victim.cost, ordering: .relaxed) }
        return victim?.value
    }

    var statistics: MemoryCacheStatistics {
        shards.reduce(into: MemoryCacheStatistics()) { sum, shard in
            shard.state.withLock { shard in
                sum.entryCount += shard.count
                sum.byteCount += shard.cost
                sum.hitCount += shard.hitCount
                sum.missCount += shard.missCount
                sum.evictionCount += shard.evictionCount
            }
        }
    }
}
