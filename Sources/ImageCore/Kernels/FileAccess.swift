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
    private let path: String

    /// Opens `path` for reading; `-` is standard input.
    init(reading path: String) throws(ImageError) {
        self.path = path
        guard path != "-" else {
            number = 0
            return
        }
        // SAFETY: the path is a null-terminated string for the call.
        number = unsafe open(path, O_RDONLY | O_CLOEXEC)
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
        if number > 2 { close(number) }
    }

    /// The size of a regular file, or `nil` for pipes and devices.
    func regularFileSize() throws(ImageError) -> Int? {
        var status = stat()
        // SAFETY: the structure is initialised and lives through the call.
        guard unsafe fstat(number, &status) == 0 else { throw Self.lastError(path) }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw .inputOutput(path: path, message: "is a directory")
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Every byte from here to the end.
    func readToEnd(maxByteCount: Int) throws(ImageError) -> [UInt8] {
        let expected = try regularFileSize() ?? 0
        guard expected <= maxByteCount else {
            throw .limitExceeded(.memory, requested: expected, allowed: maxByteCount)
        }
        var bytes: [UInt8] = []
        var room = max(expected + 1, 1 << 16)
        while true {
            var failure: Int32 = 0
            // One read per round, straight into uninitialised capacity.
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                // SAFETY: `buffer` has room for `buffer.count` bytes, and `read` fills at most that many.
                let got = unsafe read(number, buffer.baseAddress, buffer.count)
                if got < 0 { failure = errno }
                count = max(got, 0)
            }
            if failure == EINTR { continue }
            guard failure == 0 else {
                throw .inputOutput(path: path, message: Self.message(failure))
            }
            if piece.isEmpty { return bytes }
            if bytes.isEmpty { bytes = piece } else { bytes += piece }
            guard bytes.count <= maxByteCount else {
                throw .limitExceeded(.memory, requested: bytes.count, allowed: maxByteCount)
            }
            room = bytes.count < expected ? expected - bytes.count + 1 : 1 << 16
        }
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

    private static func systemWrite(_ number: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(number, base, count)
        #elseif canImport(Musl)
        unsafe Musl.write(number, base, count)
        #elseif canImport(Darwin)
        unsafe Darwin.write(number, base, count)
        #endif
    }

    static func lastError(_ path: String) -> ImageError {
        .inputOutput(path: path, message: message(errno))
    }

    static func message(_ code: Int32) -> String {
        // SAFETY: `strerror` returns a null-terminated string.
        unsafe String(cString: strerror(code))
    }
}

/// A file mapped into memory for reading, unmapped when it goes away.
// SAFETY: @unchecked because the memory is a raw pointer; it is only ever read.
@safe
final class MappedFile: @unchecked Sendable {
    let byteCount: Int
    private let base: UnsafeRawPointer

    /// Maps a file, or answers `nil` where mapping is impossible (pipes, empty files).
    init?(_ file: FileDescriptor, path: String, maxByteCount: Int) throws(ImageError) {
        guard let size = try file.regularFileSize(), size > 0 else { return nil }
        guard size <= maxByteCount else {
            throw .limitExceeded(.memory, requested: size, allowed: maxByteCount)
        }
        // SAFETY: a fresh private mapping of `size` bytes; failure is checked below.
        let address = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.number, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw FileDescriptor.lastError(path)
        }
        byteCount = size
        unsafe base = UnsafeRawPointer(address)
    }

    deinit {
        // SAFETY: the mapping was made by `init` with this size.
        unsafe _ = munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        // SAFETY: the mapping holds `byteCount` bytes and lives as long as `self`.
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
        return try unsafe body(Span(_unsafeElements: buffer))
    }
}
