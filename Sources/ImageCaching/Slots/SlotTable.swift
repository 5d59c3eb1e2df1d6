// Slots found by hashes.

/// The slots of elements by the hashes of their keys, which the elements hold: a table with one number for each.
///
/// An entry stands at the place that the lower bits of its hash say, or at the next free one after it. Whoever asks compares keys, as
/// two may have equal hashes; hashes are seeded, so that nobody can make many keys of one.
///
///     entry, 64 bits:   | lower half of the hash | slot + 1 |      0: free
package struct SlotTable: Sendable {
    private var entries = [UInt64](repeating: 0, count: 16)
    /// Slots.
    package private(set) var count = 0

    package init() {}

    private var mask: Int { entries.count &- 1 }

    private static func entry(_ slot: Int32, _ hash: Int) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: hash)) << 32 | UInt64(UInt32(bitPattern: slot &+ 1))
    }

    /// Where the search for an entry begins.
    private func home(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry &>> 32) & mask }

    /// The slot of that hash which `isWanted`; `nil` if there is none.
    @inline(__always)
    package func find(_ hash: Int, where isWanted: (Int32) -> Bool) -> Int32? {
        let wanted = UInt32(truncatingIfNeeded: hash)
        var place = hash & mask
        while entries[place] != 0 {
            if UInt32(truncatingIfNeeded: entries[place] &>> 32) == wanted {
                let slot = Int32(truncatingIfNeeded: entries[place]) &- 1
                if isWanted(slot) { return slot }
            }
            place = (place &+ 1) & mask
        }
        return nil
    }

    /// Adds a slot that is not there.
    package mutating func insert(_ slot: Int32, _ hash: Int) {
        count += 1
        if count * 2 > entries.count { grow() }
        add(Self.entry(slot, hash))
    }

    private mutating func add(_ entry: UInt64) {
        var place = home(entry)
        while entries[place] != 0 { place = (place &+ 1) & mask }
        entries[place] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = [UInt64](repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 { add(entry) }
    }

    /// Removes a slot that is there. Entries after it move up, as far as their own places allow.
    package mutating func remove(_ slot: Int32, _ hash: Int) {
        let wanted = Self.entry(slot, hash)
        var hole = home(wanted)
        while entries[hole] != wanted { hole = (hole &+ 1) & mask }
        var next = (hole &+ 1) & mask
        while entries[next] != 0 {
            let distance = (next &- home(entries[next])) & mask
            if distance >= (next &- hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next &+ 1) & mask
        }
        entries[hole] = 0
        count -= 1
    }
}
