// The lock of builds under the thread sanitizer, used in place of that of the module Synchronization.
//
// The standard library is not built with the sanitizer: if a thread waits for its lock, the sanitizer does not see that
// it got the lock, and reports a race on what the lock protects. It knows the operating system's locks. Scripts/check-sanitizers
// sets the condition. Other modules that lock have links to this file.

#if THREAD_SANITIZER
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A value that one thread at a time may use, like `Synchronization.Mutex`.
// SAFETY: @unchecked because lock and value are pointers: the lock is made for use by several threads, and the value, which
// was sent here, is used under the lock only.
@safe
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value) {
        // SAFETY: memory of the objects' own types, initialised before anybody else sees it. Without attributes the call
        // does not fail.
        unsafe lock = .allocate(capacity: 1)
        unsafe value = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe value.initialize(to: initial)
        unsafe _ = pthread_mutex_init(lock, nil)
    }

    deinit {
        // SAFETY: nobody borrows the lock, so nobody holds it; both were initialised.
        unsafe _ = pthread_mutex_destroy(lock)
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // SAFETY: the lock is initialised and not held by this thread, as Mutex requires; the value is this thread's until
        // it is opened.
        unsafe _ = pthread_mutex_lock(lock)
        defer { unsafe _ = pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}
#endif
