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

    private let folder: CacheFolder
    /// Of the file that is mapped; another one takes its number if the file is gone.
    private let descriptor: Int32
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// Threads of this process go one after the other: the file's lock is one for all of them.
    private let turn = Mutex(())

    init(in folder: CacheFolder) throws(ImageError) {
        self.folder = folder
        descriptor = try Self.openFile(folder.statePath)
        // SAFETY: a page anywhere; failure is checked in `map`.
        let address = unsafe Self.map(descriptor, at: nil)
        guard let address = unsafe address else {
            close(descriptor)
            throw CacheFolder.lastError(folder.statePath)
        }
        // SAFETY: a page is aligned for numbers of 64 bits, every bit pattern is one, and an atomic number is laid out as one.
        unsafe words = address.bindMemory(to: Atomic<UInt64>.self, capacity: 4)
    }

    /// The descriptor of the file, which is made if it is not there, a page long.
    private static func openFile(_ path: String) throws(ImageError) -> Int32 {
        // SAFETY: the path is a null-terminated string for the call.
        let descriptor = unsafe SystemPath.withCString(path) {
            unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
        guard descriptor >= 0 else { throw CacheFolder.lastError(path) }
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else {
            close(descriptor)
            throw CacheFolder.lastError(path)
        }
        return descriptor
    }

    /// A shared mapping of the first page of a file, which is that long; in the place of the page at `address`, if one is given.
    private static func map(_ descriptor: Int32, at address: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let place = unsafe address == nil ? 0 : MAP_FIXED
        // SAFETY: a fresh page, or one that this object has mapped and nobody else.
        let page = unsafe mmap(address, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | place, descriptor, 0)
        return unsafe page == MAP_FAILED ? nil : page
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
    ///
    /// If somebody removed the folder or put another one in its place, it is made and opened anew before that.
    func withLock<R: Sendable>(_ body: (Access) throws(ImageError) -> R) throws(ImageError) -> R {
        let result = turn.withLock { _ -> Result<R, ImageError> in
            Result { () throws(ImageError) in
                // Also if locking fails: then another file than the one in the folder is locked.
                defer { _ = flock(descriptor, LOCK_UN) }
                return try body(Access(state: self, isNew: try lockFile()))
            }
        }
        return try result.get()
    }

    /// Locks the file that is in the folder now; answers whether it is another one than before.
    private func lockFile() throws(ImageError) -> Bool {
        for attempt in 0..<8 {
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            if isInFolder { return attempt > 0 }
            // Readers see the old page or the new one. The old file's lock goes with its last descriptor.
            try folder.make()
            let file = try Self.openFile(folder.statePath)
            defer { close(file) }
            // SAFETY: the page is this object's, and another one takes its place at once.
            let page = unsafe Self.map(file, at: UnsafeMutableRawPointer(words))
            guard unsafe page != nil, dup2(file, descriptor) >= 0 else {
                throw CacheFolder.lastError(folder.statePath)
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        throw .inputOutput(path: folder.statePath, message: "is removed again and again")
    }

    /// Whether the file is the one that the folder has.
    private var isInFolder: Bool {
        var (own, found) = (stat(), stat())
        // SAFETY: the path is a null-terminated string and the structures live through the calls.
        let isThere =
            unsafe fstat(descriptor, &own) == 0
            && SystemPath.withCString(folder.statePath) { unsafe lstat($0, &found) } == 0
        return isThere && own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// The numbers, for whoever has the lock.
    struct Access {
        fileprivate let state: SharedState
        /// Whether the folder is another one than before: what was known of it does not hold.
        let isNew: Bool

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
