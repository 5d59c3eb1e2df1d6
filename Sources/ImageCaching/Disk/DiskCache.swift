// Bytes on a disk, as many as fit into a limit: found after a restart, shared by processes, whole or not there.
//
//   insert:  room is made and reserved ──▶ a file is written beside ──▶ it gets the entry's name
//            (lock of the folder)          (no lock)                     (lock of the folder)
//   read:    index ──▶ file ──▶ lengths, key and checksum are checked; what is damaged is removed
//            (no lock but the index's)

public import ImageCodecsCore
import Synchronization

/// Keeps bytes in the files of a folder, and at most a number of bytes of them.
///
/// ```swift
/// let disk = try DiskCache(path: "/var/cache/pictures", byteCount: 20 << 30)
/// try disk.insert(DiskEntry(bytes: data), for: CacheKey(source: address))
/// let found = disk.entry(for: CacheKey(source: address))
/// ```
///
/// - **Whole or not there.** Whoever reads an entry gets the old one, the new one or none, also if a writer is killed or the power
///   fails: a file that was cut or damaged is found out by its lengths and its checksum, and removed. Nothing waits until the
///   disk has written an entry, so that one that was stored just before a power failure may be lost.
/// - **The limit** holds at every moment, files that are being written included, for all processes together. Bytes are those of whole
///   blocks. The entry not used for the longest time goes first; one not used for ``maxAge`` goes with the next insertion. Folders
///   and the two files of the cache itself, which are not counted, take about a megabyte.
/// - **Several processes** may use one folder of a local disk, each with a cache of its own; network file systems lack what that
///   takes.
/// - **Somebody removes the folder** while the cache is used: the next insertion makes it again, an insertion that runs then fails.
/// - **The clock.** If it is set back, entries used later than now count as used now, and those stored later than now are not fresh.
///
/// All functions block until the disk has answered, most for some microseconds. Call them on threads that may wait.
public final class DiskCache: Sendable {
    /// The folder.
    public let path: String
    /// The limit of all entries together.
    public let byteCount: Int
    /// An entry goes if it was not used for this long; `nil` if age does not matter.
    public let maxAge: Duration?

    private let clock: WallClock
    private let folder: CacheFolder
    private let shared: SharedState
    private let state: Mutex<State>

    /// Seconds after which files are counted again, with the next insertion.
    private static let countingInterval: Int64 = 600

    private struct State {
        var index = DiskIndex()
        /// Insertions into the folder that the index knows of.
        var knownInsertionCount: UInt64 = 0
        /// When files were counted, seconds since 1970.
        var countedAt: Int64 = 0
        var statistics = DiskCacheStatistics()
    }

    /// Opens a folder, which is made if it is not there.
    ///
    /// If the cache was not closed (``close()``), all files are looked at once, which takes some microseconds each.
    ///
    /// - Parameters:
    ///   - path: a folder for this cache alone.
    ///   - byteCount: what all entries may take on the disk.
    ///   - maxAge: how long an entry stays that is not used; seven days if nothing is said, `nil` for ever.
    ///   - clock: the time of day.
    /// - Throws: `inputOutput` if the folder cannot be made or used.
    public init(
        path: String, byteCount: Int, maxAge: Duration? = .seconds(7 * 86_400), clock: WallClock = .system
    ) throws(ImageError) {
        self.path = path
        self.byteCount = max(0, byteCount)
        self.maxAge = maxAge
        self.clock = clock
        folder = try CacheFolder(path: path)
        shared = try SharedState(in: folder)
        state = Mutex(State())
        try shared.withLock { (access) throws(ImageError) in
            let saved = access.isValid ? folder.readIndex() : nil
            folder.removeIndex()
            let index = saved.flatMap {
                SavedIndex.index($0, insertionCount: shared.insertionCount, now: seconds)
            }
            if let index {
                state.withLock { state in
                    state.index = index
                    state.knownInsertionCount = shared.insertionCount
                    state.countedAt = seconds
                }
            } else {
                count(access)
            }
            makeRoom(for: 0, access)
        }
    }

    private var seconds: Int64 { clock.now().components.seconds }

    /// Calls `body` while no other thread and no other process changes the folder. If it is another folder than before, its files are
    /// counted first.
    private func locked<R: Sendable>(
        _ body: (SharedState.Access) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try shared.withLock { (access) throws(ImageError) in
            if access.isNew { count(access) }
            return try body(access)
        }
    }

    // MARK: - Reading

    /// The entry for a key, if there is a whole one; counts as a use.
    public func entry(for key: CacheKey) -> DiskEntry? {
        let beginning = key.checksum
        let isPossible = state.withLock { state in
            let isPossible = hasFile(beginningWith: beginning, state)
            if !isPossible { state.statistics.missCount += 1 }
            return isPossible
        }
        return isPossible ? entry(EntryName(of: key), key) : nil
    }

