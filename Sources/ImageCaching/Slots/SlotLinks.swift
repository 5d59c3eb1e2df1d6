// Queues of slots that a slot can leave from the middle.

/// Who comes before and after a slot in its queue, for slots that are known by their numbers.
///
///     queue:  first ⇄ 3 ⇄ 0 ⇄ 7 ⇄ last
package struct SlotLinks: Sendable {
    fileprivate var before: [Int32] = []
    fileprivate var after: [Int32] = []

    package init() {}

    /// Makes room for slot `number`.
    package mutating func addSlot(_ number: Int32) {
        guard number >= before.count else { return }
        before.append(-1)
        after.append(-1)
    }

    /// The slot after another in its queue; `nil` for the last.
    package func next(after slot: Int32) -> Int32? {
        let next = after[Int(slot)]
        return next >= 0 ? next : nil
    }

    /// One queue; a slot is in one at most.
    package struct Queue: Sendable {
        /// The slot that has been there longest; -1 if there is none.
        package private(set) var first: Int32 = -1
        /// The slot that came last; -1 if there is none.
        private var last: Int32 = -1
        package private(set) var count = 0

        package init() {}

        package mutating func append(_ slot: Int32, in links: inout SlotLinks) {
            links.before[Int(slot)] = last
            links.after[Int(slot)] = -1
            if last >= 0 { links.after[Int(last)] = slot } else { first = slot }
            last = slot
            count += 1
        }

        /// Adds a slot before all others.
        package mutating func prepend(_ slot: Int32, in links: inout SlotLinks) {
            links.before[Int(slot)] = -1
            links.after[Int(slot)] = first
            if first >= 0 { links.before[Int(first)] = slot } else { last = slot }
            first = slot
            count += 1
        }

        package mutating func remove(_ slot: Int32, in links: inout SlotLinks) {
            let (previous, next) = (links.before[Int(slot)], links.after[Int(slot)])
            if previous >= 0 { links.after[Int(previous)] = next } else { first = next }
            if next >= 0 { links.before[Int(next)] = previous } else { last = previous }
            count -= 1
        }
    }
}
