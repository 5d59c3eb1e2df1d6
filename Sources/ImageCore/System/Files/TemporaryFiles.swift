// The files beside those they are to replace, while they are written: known by their names, and to the process.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that ``FileReplacement`` is writing.
///
/// A name says who writes the file, so that another process can tell that it has ended:
///
///     .image-3k7x2c-4711-1z141z3.part
///            host   process random
///
/// Numbers of processes mean something on one host, and in one namespace of processes, alone.
package enum TemporaryFiles {
    /// Those that are there now.
    private static let paths = Mutex<Set<String>>([])

    private static let prefix = ".image-"
    private static let suffix = ".part"

    /// A name that cannot be foreseen.
    static func makeName() -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(prefix)\(host)-\(getpid())-\(random)\(suffix)"
    }

    /// Whether a file of this name is what a process of this host left behind when it was killed.
    package static func isStale(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(separator: "-")
        guard parts.count == 3, parts[0] == host, let process = pid_t(parts[1]), process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Creates a file at `path` by `body`; nothing is recorded if that answers `nil`.
    static func create<File>(
        at path: String, _ body: () throws(ImageError) -> sending File?
    ) throws(ImageError) -> sending File? {
        try paths.withLock { (paths) throws(ImageError) in
            guard let file = try body() else { return nil }
            paths.insert(path)
            return file
        }
    }

    /// Gives a file its name for good; answers whether that went well, with `errno` if it did not.
    static func rename(_ path: String, to target: String) -> Bool {
        paths.withLock { paths in
            // SAFETY: both paths are null-terminated strings for the call.
            let status = unsafe SystemPath.withCString(path) { path in
                unsafe SystemPath.withCString(target) { unsafe systemRename(path, $0) }
            }
            if status == 0 { paths.remove(path) }
            return status == 0
        }
    }

    /// Removes a file that is not wanted.
    static func remove(_ path: String) {
        paths.withLock { paths in
            unlinkFile(path)
            paths.remove(path)
        }
    }

    /// Removes all of them and calls `body`, which ends the process: until it does no file is created, renamed or removed.
    package static func removeAll(_ body: () -> Void) {
        paths.withLock { paths in
            for path in paths { unlinkFile(path) }
            body()
        }
    }

    /// Removes the file at a path, if there is one.
    package static func unlinkFile(_ path: String) {
        // SAFETY: the path is a null-terminated string for the call.
        unsafe _ = SystemPath.withCString(path) { unsafe unlink($0) }
    }

    /// The host and, on Linux, the namespace that numbers of processes belong to, as letters and digits (FNV-1a of their names).
    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        unsafe name.withUnsafeMutableBufferPointer { buffer in
            // SAFETY: the buffer is not empty, and `gethostname` writes at most as many bytes as its argument says.
            unsafe _ = gethostname(buffer.baseAddress!, buffer.count)
        }
        let namespace = FileStatus.destination(ofLinkAt: "/proc/self/ns/pid") ?? ""
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } + Array(namespace.utf8)
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash >> 32, radix: 36)
    }()
}

private func systemRename(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
    unsafe rename(path, target)
}