    private func entry(_ name: EntryName, _ key: CacheKey) -> DiskEntry? {
        let isIndexed = state.withLock { state in mayBeThere(name, state) }
        guard let isIndexed, let file = folder.read(name, atMost: byteCount) else {
            state.withLock { state in
                if isIndexed == true { state.index.remove(name) }
                state.statistics.missCount += 1
            }
            return nil
        }
        guard let entry = DiskEntry(file: file, key: key) else {
            remove(name)
            state.withLock { state in
                state.statistics.missCount += 1
                state.statistics.damageCount += 1
            }
            return nil
        }
        noteUse(name, isIndexed: isIndexed, byteCount: file.count)
        return entry
    }

    /// Whether there is an entry for a key; it may turn out to be damaged. Does not count as a use.
    public func contains(_ key: CacheKey) -> Bool {
        let name = EntryName(of: key)
        guard let isIndexed = state.withLock({ state in mayBeThere(name, state) }) else { return false }
        return isIndexed || folder.allocatedByteCount(name) > 0
    }

    /// Whether the index knows an entry; `nil` if there is none: it is not in the index, and no other process has inserted
    /// any since files were counted.
    private func mayBeThere(_ name: EntryName, _ state: borrowing State) -> Bool? {
        if let record = state.index.record(name) { return isTooOld(record, seconds) ? nil : true }
        return areFilesKnown(state) ? nil : false
    }

    /// Whether there may be an entry whose name begins so.
    private func hasFile(beginningWith beginning: UInt64, _ state: borrowing State) -> Bool {
        state.index.hasName(beginningWith: beginning) || !areFilesKnown(state)
    }

    /// Whether no other process has inserted anything since files were counted.
    private func areFilesKnown(_ state: borrowing State) -> Bool { shared.insertionCount == state.knownInsertionCount }

    private func isTooOld(_ record: DiskRecord, _ now: Int64) -> Bool {
        guard let maxAge else { return false }
        return now.subtractingReportingOverflow(record.usedAt).partialValue > maxAge.components.seconds
    }

    private func noteUse(_ name: EntryName, isIndexed: Bool, byteCount: Int) {
        let now = seconds
        let isToBeSaved = state.withLock { state in
            state.statistics.hitCount += 1
            if !isIndexed, state.index.record(name) == nil {
                state.index.insert(
                    DiskRecord(
                        name: name, byteCount: CacheFolder.roundedToBlocks(byteCount), usedAt: now, savedAt: 0))
            }
            return state.index.use(name, now: now)
        }
        if isToBeSaved { folder.saveUse(name, at: now) }
    }

    // MARK: - Writing

    /// Stores an entry, in the place of the one that is there.
    ///
    /// - Parameters:
    ///   - entry: what is kept; the time of storing is set here.
    ///   - key: what it is found by.
    /// - Throws: `limitExceeded(.input)` if it is larger than the whole cache may be; `inputOutput` if it cannot be
    ///   written, on a full disk for instance. What was there before is still there then.
    public func insert(_ entry: DiskEntry, for key: CacheKey) throws(ImageError) {
        var entry = entry
        entry.storedAt = clock.now()
        let name = EntryName(of: key)
        let header = entry.header(for: key)
        let size = CacheFolder.roundedToBlocks(header.count.addingSaturated(entry.bytes.count))
        guard size <= byteCount else { throw .limitExceeded(.input, requested: size, allowed: byteCount) }
        let part = try reserve(size)
        do throws(ImageError) {
            try header.withSpan { (header) throws(ImageError) in try part.write(header) }
            try entry.bytes.withBytes { (bytes) throws(ImageError) in try part.write(bytes) }
            try commit(part, size, as: name)
        } catch {
            part.remove()
            try? locked { (access) throws(ImageError) in access.add(-size) }
            throw error
        }
    }

    private func reserve(_ size: Int) throws(ImageError) -> EntryPart {
        var part: EntryPart?
        try locked { (access) throws(ImageError) in
            makeRoom(for: size, access)
            part = try folder.createPart(reserving: size)
            access.add(size)
        }
        guard let part = part.take() else { throw .inputOutput(path: path, message: "no file") }
        return part
    }

    private func commit(_ part: borrowing EntryPart, _ size: Int, as name: EntryName) throws(ImageError) {
        try locked { (access) throws(ImageError) in
            let taken = part.allocatedByteCount
            let replaced = folder.allocatedByteCount(name)
            try folder.commit(part, as: name)
            access.add(taken - size - replaced)
            let insertionCount = access.countInsertion()
            let now = seconds
            state.withLock { state in
                state.index.insert(DiskRecord(name: name, byteCount: taken, usedAt: now, savedAt: now))
                if state.knownInsertionCount &+ 1 == insertionCount { state.knownInsertionCount = insertionCount }
                state.statistics.insertionCount += 1
            }
        }
    }

