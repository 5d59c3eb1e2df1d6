// A cache of composited frames with one budget for the process; the least recently used frame is dropped first.

internal import Synchronization

/// The frames that all animations of a process keep.
package final class FrameCache: Sendable {
    /// The cache of this process, of 256 MiB.
    static let shared = FrameCache(maxByteCount: 256 << 20)

    private struct State {
        var shares: [ObjectIdentifier: RecentFrames] = [:]
        var byteCount = 0
        /// Counts accesses.
        var clock = 0
    }

    private let maxByteCount: Int
    private let state = Mutex(State())

    package init(maxByteCount: Int) { self.maxByteCount = maxByteCount }

    /// Bytes of all frames that are kept.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    fileprivate func frame(_ index: Int, _ identity: FrameIdentity, of owner: ObjectIdentifier) -> ImageFrame? {
        state.withLock { state in
            state.clock += 1
            return state.shares[owner]?.touch(index, identity, at: state.clock)
        }
    }

    fileprivate func largestIndex(of owner: ObjectIdentifier, in range: ClosedRange<Int>) -> Int? {
        state.withLock { $0.shares[owner]?.largestIndex(in: range) }
    }

    fileprivate func keep(
        _ frame: ImageFrame, _ index: Int, _ identity: FrameIdentity, of owner: ObjectIdentifier, maxByteCount: Int
    ) {
        let byteCount = frame.bitmap.byteCount
        guard byteCount <= min(maxByteCount, self.maxByteCount) else { return }
        // Freed once the lock is released.
        var dropped: [ImageFrame] = []
        state.withLock { state in
            state.clock += 1
            // Taken out, so that the table is not copied.
            var share = state.shares.removeValue(forKey: owner) ?? RecentFrames()
            state.byteCount -= share.byteCount
            share.insert(frame, index, identity, at: state.clock)
            while share.byteCount > maxByteCount, let oldest = share.removeOldest() { dropped.append(oldest) }
            state.byteCount += share.byteCount
            state.shares[owner] = share
            while state.byteCount > self.maxByteCount {
                guard let oldest = state.shares.min(by: { $0.value.oldestAccess < $1.value.oldestAccess })?.key,
                    let frame = state.shares[oldest]?.removeOldest()
                else { break }
                state.byteCount -= frame.bitmap.byteCount
                dropped.append(frame)
            }
        }
    }

    fileprivate func removeAll(of owner: ObjectIdentifier) {
        let dropped = state.withLock { state in
            let share = state.shares.removeValue(forKey: owner)
            state.byteCount -= share?.byteCount ?? 0
            return share
        }
        _ = dropped
    }
}

/// The frames of one animation in the cache; gone with it.
package final class FrameCacheShare: Sendable {
    private let cache: FrameCache
    private let maxByteCount: Int

    /// - Parameter maxByteCount: what this animation keeps at most.
    package init(_ cache: FrameCache, maxByteCount: Int) {
        self.cache = cache
        self.maxByteCount = maxByteCount
    }

    deinit { cache.removeAll(of: ObjectIdentifier(self)) }

    /// A frame that is kept.
    package func frame(_ index: Int, of plan: CompositionPlan) -> ImageFrame? {
        cache.frame(index, plan[index].identity, of: ObjectIdentifier(self))
    }

    /// The largest index in `range` of which the frame is kept.
    package func largestIndex(in range: ClosedRange<Int>) -> Int? {
        cache.largestIndex(of: ObjectIdentifier(self), in: range)
    }

    /// Keeps a frame while there is room.
    package func keep(_ frame: ImageFrame, at index: Int, of plan: CompositionPlan) {
        cache.keep(
            frame, index, plan[index].identity, of: ObjectIdentifier(self), maxByteCount: maxByteCount)
    }
}

/// Frames in the order in which they were asked for: a list whose links are in a table, so that every change is as fast.
private struct RecentFrames {
    private struct Entry {
        var frame: ImageFrame
        var identity: FrameIdentity
        var access: Int
        var older: Int?
        var newer: Int?
    }

    private var entries: [Int: Entry] = [:]
    private var oldest: Int?
    private var newest: Int?
    private(set) var byteCount = 0

    /// The access number of the least recently used frame; `Int.max` if there is no frame.
    var oldestAccess: Int { oldest.flatMap { entries[$0]?.access } ?? .max }

    func largestIndex(in range: ClosedRange<Int>) -> Int? {
        if entries.count < range.count { return entries.keys.filter { range.contains($0) }.max() }
        return range.reversed().first { entries[$0] != nil }
    }

    mutating func touch(_ index: Int, _ identity: FrameIdentity, at access: Int) -> ImageFrame? {
        guard entries[index]?.identity === identity, var entry = unlink(index) else { return nil }
        entry.access = access
        link(entry, index)
        return entry.frame
    }

    mutating func insert(_ frame: ImageFrame, _ index: Int, _ identity: FrameIdentity, at access: Int) {
        if let old = unlink(index) { byteCount -= old.frame.bitmap.byteCount }
        byteCount += frame.bitmap.byteCount
        link(Entry(frame: frame, identity: identity, access: access), index)
    }

    mutating func removeOldest() -> ImageFrame? {
        guard let index = oldest, let entry = unlink(index) else { return nil }
        byteCount -= entry.frame.bitmap.byteCount
        return entry.frame
    }

    private mutating func link(_ entry: Entry, _ index: Int) {
        var entry = entry
        (entry.older, entry.newer) = (newest, nil)
        if let newest { entries[newest]?.newer = index } else { oldest = index }
        newest = index
        entries[index] = entry
    }

    private mutating func unlink(_ index: Int) -> Entry? {
        guard let entry = entries.removeValue(forKey: index) else { return nil }
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
        return entry
    }
}
