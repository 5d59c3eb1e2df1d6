// What the operating system knows about a file without reading it.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Kind, size, identity and permissions of a file.
package struct FileStatus: Sendable {
    /// What kind of file it is.
    package enum Kind: Sendable {
        /// Bytes on a disk, with a size that is known.
        case regular
        case directory
        /// A pipe, a device, a socket.
        case other
    }

    /// The same for two paths exactly when they lead to the same file, whatever links lie between.
    package struct Identity: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    package let kind: Kind
    /// Bytes of a regular file.
    package let byteCount: Int
    package let identity: Identity
    /// Who may read, write and execute it: nine bits.
    let permissions: mode_t
    let owner: uid_t
    let group: gid_t

    /// The file that `path` leads to; `nil` when there is none, or when it cannot be looked at.
    package init?(ofFileAt path: String) {
        var status = stat()
        // SAFETY: the path is a null-terminated string and the structure lives through the call.
        guard unsafe SystemPath.withCString(path, { unsafe stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// The file that is open as `descriptor`: 0 is standard input, 1 is standard output.
    package init?(ofDescriptor descriptor: Int32) {
        var status = stat()
        // SAFETY: the structure is initialised and lives through the call.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            default: .other
            }
        byteCount = Int(status.st_size)
        identity = Identity(status)
        permissions = status.st_mode & 0o777
        owner = status.st_uid
        group = status.st_gid
    }

    /// What the symbolic link at `path` says, or `nil` when there is no such link.
    static func destination(ofLinkAt path: String) -> String? {
        var status = stat()
        // SAFETY: the path is a null-terminated string and the structure lives through the call.
        guard unsafe SystemPath.withCString(path, { unsafe lstat($0, &status) }) == 0,
            status.st_mode & S_IFMT == S_IFLNK
        else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            // SAFETY: `readlink` writes at most `buffer.count` bytes and answers how many.
            let length = unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
                unsafe SystemPath.withCString(path) { unsafe readlink($0, buffer.baseAddress!, buffer.count) }
            }
            count = max(length, 0)
        }
        return bytes.isEmpty ? nil : SystemPath.text(bytes)
    }
}
