// The time that passes, as a plain number.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A clock that never goes back.
///
/// Its moments are durations, not those of `ContinuousClock`: how large those are is known only when a program runs, and so is the size
/// of every state that holds one, which then is copied and destroyed by way of tables.
package enum MonotonicTime {
    /// The time since a moment that stays the same while the process runs.
    package static var now: Duration {
        var time = timespec()
        // SAFETY: the system fills the structure for the length of the call.
        unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
    }
}
