// Counts the work of a decode, so that tests and reports see that it is in proportion to what it was given.

import Synchronization

/// How often the decodes that share it asked their ``WorkGuard`` whether to go on, how much they said they had done, and how
/// long they went without asking.
///
/// Decodes have one only if ``DecodingOptions/workLog`` names it.
package final class WorkLog: Sendable, Hashable {
    private let checks = Atomic<Int>(0)
    private let units = Atomic<Int>(0)
    private let longest = Atomic<Int>(0)
    private let last = Atomic<Int>(0)
    private let origin = MonotonicTime.now
    private let frames = Mutex<[Int: Int]>([:])

    package init() {}

    /// Times that ``WorkGuard/check()`` was asked: rows, rows of MCUs, scans, frames, and spent units that added up.
    package var checkCount: Int { checks.load(ordering: .relaxed) }

    /// Units of ``WorkGuard/spend(_:)``, each about a byte or a sample looked at.
    package var unitCount: Int { units.load(ordering: .relaxed) }

    /// The longest time between two questions of a thread that worked; of one decode on one thread.
    package var longestGap: Duration { .nanoseconds(longest.load(ordering: .relaxed)) }

    /// How often the data of frame `index` of an animation were decoded.
    package func decodeCount(ofFrame index: Int) -> Int { frames.withLock { $0[index, default: 0] } }

    func beginFrame(_ index: Int) { frames.withLock { $0[index, default: 0] += 1 } }

    func begin() { last.store(now, ordering: .relaxed) }

    func check() {
        checks.add(1, ordering: .relaxed)
        let now = now
        longest.max(now - last.exchange(now, ordering: .relaxed), ordering: .relaxed)
    }

    func end() { longest.max(now - last.load(ordering: .relaxed), ordering: .relaxed) }

    func spend(_ count: Int) { units.add(count, ordering: .relaxed) }

    /// Nanoseconds since the log was made.
    private var now: Int {
        let (seconds, attoseconds) = (MonotonicTime.now - origin).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }

    package static func == (lhs: WorkLog, rhs: WorkLog) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
