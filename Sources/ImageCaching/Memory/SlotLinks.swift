// Queues of slots that a slot can leave from the middle.

/// Who comes before and after a slot in its queue, for slots that are known by their numbers.
///
///     queue:  first ⇄ 3 ⇄ 0 ⇄ 7 ⇄ last
struct SlotLinks: Sendable {
    private var before: [Int32] = []
    private var after: [Int32] = []

    /// One queue; a slot is in one at most.
    struct Queue: Sendable {
        /// The slot that has been there longest; -1 if there is none.
        fileprivate(set) var first: Int32 = -1
        /// The slot that came last; -1 if there is none.
        fileprivate(set) var last: Int32 = -1
        fileprivate(set) var count = 0
    }

    /// Makes room for slot `number`.
    mutating func addSlot(_ number: Int32) {
        guard number >= before.count else { return }
        before.append(-1)
        after.append(-1)
    }

    mutating func append(_ slot: Int32, to queue: inout Queue) {
        before[Int(slot)] = queue.last
        after[Int(slot)] = -1
        if queue.last >= 0 { after[Int(queue.last)] = slot } else { queue.first = slot }
        queue.last = slot
        queue.count += 1
    }

    mutating func remove(_ slot: Int32, from queue: inout Queue) {
        let (previous, next) = (before[Int(slot)], after[Int(slot)])
        if previous >= 0 { after[Int(previous)] = next } else { queue.first = next }
        if next >= 0 { before[Int(next)] = previous } else { queue.last = previous }
        queue.count -= 1
    }

    /// The slot after another in its queue; `nil` for the last.
    func next(after slot: Int32) -> Int32? {
        let next = after[Int(slot)]
        return next >= 0 ? next : nil
    }
}
