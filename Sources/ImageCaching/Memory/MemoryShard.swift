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
    private struct Slot {
        /// An empty key if the slot is free.
        var key: CacheKey
        /// `nil` if the slot is free.
        var value: StoredValue?
        var cost: Int
        /// Hits since it came, or came into the main queue; 3 stands for more.
        var useCount: UInt8 = 0
        var isMain: Bool
    }

    private var numbers: [CacheKey: Int32] = [:]
    private var slots: [Slot] = []
    private var freeSlots: [Int32] = []
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
    private static let noKey = CacheKey(source: "")

    /// Entries.
    var count: Int { numbers.count }

    /// The value for a key, which counts as a use.
    mutating func value(for key: CacheKey) -> StoredValue? {
        guard let number = numbers[key] else {
            missCount += 1
            return nil
        }
        hitCount += 1
        let index = Int(number)
        if slots[index].useCount < Self.mostUses { slots[index].useCount += 1 }
        return slots[index].value
    }

    /// Whether there is an entry; does not count as a use.
    func contains(_ key: CacheKey) -> Bool { numbers[key] != nil }

    /// Adds an entry, or gives the one for the key another value.
    ///
    /// - Returns: the value that was replaced.
    mutating func insert(_ value: StoredValue, for key: CacheKey, cost: Int) -> StoredValue? {
        if let number = numbers[key] {
            let index = Int(number)
            let change = cost - slots[index].cost
            let old = slots[index].value
            slots[index].value = value
            slots[index].cost = cost
            self.cost += change
            if !slots[index].isMain { smallCost += change }
            return old
        }
        let isMain = ghosts.remove(key.hash, limit: main.count)
        let number = takeSlot(Slot(key: key, value: value, cost: cost, isMain: isMain))
        numbers[key] = number
        self.cost += cost
        if isMain {
            main.append(number, in: &links)
        } else {
            small.append(number, in: &links)
            smallCost += cost
        }
        return nil
    }

    private mutating func takeSlot(_ slot: Slot) -> Int32 {
        if let number = freeSlots.popLast() {
            slots[Int(number)] = slot
            return number
        }
        let number = Int32(slots.count)
        slots.append(slot)
        links.addSlot(number)
        return number
    }

    /// Removes the entry for a key; answers its value and cost.
    mutating func remove(_ key: CacheKey) -> (value: StoredValue, cost: Int)? {
        numbers[key].flatMap { removeSlot($0) }
    }

    private mutating func removeSlot(_ number: Int32) -> (value: StoredValue, cost: Int)? {
        let index = Int(number)
        guard let value = slots[index].value else { return nil }
        let cost = slots[index].cost
        numbers[slots[index].key] = nil
        self.cost -= cost
        if slots[index].isMain {
            main.remove(number, in: &links)
        } else {
            small.remove(number, in: &links)
            smallCost -= cost
        }
        slots[index] = Slot(key: Self.noKey, value: nil, cost: 0, isMain: false)
        freeSlots.append(number)
        return (value, cost)
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
        let (number, index) = (small.first, Int(small.first))
        guard slots[index].useCount > 1 else {
            ghosts.add(slots[index].key.hash, limit: main.count)
            return removeSlot(number)
        }
        small.remove(number, in: &links)
        main.append(number, in: &links)
        smallCost -= slots[index].cost
        slots[index].isMain = true
        slots[index].useCount = 0
        return nil
    }

    /// Removes the entry that is first in the main queue, or makes it the last.
    private mutating func takeFromMain() -> (value: StoredValue, cost: Int)? {
        let (number, index) = (main.first, Int(main.first))
        guard slots[index].useCount > 0 else { return removeSlot(number) }
        slots[index].useCount -= 1
        main.remove(number, in: &links)
        main.append(number, in: &links)
        return nil
    }
}
