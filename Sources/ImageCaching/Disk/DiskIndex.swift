// What a disk cache knows of its files without looking: which there are, how much room they take, which was used last.

/// One file, as an index knows it.
struct DiskRecord: Hashable {
    let digest: Digest
    /// Bytes on the disk, in whole blocks.
    var byteCount: Int
    /// When it was used last, seconds since 1970.
    var usedAt: Int64
    /// The time of use that its file has, seconds since 1970.
    var savedAt: Int64
}

/// Files by digest, and in the order of their last use. A plain value: whoever holds it locks.
struct DiskIndex {
    private var numbers: [Digest: Int32] = [:]
    private var records: [DiskRecord] = []
    private var freeSlots: [Int32] = []
    private var links = SlotLinks()
    /// The one not used for the longest time first.
    private var order = SlotLinks.Queue()
    /// The latest time that the clock has shown.
    private var latest = Int64.min

    init() {}

    /// - Parameter records: the one not used for the longest time first.
    init(inOrder records: [DiskRecord], now: Int64) {
        for record in records { insert(record) }
        latest = .max
        noteTime(now)
    }

    var count: Int { numbers.count }

    /// The one not used for the longest time first.
    var recordsInOrder: [DiskRecord] {
        var result: [DiskRecord] = []
        var next = order.first >= 0 ? order.first : nil
        while let number = next {
            result.append(records[Int(number)])
            next = links.next(after: number)
        }
        return result
    }

    /// What was found in the folder, with the times of use and the order that this index knows better than files say.
    func updated(with found: [DiskRecord], now: Int64) -> DiskIndex {
        var ranks: [Digest: Int] = [:]
        for (rank, record) in recordsInOrder.enumerated() { ranks[record.digest] = rank }
        let records = found.map { record in
            var record = record
            if let known = self.record(record.digest) { record.usedAt = max(record.usedAt, known.usedAt) }
            return (rank: ranks[record.digest] ?? -1, record: record)
        }
        let inOrder = records.sorted { ($0.record.usedAt, $0.rank) < ($1.record.usedAt, $1.rank) }
        return DiskIndex(inOrder: inOrder.map(\.record), now: now)
    }

    func record(_ digest: Digest) -> DiskRecord? { numbers[digest].map { records[Int($0)] } }

    /// Adds a record, or replaces that of the same digest, as the one used last.
    mutating func insert(_ record: DiskRecord) {
        if let number = numbers[record.digest] {
            records[Int(number)] = record
            order.remove(number, in: &links)
            order.append(number, in: &links)
            return
        }
        let number: Int32
        if let free = freeSlots.popLast() {
            number = free
            records[Int(number)] = record
        } else {
            number = Int32(records.count)
            records.append(record)
            links.addSlot(number)
        }
        numbers[record.digest] = number
        order.append(number, in: &links)
    }

    mutating func remove(_ digest: Digest) {
        guard let number = numbers.removeValue(forKey: digest) else { return }
        order.remove(number, in: &links)
        freeSlots.append(number)
    }

    /// Records a use.
    ///
    /// - Returns: whether the file should be given the time of it, as its own is more than an hour off.
    mutating func use(_ digest: Digest, now: Int64) -> Bool {
        guard let number = numbers[digest] else { return false }
        order.remove(number, in: &links)
        order.append(number, in: &links)
        records[Int(number)].usedAt = now
        guard abs(now - records[Int(number)].savedAt) >= 3600 else { return false }
        records[Int(number)].savedAt = now
        return true
    }

    /// The file not used for the longest time.
    var oldest: DiskRecord? { order.first >= 0 ? records[Int(order.first)] : nil }

    /// Brings the times of use up to the clock: if it was set back, what was used later counts as used now, so that it ages
    /// from here on.
    mutating func noteTime(_ now: Int64) {
        if now < latest {
            for number in numbers.values {
                records[Int(number)].usedAt = min(records[Int(number)].usedAt, now)
            }
        }
        latest = now
    }
}
