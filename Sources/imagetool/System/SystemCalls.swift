// The few operating system calls that take pointers.

import ImageCodecs
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Unbuffered standard error.
enum StandardError {
    static func write(_ text: String) {
        // A byte of a name that is no UTF-8 is shown as what cannot be shown.
        let shown = text.unicodeScalars.map { SystemPath.isByte($0) ? "\u{FFFD}" : $0 }
        let bytes = Array(String(String.UnicodeScalarView(shown)).utf8)
        // Nobody is left to report the failure to.
        try? bytes.withSpan { (bytes) throws(ImageError) in try FileDescriptor.standardError.write(bytes) }
    }

    /// A line about a file: `path: message`.
    static func write(_ message: String, about path: String) {
        write("\(path): \(message)".replacingControlCharacters + "\n")
    }

    /// Whether a person is looking at it.
    static var isTerminal: Bool { isatty(2) == 1 }
}

/// Unbuffered standard output.
enum StandardOutput {
    private static let failed = Atomic<Bool>(false)

    /// Whether something could not be written.
    static var hasFailed: Bool { failed.load(ordering: .relaxed) }

    /// Writes text and a line break. The first failure is a line on standard error; nothing is written after it.
    static func write(_ text: String) {
        guard !hasFailed else { return }
        do throws(ImageError) {
            try ImageData(Array((text + "\n").utf8)).write(toFile: "-")
        } catch {
            guard !failed.exchange(true, ordering: .relaxed) else { return }
            StandardError.write(error.message(for: "-"), about: "standard output")
        }
    }

    /// Whether a person is looking at it.
    static var isTerminal: Bool { isatty(1) == 1 }

    /// Makes a file that exceeds the limit on file sizes (`ulimit -f`) an error like a full disk, where by default
    /// the process would end and leave half of a file.
    static func reportsFullFiles() {
        _ = signal(SIGXFSZ, SIG_IGN)
    }
}

/// Standard input, output and error, which whoever starts a process may have closed.
enum StandardDescriptors {
    /// Opens the null device in place of those that are closed, so that no file opened later gets one of their numbers
    /// and receives what is printed. It is opened for reading: output that has nowhere to go is still an error.
    static func fillGaps() {
        while true {
            // SAFETY: the path is a null-terminated string for the call.
            let number = unsafe open("/dev/null", O_RDONLY)
            guard !(0...2).contains(number) else { continue }
            if number > 2 { _ = close(number) }
            return
        }
    }
}

extension StandardDescriptors {
    /// Whether a path leads to what standard input reads, as `/dev/stdin` does.
    static func isStandardInput(_ path: String) -> Bool { isSame(path, 0) }

    /// Refuses a path that leads to what standard output writes, as `/dev/stdout` does: answers go there.
    static func checkOutput(_ path: String) throws(ImageError) {
        if isSame(path, 1) {
            throw .invalidArgument("\"output\" is standard output, where answers go; leave it out for base64")
        }
    }

    private static func isSame(_ path: String, _ number: Int32) -> Bool {
        guard let status = FileStatus(ofFileAt: path) else { return false }
        return status.identity == FileStatus(ofDescriptor: number)?.identity
    }
}

/// Processes that a benchmark measures in.
enum ProcessMeasurement {
    /// Runs `body` in a child process, so that its memory is counted apart, and says whether it answered `true`.
    ///
    /// Must be called before this process starts a thread. If processes cannot fork, runs it in this one.
    static func inChildProcess(_ body: () -> Bool) -> Bool {
        #if canImport(Darwin)
        return body()
        #else
        let child = fork()
        if child == 0 {
            let isFine = body()
            _exit(isFine ? 0 : 1)
        }
        guard child > 0 else { return body() }
        var status: Int32 = 0
        // SAFETY: the status lives through the call.
        while unsafe waitpid(child, &status, 0) < 0 {
            if errno != EINTR { return false }
        }
        return status == 0
        #endif
    }
}
