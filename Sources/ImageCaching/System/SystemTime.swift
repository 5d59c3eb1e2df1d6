// The operating system's time of day.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Time since 1 January 1970.
@Sendable func systemTime() -> Duration {
    var time = timespec()
    // SAFETY: the structure is initialised and lives through the call, which does not fail for this clock.
    unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
