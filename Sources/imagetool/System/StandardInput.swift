// Standard input: whether it had anything, and reading it as it comes.

import ImageCodecs
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The one standard input of the process.
enum StandardInput {
    private static let wasEmpty = Atomic<Bool>(false)

    /// Whether an image was looked for in it and there was not a single byte, as after a program that failed.
    static var isEmpty: Bool { wasEmpty.load(ordering: .relaxed) }

    static func recordThatItIsEmpty() { wasEmpty.store(true, ordering: .relaxed) }

    /// Whether it is a file or a pipe: no terminal, and nothing that is always empty.
    static var isRedirected: Bool {
        var status = stat()
        // SAFETY: the structure lives through the call.
        guard unsafe fstat(0, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFIFO
    }

    /// Appends what comes next to `bytes`, at most `maxByteCount` bytes of it; answers how many those were, 0 at the end.
    ///
    /// - Throws: `inputOutput` with the system's message.
    static func read(into bytes: inout [UInt8], maxByteCount: Int) throws(ImageError) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: maxByteCount))
        var got = 0
        unsafe bytes.withUnsafeMutableBytes { buffer in
            repeat {
                // SAFETY: `maxByteCount` bytes were appended at `start`, and `read` fills at most as many.
                got = unsafe systemRead(0, buffer.baseAddress! + start, maxByteCount)
            } while got < 0 && errno == EINTR
        }
        let failure = errno
        bytes.removeLast(maxByteCount - max(got, 0))
        guard got >= 0 else {
            // SAFETY: `strerror` returns a null-terminated string.
            throw .inputOutput(path: "-", message: unsafe String(cString: strerror(failure)))
        }
        return got
    }
}

private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(number, base, count)
}
