// One thread waits until another tells it to go on.

internal import ImageCodecsCore

/// A signal that is sent once and waited for once, in either order.
// SAFETY: @unchecked because the state is only used while the monitor's lock is held.
@safe
final class ThreadSignal: @unchecked Sendable {
    private let monitor = ThreadMonitor()
    private var isSent = false

    /// Lets the thread that waits, or will wait, go on.
    func send() {
        monitor.withLock { isSent = true }
        monitor.signal()
    }

    /// Blocks the calling thread until the signal was sent.
    func wait() {
        monitor.withLock {
            while !isSent { monitor.wait() }
        }
    }
}