    // MARK: - Making room

    /// Removes entries until `size` more bytes fit, and those that were not used for too long.
    private func makeRoom(for size: Int, _ access: SharedState.Access) {
        var isOver: Bool { access.usedByteCount.addingSaturated(size) > byteCount }
        let now = seconds
        let isToBeCounted = state.withLock { state in
            state.index.noteTime(now)
            // Others have inserted so much that what is oldest here need not be the oldest of all.
            let foreignCount = shared.insertionCount &- state.knownInsertionCount
            return !(0..<Self.countingInterval).contains(now - state.countedAt)
                || isOver && foreignCount > UInt64(16 + state.index.count / 8)
        }
        if isToBeCounted { count(access) }
        while let oldest = state.withLock({ $0.index.oldest }), isTooOld(oldest, now), removeOldest(access) {}
        while isOver, removeOldest(access) {}
        // Nothing is left that this process knows of: others know more, or a process was killed.
        guard isOver, !isToBeCounted else { return }
        count(access)
        while isOver, removeOldest(access) {}
    }

    /// Removes the entry not used for the longest time; `false` if there is none.
    private func removeOldest(_ access: SharedState.Access) -> Bool {
        let oldest = state.withLock { state in
            let oldest = state.index.oldest
            if let oldest { state.index.remove(oldest.name) }
            return oldest
        }
        guard let oldest else { return false }
        if removeFile(oldest.name, access) { state.withLock { $0.statistics.evictionCount += 1 } }
        return true
    }

    /// Removes a file and what it took; `false` if another process was faster.
    private func removeFile(_ name: EntryName, _ access: SharedState.Access) -> Bool {
        let taken = folder.allocatedByteCount(name)
        guard folder.remove(name) else { return false }
        access.add(-taken)
        return true
    }

    /// Looks at all files, as after a crash.
    private func count(_ access: SharedState.Access) {
        let contents = folder.count()
        access.setUsed(contents.byteCount)
        let now = seconds
        state.withLock { state in
            state.index = state.index.updated(with: contents.records, now: now)
            state.knownInsertionCount = shared.insertionCount
            state.countedAt = now
        }
    }

    // MARK: - Removing

    /// Removes the entry for a key.
    public func remove(_ key: CacheKey) { remove(EntryName(of: key)) }

    private func remove(_ name: EntryName) {
        state.withLock { $0.index.remove(name) }
        try? locked { (access) throws(ImageError) in _ = removeFile(name, access) }
    }

    /// Removes all entries, those of other processes too. What is being written meanwhile comes afterwards.
    public func removeAll() { trim(to: 0) }

    /// Removes entries, those first that were not used for the longest time, until the rest takes `byteCount` at most.
    public func trim(to byteCount: Int) {
        try? locked { (access) throws(ImageError) in
            count(access)
            while access.usedByteCount > byteCount, removeOldest(access) {}
        }
    }

    /// Removes the entries that were not used for ``maxAge``.
    public func removeExpired() {
        try? locked { (access) throws(ImageError) in makeRoom(for: 0, access) }
    }

    // MARK: - Closing

    /// Writes down what the cache knows of its files, so that the next start need not look at them. The cache can be used on; after
    /// a further insertion the next start looks at all files again.
    public func close() {
        try? locked { (_) throws(ImageError) in
            let bytes = state.withLock { state in
                SavedIndex.bytes(state.index, insertionCount: state.knownInsertionCount)
            }
            try folder.writeIndex(bytes)
        }
    }

    /// What the cache holds, and how it was used.
    public var statistics: DiskCacheStatistics {
        var statistics = state.withLock { state in
            var statistics = state.statistics
            statistics.entryCount = state.index.count
            return statistics
        }
        statistics.byteCount = shared.usedByteCount
        return statistics
    }
}

/// What a disk cache holds and how it was used, at one moment.
public struct DiskCacheStatistics: Hashable, Sendable {
    /// Entries that this cache knows of; other processes may have stored more.
    public var entryCount = 0
    /// Bytes on the disk of all entries, and reserved for those that are being written.
    public var byteCount = 0
    /// How often an entry was asked for that was there.
    public var hitCount = 0
    /// How often an entry was asked for that was not there.
    public var missCount = 0
    /// How often a file turned out to be cut or damaged.
    public var damageCount = 0
    /// Entries stored by this cache.
    public var insertionCount = 0
    /// Entries that went to make room, or because they were not used.
    public var evictionCount = 0

    /// Creates statistics of an empty cache.
    public init() {}
}
