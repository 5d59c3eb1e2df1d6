// What the operating system has in folders, with names of any bytes.

import ImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Listing and creating folders.
enum Folder {
    /// The names in a folder but `.` and `..`, in no order; `nil` if it cannot be listed.
    static func names(in path: String) -> [String]? {
        // SAFETY: the path is a null-terminated string for the call.
        guard let folder = unsafe SystemPath.withCString(path, { unsafe opendir($0) }) else { return nil }
        // SAFETY: opened above, and closed once.
        defer { unsafe _ = closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            // SAFETY: the folder is open; the entry is used before the next is read.
            guard let entry = unsafe readdir(folder) else { return errno == 0 ? names : nil }
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            let name = SystemPath.text(bytes)
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Creates a folder, and those it is in, if they are not there; answers whether it is there afterwards.
    static func create(_ path: String) -> Bool {
        let slashes = path.indices.dropFirst().filter { path[$0] == "/" }
        return (slashes + [path.endIndex]).allSatisfy { end in
            let folder = String(path[..<end])
            if FileDetails.isFolder(folder) { return true }
            // SAFETY: the path is a null-terminated string for the call. Another process may create the folder meanwhile.
            return unsafe SystemPath.withCString(folder) { unsafe mkdir($0, 0o777) == 0 }
                || FileDetails.isFolder(folder)
        }
    }
}

extension CommandLine {
    /// The arguments after the program's name, as text that leads to files whose names are no UTF-8.
    static var pathArguments: [String] {
        // SAFETY: the system's list of `argc` null-terminated strings, which stays where it is as long as the process runs.
        (1..<max(1, Int(argc))).compactMap { index in
            unsafe unsafeArgv[index].map { argument in
                unsafe SystemPath.text(
                    UnsafeBufferPointer(start: argument, count: strlen(argument)).map { UInt8(bitPattern: $0) })
            }
        }
    }
}
