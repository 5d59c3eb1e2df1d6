// What a disk cache knows of its files without looking: which there are, how much room they take, which was used last.

/// One file, as an index knows it.
package struct DiskRecord: Hashable, Sendable {
    package let name: EntryName
    /// Bytes on the disk, in whole blocks.
    package var byteCount: Int
    /// When it was used last, seconds since 1970.
    package var usedAt: Int64
    /// The time of use that its file has, seconds since 1970.
    package var savedAt: Int64

    package init(name: EntryName, byteCount: Int, usedAt: Int64, savedAt: Int64) {
        (self.name, self.byteCount, self.usedAt, self.savedAt) = (name, byteCount, usedAt, savedAt)
    }
}

/// Files by name, and in the order of their last use. A plain value: whoever holds it locks.
package struct DiskIndex: Sendable {
    private var slots: [EntryName: Int32] = [:]
    private var records = Slots<DiskRecord>()
    /// Files by the beginnings of their names, which are known sooner than the rest.
    private var beginningCounts: [UInt64: Int32] = [:]
    private var links = SlotLinks()
    /// The one not used for the longest time first.
    private var order = SlotLinks.Queue()
    /// The latest time that the clock has shown.
    private var latest = Int64.min

    private static let noRecord = DiskRecord(name: EntryName(words: .zero), byteCount: 0, usedAt: 0, savedAt: 0)

    package init() {}

    /// - Parameter records: the one not used for the longest time first.
    package init(inOrder records: [DiskRecord], now: Int64) {
        for record in records { insert(record) }
        latest = .max
        noteTime(now)
    }

    package var count: Int { records.count }

    /// The one not used for the longest time first.
    var recordsInOrder: [DiskRecord] {
        var result: [DiskRecord] = []
        var next = order.first >= 0 ? order.first : nil
        while let slot = next {
            result.append(records[slot])
            next = links.next(after: slot)
        }
        return result
    }

    /// What was found in the folder, with the times of use and the order that this index knows better than files say.
    func updated(with found: [DiskRecord], now: Int64) -> DiskIndex {
        var ranks: [EntryName: Int] = [:]
        for (rank, record) in recordsInOrder.enumerated() { ranks[record.name] = rank }
        let records = found.map { record in
            var record = record
            if let known = self.record(record.name) { record.usedAt = max(record.usedAt, known.usedAt) }
            return (rank: ranks[record.name] ?? -1, record: record)
        }
        let inOrder = records.sorted { ($0.record.usedAt, $0.rank) < ($1.record.usedAt, $1.rank) }
        return DiskIndex(inOrder: inOrder.map(\.record), now: now)
    }

    package func record(_ name: EntryName) -> DiskRecord? { slots[name].map { records[$0] } }

    /// Whether there is a file whose name begins so.
    package func hasName(beginningWith beginning: UInt64) -> Bool { beginningCounts[beginning] != nil }

    /// Adds a record, or replaces that of the same name, as the one used last.
    package mutating func insert(_ record: DiskRecord) {
        if let slot = slots[record.name] {
            records[slot] = record
            order.remove(slot, in: &links)
            order.append(slot, in: &links)
            return
        }
        let slot = records.insert(record)
        links.addSlot(slot)
        slots[record.name] = slot
        beginningCounts[record.name.beginning, default: 0] += 1
        order.append(slot, in: &links)
    }

    package mutating func remove(_ name: EntryName) {
        guard let slot = slots.removeValue(forKey: name) else { return }
        let rest = (beginningCounts[name.beginning] ?? 0) - 1
        beginningCounts[name.beginning] = rest > 0 ? rest : nil
        records.remove(slot, leaving: Self.noRecord)
        order.remove(slot, in: &links)
    }

    /// Records a use.
    ///
    /// - Returns: whether the file should be given the time of it, as its own is more than an hour off.
    package mutating func use(_ name: EntryName, now: Int64) -> Bool {
        guard let slot = slots[name] else { return false }
        order.remove(slot, in: &links)
        order.append(slot, in: &links)
        records[slot].usedAt = now
        let (age, isOverflow) = now.subtractingReportingOverflow(records[slot].savedAt)
        guard isOverflow || age.magnitude >= 3600 else { return false }
        records[slot].savedAt = now
        return true
    }

    /// The file not used for the longest time.
    package var oldest: DiskRecord? { order.first >= 0 ? records[order.first] : nil }

    /// Brings the times of use up to the clock: if it was set back, what was used later counts as used now, so that it ages
    /// from here on.
    mutating func noteTime(_ now: Int64) {
        if now < latest {
            for slot in slots.values {
                records[slot].usedAt = min(records[slot].usedAt, now)
            }
        }
        latest = now
    }
}
