// What all processes that use one cache folder share: a page of memory, and a lock for whoever changes it.

import ImageCodecsCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Two numbers in a mapped file, changed under the file's lock: bytes that are in use or reserved, and insertions so far. Before them
/// stands what file it is, after them a number made of both: a file that was damaged is not believed.
///
/// A process that is killed gives its lock back, not what it had reserved: the number of bytes is never too small, and becomes
/// right again when somebody counts.
// SAFETY: @unchecked because the memory is a pointer; its numbers are read and written as atomics.
@safe
final class SharedState: @unchecked Sendable {
    private static let byteCount = 4096
    /// "IMGSTATE" and a version.
    private static let magic: UInt64 = 0x494D_4753_5441_5403

    private let descriptor: Int32
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// Threads of this process go one after the other: the file's lock is one for all of them.
    private let turn = Mutex(())

    init(path: String) throws(ImageError) {
        // SAFETY: the path is a null-terminated string for the call.
        descriptor = unsafe SystemPath.withCString(path) {
            unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw CacheFolder.lastError(path) }
        guard ftruncate(descriptor, off_t(Self.byteCount)) == 0 else {
            close(descriptor)
            throw CacheFolder.lastError(path)
        }
        // SAFETY: a fresh shared mapping of a page of the file, which is that long; failure is checked below.
        let address = unsafe mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            close(descriptor)
            throw CacheFolder.lastError(path)
        }
        // SAFETY: a page is aligned for numbers of 64 bits, every bit pattern is one, and an atomic number is laid out as one.
        unsafe words = address.bindMemory(to: Atomic<UInt64>.self, capacity: 4)
    }

    deinit {
        // SAFETY: the mapping was made by `init` with this size, and is not used after this.
        unsafe _ = munmap(UnsafeMutableRawPointer(words), Self.byteCount)
        close(descriptor)
    }

    private func word(_ index: Int) -> UInt64 {
        // SAFETY: four words are mapped, and `index` is one of them.
        unsafe words[index].load(ordering: .relaxed)
    }

    private func setWord(_ index: Int, _ value: UInt64) {
        // SAFETY: four words are mapped, and `index` is one of them.
        unsafe words[index].store(value, ordering: .relaxed)
    }

    /// What the last word is if the file is whole; another one if one of the two numbers is another.
    private var seal: UInt64 { word(1) &* 0x9E37_79B9_7F4A_7C15 ^ word(2) &* 0xC2B2_AE3D_27D4_EB4F }

    /// Insertions into the folder so far, by all processes.
    var insertionCount: UInt64 { word(2) }

    /// Bytes in use or reserved.
    var usedByteCount: Int { Int(truncatingIfNeeded: word(1)) }

    /// Calls `body` while no other thread and no other process does.
    func withLock<R: Sendable>(_ body: (Access) throws(ImageError) -> R) throws(ImageError) -> R {
        let result = turn.withLock { _ -> Result<R, ImageError> in
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            defer { _ = flock(descriptor, LOCK_UN) }
            return Result { () throws(ImageError) in try body(Access(state: self)) }
        }
        return try result.get()
    }

    /// The numbers, for whoever has the lock.
    struct Access {
        fileprivate let state: SharedState

        /// Whether the file was written by this version, and is whole.
        var isValid: Bool { state.word(0) == SharedState.magic && state.word(3) == state.seal }

        var usedByteCount: Int { state.usedByteCount }

        func setUsed(_ byteCount: Int) {
            state.setWord(1, UInt64(max(0, byteCount)))
            state.setWord(0, SharedState.magic)
            state.setWord(3, state.seal)
        }

        func add(_ byteCount: Int) { setUsed(usedByteCount.addingSaturated(byteCount)) }

        /// Counts an insertion and answers how many there are now.
        func countInsertion() -> UInt64 {
            let count = state.word(2) &+ 1
            state.setWord(2, count)
            state.setWord(3, state.seal)
            return count
        }
    }
}
