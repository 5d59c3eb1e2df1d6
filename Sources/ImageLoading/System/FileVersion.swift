// What tells two versions of a file apart without reading it.

import ImageCodecsCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Length, time of change and number of a file as text; `nil` if there is none.
func fileVersion(_ path: String) -> String? {
    var status = stat()
    // SAFETY: the path is a null-terminated string and the structure lives through the call.
    guard unsafe SystemPath.withCString(path, { unsafe stat($0, &status) }) == 0 else { return nil }
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    let seconds = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    return String(Int64(status.st_size), radix: 36) + "-" + String(seconds, radix: 36) + "-"
        + String(UInt64(status.st_ino), radix: 36)
}
