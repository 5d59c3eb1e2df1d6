// What the operating system knows about files, as far as ImageCore does not ask it.

import ImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Kind and modification time of the file at a path.
enum FileDetails {
    /// A moment as files have it, to compare.
    struct Time: Comparable {
        let seconds: Int
        let nanoseconds: Int

        static func < (left: Time, right: Time) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }
    }

    /// Whether the path leads to a folder, over links too.
    static func isFolder(_ path: String) -> Bool { FileStatus(ofFileAt: path)?.kind == .directory }

    /// Whether there is a symbolic link at the path.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the path is a null-terminated string and the structure lives through the call.
        let failed = unsafe SystemPath.withCString(path) { unsafe lstat($0, &status) } != 0
        return !failed && status.st_mode & S_IFMT == S_IFLNK
    }

    /// When the file that the path leads to was last written; `nil` when there is none.
    static func modificationTime(_ path: String) -> Time? {
        var status = stat()
        // SAFETY: the path is a null-terminated string and the structure lives through the call.
        guard unsafe SystemPath.withCString(path, { unsafe stat($0, &status) }) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Time(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
}
