// Writing a file so that at every moment there is either the old one or the whole new one.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a new file beside the one to be replaced and gives it that one's name when it is complete.
package enum FileReplacement {
    /// Writes `bytes` to the file at `path`; see `ImageData.write(toFile:)` for links, devices and permissions.
    static func write(_ bytes: Span<UInt8>, to path: String) throws(ImageError) {
        try write(to: path) { (file) throws(ImageError) in try file.write(bytes) }
    }

    /// Writes the file at `path` in pieces.
    ///
    /// - Parameter body: writes all of the file. When it throws, the file at `path` stays what it was; a device, a pipe or
    ///   standard output has got what was written until then.
    package static func write(
        to path: String, _ body: (FileDescriptor) throws(ImageError) -> Void
    ) throws(ImageError) {
        let existing = path == "-" ? nil : FileStatus(ofFileAt: path)
        guard path != "-", existing.map({ $0.kind == .regular }) ?? true,
            let target = try replaceablePath(path)
        else {
            let file = try FileDescriptor(overwriting: path)
            try body(file)
            return try file.close()
        }
        // SAFETY: the path is a null-terminated string for the call.
        if existing != nil, unsafe SystemPath.withCString(target, { unsafe access($0, W_OK) }) != 0 {
            throw FileDescriptor.lastError(path)
        }
        let (file, temporaryPath) = try createFile(beside: target, for: path, existing)
        do throws(ImageError) {
            try body(file)
            if let existing { try file.adopt(existing) }
            try file.close()
            guard TemporaryFiles.rename(temporaryPath, to: target) else { throw FileDescriptor.lastError(path) }
        } catch {
            TemporaryFiles.remove(temporaryPath)
            throw error
        }
    }

    /// Where the symbolic links from `path` on end, whether or not there is a file; `nil` if they lead through
    /// the descriptors of a process, which have no place in a folder.
    private static func replaceablePath(_ path: String) throws(ImageError) -> String? {
        var path = path
        for _ in 0..<mostLinks {
            if path.hasPrefix("/proc/") || path.hasPrefix("/dev/fd/") { return nil }
            guard let destination = FileStatus.destination(ofLinkAt: path) else { return path }
            path = destination.hasPrefix("/") ? destination : folderPrefix(of: path) + destination
        }
        throw .inputOutput(path: path, message: FileDescriptor.message(ELOOP))
    }

    /// A new file in the folder of `target`; see ``TemporaryFiles``.
    private static func createFile(
        beside target: String, for path: String, _ existing: FileStatus?
    ) throws(ImageError) -> (file: FileDescriptor, temporaryPath: String) {
        // Until the old file's permissions are adopted, what may be a secret is for the owner alone.
        let permissions: mode_t = existing == nil ? 0o666 : 0o600
        for _ in 0..<mostAttempts {
            let temporaryPath = folderPrefix(of: target) + TemporaryFiles.makeName()
            let file = try TemporaryFiles.create(at: temporaryPath) { () throws(ImageError) in
                try FileDescriptor(creating: temporaryPath, permissions: permissions, for: path)
            }
            if let file { return (file, temporaryPath) }
        }
        throw .inputOutput(path: path, message: FileDescriptor.message(EEXIST))
    }

    /// The path up to and with its last slash.
    private static func folderPrefix(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// More links in a row than any system follows.
    private static let mostLinks = 40
    private static let mostAttempts = 16
}
