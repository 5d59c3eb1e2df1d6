// Files through the operating system's own calls, so that the libraries need no Foundation.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, closed when it goes away.
final class FileDescriptor: Sendable {
    let number: Int32
    /// The path that errors name.
    private let path: String

    /// Opens `path` for reading; `-` is standard input.
    init(reading path: String) throws(ImageError) {
        self.path = path
        // SAFETY: the path is a null-terminated string for the call.
        number = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw Self.lastError(path) }
    }

    /// Creates or replaces `path`; `-` is standard output.
    init(writing path: String) throws(ImageError) {
        self.path = path
        guard path != "-" else {
            number = 1
            return
        }
        // SAFETY: the path is a null-terminated string for the call.
        number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw Self.lastError(path) }
    }

    deinit {
        if number > 2 { _ = Self.systemClose(number) }
    }

    /// What is known about the file.
    ///
    /// - Throws: `inputOutput` for directories, which can be opened but not read.
    func status() throws(ImageError) -> FileStatus {
        guard let status = FileStatus(ofDescriptor: number) else { throw Self.lastError(path) }
        if status.kind == .directory { throw .inputOutput(path: path, message: "is a directory") }
        return status
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
                count = unsafe Self.systemRead(number, buffer.baseAddress!, buffer.count)
                failure = count < 0 ? errno : 0
            } while failure == EINTR
        }
        guard failure == 0 else { throw .inputOutput(path: path, message: Self.message(failure)) }
        return count
    }

    /// Writes all of `bytes`.
    func write(_ bytes: Span<UInt8>) throws(ImageError) {
        var done = 0
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBytes { buffer in
            while done < buffer.count {
                // SAFETY: `done < count`, so the pointer and the count stay inside the buffer.
                let put = unsafe Self.systemWrite(number, buffer.baseAddress! + done, buffer.count - done)
                if put < 0, errno == EINTR { continue }
                if put < 0 {
                    failure = errno
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

// The system's calls, whose names the methods above hide.
extension FileDescriptor {
    private static func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(number, base, count)
        #elseif canImport(Musl)
        unsafe Musl.read(number, base, count)
        #elseif canImport(Darwin)
        unsafe Darwin.read(number, base, count)
        #endif
    }

    private static func systemWrite(_ number: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(number, base, count)
        #elseif canImport(Musl)
        unsafe Musl.write(number, base, count)
        #elseif canImport(Darwin)
        unsafe Darwin.write(number, base, count)
        #endif
    }

    private static func systemClose(_ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(number)
        #elseif canImport(Musl)
        Musl.close(number)
        #elseif canImport(Darwin)
        Darwin.close(number)
        #endif
    }
}
