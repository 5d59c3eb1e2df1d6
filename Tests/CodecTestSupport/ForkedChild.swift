// Work in a child process: a trap or a hang there ends the child alone, and its memory is counted by itself.

#if canImport(Glibc)
internal import Glibc

/// Runs one piece of work in a fork of this process.
///
/// The parent must not have started threads. If there is no `fork` (Darwin forbids it to Swift), there is no type.
package enum ForkedChild {
    /// What the child says to its parent.
    package struct Line: Sendable {
        fileprivate let descriptor: Int32

        /// Sends a line, which must not contain a line break.
        package func send(_ text: String) {
            let bytes = Array((text + "\n").utf8)
            unsafe bytes.withUnsafeBytes { buffer in
                var done = 0
                while done < buffer.count {
                    // SAFETY: `done < count`, so pointer and count stay inside the buffer.
                    let count = unsafe write(descriptor, buffer.baseAddress! + done, buffer.count - done)
                    if count <= 0 { return }
                    done += count
                }
            }
        }

        /// Ends the process with SIGALRM unless this is called again within so many seconds; 0 stops that.
        package func expectAnswer(withinSeconds seconds: Int) { _ = alarm(UInt32(max(0, seconds))) }
    }

    /// How a child ended.
    package struct Ending: Sendable {
        /// The signal that ended it, if one did.
        package let signal: Int32?
        /// The most memory it had in RAM; begins at what the parent had when it forked.
        package let peakResidentBytes: Int
        /// Whether it ran out of the time it had asked for.
        package var isHang: Bool { signal == SIGALRM }
    }

    /// Runs `body` in a child and hands its lines to `receive` in the parent as they come.
    ///
    /// - Returns: `nil` if there can be no child.
    package static func run(_ body: (Line) -> Void, receive: (String) -> Void) -> Ending? {
        var ends: [Int32] = [0, 0]
        // SAFETY: the array holds the two numbers that `pipe` writes.
        guard unsafe pipe(&ends) == 0 else { return nil }
        // What is buffered would be written twice.
        fflush(nil)
        let child = fork()
        guard child >= 0 else { return nil }
        if child == 0 {
            close(ends[0])
            // A trap ends the child at once; the runtime's backtracer would print pages.
            for trap in [SIGILL, SIGTRAP] { _ = signal(trap, SIG_DFL) }
            body(Line(descriptor: ends[1]))
            fflush(nil)
            _exit(0)
        }
        close(ends[1])
        readLines(ends[0], receive)
        close(ends[0])
        var status: Int32 = 0
        var usage = rusage()
        // SAFETY: both are initialised and live through the call.
        unsafe _ = wait4(child, &status, 0, &usage)
        let signal = status & 0x7F
        return Ending(signal: signal == 0 ? nil : signal, peakResidentBytes: usage.ru_maxrss * 1024)
    }

    /// The most memory this process had in RAM so far.
    package static var peakResidentBytes: Int {
        var usage = rusage()
        // SAFETY: the structure is initialised and lives through the call.
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 0 }
        return usage.ru_maxrss * 1024
    }

    private static func readLines(_ descriptor: Int32, _ receive: (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var line: [UInt8] = []
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { space in
                // SAFETY: the count is that of the buffer.
                unsafe read(descriptor, space.baseAddress, space.count)
            }
            guard count > 0 else { return }
            for byte in buffer.prefix(count) {
                if byte == UInt8(ascii: "\n") {
                    receive(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
    }
}
#endif
