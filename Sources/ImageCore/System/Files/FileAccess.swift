// Files through the operating system's own calls, so that the libraries need no Foundation.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, closed when it goes away.
package final class FileDescriptor: Sendable {
    /// Standard error, unbuffered.
    package static let standardError = FileDescriptor(number: 2, path: "standard error")

    let number: Int32
    /// The path that errors name.
    private let path: String
    private let isOpen = Atomic<Bool>(true)

    private init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    /// Opens `path` for reading; `-` is standard input.
    init(reading path: String) throws(ImageError) {
        self.path = path
        // SAFETY: the path is a null-terminated string for the call.
        number = path == "-" ? 0 : unsafe SystemPath.withCString(path) { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { throw Self.lastError(path) }
    }

    /// Opens what is at `path` and empties it, if it can be emptied; `-` is standard output.
    init(overwriting path: String) throws(ImageError) {
        self.path = path
        // SAFETY: the path is a null-terminated string for the call.
        number =
            path == "-" ? 1 : unsafe SystemPath.withCString(path) { unsafe open($0, O_WRONLY | O_TRUNC | O_CLOEXEC) }
        guard number >= 0 else { throw Self.lastError(path) }
    }

    /// Creates a file; answers `nil` when there already is something at `newPath`.
    ///
    /// - Parameters:
    ///   - newPath: where the file is created.
    ///   - permissions: of the file, less those that the process's mask takes away.
    ///   - path: what errors name.
    init?(creating newPath: String, permissions: mode_t, for path: String) throws(ImageError) {
        self.path = path
        // SAFETY: the path is a null-terminated string for the call.
        number = unsafe SystemPath.withCString(newPath) { newPath in
            unsafe open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        }
        guard number >= 0 else {
            if errno == EEXIST { return nil }
            throw Self.lastError(path)
        }
    }

    deinit {
        if number > 2, isOpen.load(ordering: .relaxed) { _ = systemClose(number) }
    }

    /// Closes the file, which is when some file systems say that what was written did not fit.
    ///
    /// Standard input and output stay open.
    func close() throws(ImageError) {
        guard number > 2, isOpen.exchange(false, ordering: .relaxed) else { return }
        // After an interruption the descriptor is gone all the same.
        if systemClose(number) != 0, errno != EINTR { throw Self.lastError(path) }
    }

    /// What is known about the file.
    ///
    /// - Throws: `inputOutput` for directories, which can be opened but not read.
    func status() throws(ImageError) -> FileStatus {
        guard let status = FileStatus(ofDescriptor: number) else { throw Self.lastError(path) }
        if status.kind == .directory { throw .inputOutput(path: path, message: "is a directory") }
        return status
    }

    /// Gives this file the permissions of another, and its owner and group if the system allows that.
    func adopt(_ other: FileStatus) throws(ImageError) {
        // Only the superuser gives files away; for everybody else the file stays their own.
        _ = fchown(number, other.owner, other.group)
        guard fchmod(number, other.permissions) == 0 else { throw Self.lastError(path) }
    }

    /// Reads what comes next into `target` and answers how many bytes that were: 0 only at the end.
    ///
    /// - Precondition: `target` is not empty.
    func read(into target: inout MutableRawSpan) throws(ImageError) -> Int {
        var count = 0
        var failure: Int32 = 0
        unsafe target.withUnsafeMutableBytes { buffer in
            repeat {
                // SAFETY: `buffer` has room for `buffer.count` bytes, and `read` fills at most that many.
                count = unsafe systemRead(number, buffer.baseAddress!, buffer.count)
                failure = count < 0 ? errno : 0
            } while failure == EINTR
        }
        guard failure == 0 else { throw .inputOutput(path: path, message: Self.message(failure)) }
        return count
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: Span<UInt8>) throws(ImageError) {
        var done = 0
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBytes { buffer in
            while done < buffer.count {
                // SAFETY: `done < count`, so the pointer and the count stay inside the buffer.
                let put = unsafe systemWrite(number, buffer.baseAddress! + done, buffer.count - done)
                if put < 0, errno == EINTR { continue }
                guard put > 0 else {
                    // A device that takes nothing and reports nothing would be asked for ever.
                    failure = put < 0 ? errno : EIO
                    return
                }
                done += put
            }
        }
        guard failure == 0 else { throw .inputOutput(path: path, message: Self.message(failure)) }
    }

    static func lastError(_ path: String) -> ImageError {
        .inputOutput(path: path, message: message(errno))
    }

    static func message(_ code: Int32) -> String {
        // SAFETY: `strerror` returns a null-terminated string.
        unsafe String(cString: strerror(code))
    }
}

// The system's calls. Inside the type above, its own methods of the same names hide them.

private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(number, base, count)
}

private func systemWrite(_ number: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(number, base, count)
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }
