// Counts the bytes a decode holds, so that limits bite before an allocation and tests can see the high-water mark.

import Synchronization

/// The bytes of bitmaps and buffers held by one decode (or by several that share a meter).
package final class MemoryMeter: Sendable, Hashable {
    private let limit: Int
    /// The request that a test lets fail.
    private let failure: AllocationFailure?
    private let held = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    /// - Parameters:
    ///   - limit: bytes that may be held at once.
    ///   - failure: for tests: one request that is refused however much memory there is.
    package init(limit: Int = .max, failure: AllocationFailure? = nil) {
        self.limit = limit
        self.failure = failure
    }

    /// Bytes held now.
    package var current: Int { held.load(ordering: .relaxed) }

    /// The most bytes that were held at once.
    package var peak: Int { highest.load(ordering: .relaxed) }

    /// Counts `byteCount` more bytes, or throws and counts nothing.
    package func reserve(_ byteCount: Int) throws(ImageError) {
        guard byteCount <= Self.largestRequest else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: min(limit, Self.largestRequest))
        }
        if let failure, failure.isDue(.reservation) {
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        let now = held.add(byteCount, ordering: .relaxed).newValue
        guard now <= limit else {
            release(byteCount)
            throw .limitExceeded(.memory, requested: now, allowed: limit)
        }
        highest.max(now, ordering: .relaxed)
    }

    /// Throws if `byteCount` more bytes would be refused; counts nothing. For work whose result would need them: what will be
    /// refused is refused before it begins.
    package func check(_ byteCount: Int) throws(ImageError) {
        let needed = current.addingSaturated(byteCount)
        guard needed <= limit else { throw .limitExceeded(.memory, requested: needed, allowed: limit) }
    }

    /// Whether the system is to refuse the memory that was just counted.
    func failsAllocation() -> Bool { failure?.isDue(.allocation) ?? false }

    /// Gives back what was counted.
    package func release(_ byteCount: Int) {
        held.subtract(byteCount, ordering: .relaxed)
    }

    /// No sum of live allocations comes near this, so the counters cannot overflow.
    private static let largestRequest = Int.max / 4

    package static func == (lhs: MemoryMeter, rhs: MemoryMeter) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
