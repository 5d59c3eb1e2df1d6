// A lock with a condition to wait for, and threads that never end: the operating system's, in few words.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A mutual exclusion lock and one condition.
// SAFETY: @unchecked because the lock and the condition are pointers, to objects made for use by several threads.
@safe
package final class ThreadMonitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        // SAFETY: memory of the objects' own types, initialised before anybody else sees it. Without attributes neither
        // call fails.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe _ = pthread_mutex_init(mutex, nil)
        unsafe _ = pthread_cond_init(condition, nil)
    }

    deinit {
        // SAFETY: nobody holds the monitor, so nobody waits; both were initialised.
        unsafe _ = pthread_cond_destroy(condition)
        unsafe _ = pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread runs one.
    package func withLock<R>(_ body: () -> R) -> R {
        // SAFETY: the lock is initialised and not held by this thread: bodies do not nest.
        unsafe _ = pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Opens the lock, waits for a signal (or for nothing), and closes it again.
    ///
    /// - Precondition: called in a body of ``withLock(_:)``.
    package func wait() {
        // SAFETY: the calling thread holds the lock (precondition).
        unsafe _ = pthread_cond_wait(condition, mutex)
    }

    /// Wakes one thread that waits.
    package func signal() {
        // SAFETY: the condition is initialised.
        unsafe _ = pthread_cond_signal(condition)
    }
}

/// A thread that runs until the process ends.
package enum EndlessThread {
    /// Decoders keep their buffers on the heap; what they need of a stack is far less.
    private static let stackByteCount = 1 << 20

    /// Starts `body` on a thread of its own.
    ///
    /// - Returns: Whether the system had a thread to give.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // SAFETY: the attributes are initialised before they are used, and outlive their use.
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe _ = pthread_attr_destroy(&attributes) }
        unsafe _ = pthread_attr_setstacksize(&attributes, stackByteCount)
        unsafe _ = pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let start = unsafe Unmanaged.passRetained(ThreadStart(body))
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        // SAFETY: the argument is the retained object above, which the new thread takes over, or nobody.
        let status = unsafe pthread_create(&thread, &attributes, runThread, start.toOpaque())
        if status != 0 { unsafe start.release() }
        return status == 0
    }
}

/// What a thread is to do.
private final class ThreadStart: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

#if canImport(Darwin)
// SAFETY: the argument is the retained `ThreadStart` of `EndlessThread.start`, handed over to this thread.
private func runThread(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
    return nil
}
#else
// SAFETY: the argument is the retained `ThreadStart` of `EndlessThread.start`, handed over to this thread.
private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start = unsafe start else { return nil }
    unsafe Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
    return nil
}
#endif

/// Processors that are switched on, at least 1.
package func onlineProcessorCount() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
