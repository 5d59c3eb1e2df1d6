// A part of the memory cache: entries, and the order in which they go.
//
//   new ──▶ small queue ──▶ used more than once? ──▶ main queue ──▶ used since? ──▶ last in the main queue again
//              (a tenth)         │ no                                  │ no
//                                ▼                                     ▼
//                         out; its hash stays a while                 out
//                         and lets the key begin in the main queue
//
// S3-FIFO after Yang, Zhang, Qiu, Yue, Vinayak: "FIFO queues are all you need for cache eviction", SOSP 2023. A hit changes one
// small number; nothing is moved.

/// What a shard keeps: an object of any class.
@usableFromInline typealias StoredValue = any AnyObject & Sendable

/// Entries whose keys fall into one part of all hashes. A plain value: whoever holds it locks.
struct MemoryShard: Sendable {
    private struct Entry {
        var key: CacheKey
        /// `nil` if the entry has left.
        var value: StoredValue?
        var cost: Int
        /// Hits since it came, or came into the main queue; 3 stands for more.
        var useCount: UInt8 = 0
        var isMain: Bool
    }

    private var entries = Slots<Entry>()
    private var table = SlotTable()
    private var links = SlotLinks()
    private var small = SlotLinks.Queue()
    private var main = SlotLinks.Queue()
    private var ghosts = GhostTable()
    private var smallCost = 0
    /// The costs of all entries.
    private(set) var cost = 0
    private(set) var hitCount = 0
    private(set) var missCount = 0
    private(set) var evictionCount = 0

    private static let mostUses: UInt8 = 3
    private static let noEntry = Entry(key: CacheKey(source: ""), value: nil, cost: 0, isMain: false)

    /// Entries.
    var count: Int { entries.count }

    @inline(__always)
    private func slot(of key: CacheKey) -> Int32? { table.find(key.hash) { entries[$0].key == key } }

    /// The value for a key, which counts as a use.
    mutating func value(for key: CacheKey) -> StoredValue? {
        guard let slot = slot(of: key) else {
            missCount += 1
            return nil
        }
        hitCount += 1
        if entries[slot].useCount < Self.mostUses { entries[slot].useCount += 1 }
        return entries[slot].value
    }

    /// Whether there is an entry; does not count as a use.
    func contains(_ key: CacheKey) -> Bool { slot(of: key) != nil }

    /// Adds an entry, or gives the one for the key another value.
    ///
    /// - Returns: the value that was replaced.
    mutating func insert(_ value: StoredValue, for key: CacheKey, cost: Int) -> StoredValue? {
        if let slot = slot(of: key) {
            let change = cost - entries[slot].cost
            let old = entries[slot].value
            entries[slot].value = value
            entries[slot].cost = cost
            self.cost += change
            if !entries[slot].isMain { smallCost += change }
            return old
        }
        let isMain = ghosts.remove(key.hash, limit: main.count)
        let slot = entries.insert(Entry(key: key, value: value, cost: cost, isMain: isMain))
        links.addSlot(slot)
        table.insert(slot, key.hash)
        self.cost += cost
        if isMain {
            main.append(slot, in: &links)
        } else {
            small.append(slot, in: &links)
            smallCost += cost
        }
        return nil
    }

    /// Removes the entry for a key; answers its value and cost.
    mutating func remove(_ key: CacheKey) -> (value: StoredValue, cost: Int)? {
        slot(of: key).flatMap { removeEntry($0) }
    }

    private mutating func removeEntry(_ slot: Int32) -> (value: StoredValue, cost: Int)? {
        guard let value = entries[slot].value.take() else { return nil }
        table.remove(slot, entries[slot].key.hash)
        let entryCost = entries[slot].cost
        cost -= entryCost
        if entries[slot].isMain {
            main.remove(slot, in: &links)
        } else {
            small.remove(slot, in: &links)
            smallCost -= entryCost
        }
        entries.remove(slot, leaving: Self.noEntry)
        return (value, entryCost)
    }

    /// Removes the entry whose turn it is; `nil` if there is none.
    mutating func evict() -> (value: StoredValue, cost: Int)? {
        while count > 0 {
            // Each turn takes an entry out, moves it to the main queue for good, or lowers a number that is 3 at most.
            let isFromSmall = small.count > 0 && (smallCost * 10 >= cost || main.count == 0)
            if let victim = isFromSmall ? takeFromSmall() : takeFromMain() {
                evictionCount += 1
                return victim
            }
        }
        return nil
    }

    /// Removes the entry that is first in the small queue, or moves it to the main queue.
    private mutating func takeFromSmall() -> (value: StoredValue, cost: Int)? {
        let slot = small.first
        guard entries[slot].useCount > 1 else {
            ghosts.add(entries[slot].key.hash, limit: main.count)
            return removeEntry(slot)
        }
        small.remove(slot, in: &links)
        main.append(slot, in: &links)
        smallCost -= entries[slot].cost
        entries[slot].isMain = true
        entries[slot].useCount = 0
        return nil
    }

    /// Removes the entry that is first in the main queue, or makes it the last.
    private mutating func takeFromMain() -> (value: StoredValue, cost: Int)? {
        let slot = main.first
        guard entries[slot].useCount > 0 else { return removeEntry(slot) }
        entries[slot].useCount -= 1
        main.remove(slot, in: &links)
        main.append(slot, in: &links)
        return nil
    }
}
