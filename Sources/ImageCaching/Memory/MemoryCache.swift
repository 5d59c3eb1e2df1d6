// Values in memory, as many as fit into a number of bytes.

/// Keeps values in memory, at most a number of bytes of them, and answers at once: nothing here suspends or waits for a file.
///
/// Which entries go is decided by S3-FIFO: an entry that is used once (a scan through a folder) goes soon, one that comes back
/// or is used often stays. On popular and unpopular keys mixed it finds more than "least recently used" does; in a loop over
/// somewhat more than fits it finds little, as that does.
///
/// ```swift
/// let pictures = MemoryCache<Picture>(byteCount: 256 << 20)
/// pictures.insert(picture, for: key, cost: picture.byteCount)
/// let found = pictures.value(for: key)
/// ```
///
/// It may be used from all threads; entries are shared among locks by the hashes of their keys.
public struct MemoryCache<Value: Sendable>: Sendable {
    /// Holds a value of any type.
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value
        @usableFromInline init(_ value: Value) { self.value = value }
    }

    @usableFromInline let store: MemoryStore

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - byteCount: what all entries may cost together.
    ///   - maxEntryByteCount: a value that costs more is not kept; by default a quarter of `byteCount`, so that one picture
    ///     does not drive out all others.
    ///   - shardCount: how many locks share the entries; by default up to eight, one for each 32 MiB. A cache of few entries is
    ///     best with one.
    public init(byteCount: Int, maxEntryByteCount: Int? = nil, shardCount: Int? = nil) {
        store = MemoryStore(
            byteCount: byteCount, maxEntryByteCount: maxEntryByteCount ?? max(1, byteCount / 4),
            shardCount: shardCount ?? min(8, max(1, byteCount >> 25)))
    }

    /// What all entries may cost together.
    public var byteCount: Int { store.byteCount }

    /// The value for a key, if there is one. Counts as a use of the entry.
    @inlinable
    public func value(for key: CacheKey) -> Value? { (store.value(for: key) as? Box)?.value }

    /// Whether there is an entry for a key; does not count as a use.
    public func contains(_ key: CacheKey) -> Bool { store.contains(key) }

    /// Adds an entry, or replaces the one for the key; others go until all fit.
    ///
    /// - Parameters:
    ///   - value: what is kept.
    ///   - key: what it is found by.
    ///   - cost: bytes that it takes; less than 1 counts as 1.
    /// - Returns: Whether it is kept; if it costs more than one entry may, there is no entry for the key afterwards.
    @inlinable @discardableResult
    public func insert(_ value: Value, for key: CacheKey, cost: Int) -> Bool {
        store.insert(Box(value), for: key, cost: cost) { _ in }
    }

    /// The same, for an owner that holds a lock of its own.
    ///
    /// - Parameter gone: is called with what holds each value that leaves: to be freed when that lock is open.
    package func insert(_ value: Value, for key: CacheKey, cost: Int, gone: (any Sendable) -> Void) {
        _ = store.insert(Box(value), for: key, cost: cost) { gone($0) }
    }

    /// Removes the entry for a key.
    ///
    /// - Returns: its value.
    @inlinable @discardableResult
    public func remove(_ key: CacheKey) -> Value? { (store.remove(key) as? Box)?.value }

    /// Removes all entries.
    public func removeAll() { store.trim(to: 0) }

    /// Removes entries, those first whose turn it is, until the rest costs `byteCount` at most.
    public func trim(to byteCount: Int) { store.trim(to: byteCount) }

    /// Entries, their cost, and how often something was found.
    public var statistics: MemoryCacheStatistics { store.statistics }

    /// Halves what the cache holds whenever the system runs short of memory.
    ///
    /// - Returns: what watches, until the last reference to it is gone; `nil` if this system says nothing: see
    ///   ``MemoryPressure``.
    public func trimsUnderPressure() -> MemoryPressure? {
        let store = store
        return MemoryPressure { store.trim(to: store.statistics.byteCount / 2) }
    }
}

/// What a memory cache holds and how it was used, at one moment.
public struct MemoryCacheStatistics: Hashable, Sendable {
    /// Entries.
    public var entryCount = 0
    /// What they cost together.
    public var byteCount = 0
    /// How often a value was asked for that was there.
    public var hitCount = 0
    /// How often a value was asked for that was not there.
    public var missCount = 0
    /// Entries that went to make room.
    public var evictionCount = 0

    /// Creates statistics of an empty cache.
    public init() {}

    /// The part of what was asked for that was there, 0...1.
    public var hitRatio: Double {
        hitCount + missCount == 0 ? 0 : Double(hitCount) / Double(hitCount + missCount)
    }
}
