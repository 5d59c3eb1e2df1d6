// What is left to do when the process is asked to end: files that are half written are removed first.
//
//   signal ──▶ handler, on any thread ──▶ pipe ──▶ a thread that waits ──▶ files removed ──▶ the same signal, which now ends the process

import Dispatch
import ImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Signals that end a process from outside.
enum Interruption {
    /// Those that a process can do something about.
    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2]

    /// The end of the pipe that handlers write to; set before there is a handler, and never again.
    nonisolated(unsafe) private static var entrance: Int32 = -1

    /// Lets the signals that would end the process remove what it was writing first; those that it was started to ignore stay ignored.
    static func removesTemporaryFiles() {
        var ends: [Int32] = [-1, -1]
        // SAFETY: `pipe` fills two numbers.
        guard unsafe ends.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress!) }) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        unsafe entrance = ends[1]
        let way = ends[0]
        DispatchQueue(label: "interruption").async { removeFiles(atSignalFrom: way) }
        for number in signals {
            let usual = signal(number, handle)
            // SAFETY: a pointer to a function, or one of the small numbers that stand for none, compared and not called.
            let isIgnored = unsafe unsafeBitCast(usual, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if isIgnored { _ = signal(number, SIG_IGN) }
        }
        unblock()
    }

    /// Lets the signals come. Whoever starts a process from a thread that has them blocked, as those of Dispatch have, hands that on.
    private static func unblock() {
        var numbers = sigset_t()
        // SAFETY: a set of signals, which lives through each call.
        unsafe _ = sigemptyset(&numbers)
        for number in signals { unsafe _ = sigaddset(&numbers, number) }
        unsafe _ = pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    }

    /// Passes the number of a signal on. Nothing else may be done in a handler, which may have interrupted anything.
    private static let handle: @convention(c) (Int32) -> Void = { number in
        let failure = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // SAFETY: one byte, which lives through the call. The pipe is there: handlers are set after it.
        unsafe _ = write(Interruption.entrance, &byte, 1)
        errno = failure
        // Whoever writes to a pipe that nobody reads holds no lock that the other thread waits for, and has nothing more to do.
        if number == SIGPIPE { while true { _ = pause() } }
    }

    /// Waits for a signal, and ends the process as it would have.
    private static func removeFiles(atSignalFrom way: Int32) {
        var byte: UInt8 = 0
        // SAFETY: one byte, which lives through the call.
        while unsafe read(way, &byte, 1) != 1 {
            if errno != EINTR { return }
        }
        let number = Int32(byte)
        TemporaryFiles.removeAll {
            _ = signal(number, SIG_DFL)
            // To the process, whose other threads may take it: this one may have it blocked.
            _ = kill(getpid(), number)
            while true { _ = pause() }
        }
    }
}
