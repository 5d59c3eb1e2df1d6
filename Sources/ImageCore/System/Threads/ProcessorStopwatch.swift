// The processor time of a part of the work, summed over its pieces.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Adds up the processor time that threads spend between ``begin()`` and ``end(since:)``.
package final class ProcessorStopwatch: Sendable, Hashable {
    private let total = Atomic<Int>(0)

    package init() {}

    /// Nanoseconds so far.
    package var nanoseconds: Int { total.load(ordering: .relaxed) }

    /// What ``end(since:)`` wants of the same thread.
    package func begin() -> Int { Self.now }

    package func end(since start: Int) { total.add(Self.now - start, ordering: .relaxed) }

    /// Processor time of all threads, in nanoseconds.
    package static var ofProcess: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Processor time of the calling thread, in nanoseconds.
    private static var now: Int { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        // SAFETY: the system fills the structure for the length of the call.
        unsafe _ = clock_gettime(clock, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    package static func == (lhs: ProcessorStopwatch, rhs: ProcessorStopwatch) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
