// The folder of a disk cache: its files, by the operating system's calls.
//
//   state                      what all processes share, see SharedState
//   index                      the index of a cache that was closed
//   ab/cdef...                 an entry, named after its key, see EntryName
//   part-20480-1z141z3         an entry that is being written: room that is reserved for it, random; locked by its writer

import ImageCodecsCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files below one folder. Nothing is ever changed in its place: files are written beside, renamed and removed.
struct CacheFolder: Sendable {
    let path: String

    private static let partPrefix = "part-"

    init(path: String) throws(ImageError) {
        self.path = path
        try make()
    }

    /// Makes the folder, and those above it, if they are not there.
    func make() throws(ImageError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part + "/"
            if Self.makeFolder(made) != 0, errno != EEXIST, FileStatus(ofFileAt: made)?.kind != .directory {
                throw Self.lastError(made)
            }
        }
    }

    private func place(_ name: String) -> String { path + "/" + name }

    private func place(_ name: EntryName) -> String {
        let digits = name.text
        let slash = [UInt8(ascii: "/")]
        return String(decoding: Array(path.utf8) + slash + digits[..<2] + slash + digits[2...], as: UTF8.self)
    }

    // MARK: - Entries

    /// The bytes of an entry's file.
    ///
    /// - Parameter maxByteCount: of a longer file nothing is read, as it cannot be an entry.
    /// - Returns: `nil` if it cannot be read, for it is not there most often.
    func read(_ name: EntryName, atMost maxByteCount: Int) -> [UInt8]? { Self.read(place(name), atMost: maxByteCount) }

    /// Removes an entry's file; answers whether there was one.
    func remove(_ name: EntryName) -> Bool { Self.unlinkFile(place(name)) }

    /// Bytes of an entry on the disk, 0 if there is none.
    func allocatedByteCount(_ name: EntryName) -> Int { Self.allocatedByteCount(place(name)) ?? 0 }

    /// Gives an entry's file a time of use.
    func saveUse(_ name: EntryName, at seconds: Int64) {
        var times = [timespec(tv_sec: time_t(seconds), tv_nsec: 0), timespec()]
        times[1].tv_nsec = Self.omit
        // SAFETY: the path is a null-terminated string and the array holds two times, for the call.
        unsafe _ = SystemPath.withCString(place(name)) { unsafe utimensat(AT_FDCWD, $0, times, 0) }
    }

    #if canImport(Darwin)
    private static let omit = Int(UTIME_OMIT)
    #else
    /// `UTIME_OMIT`, a macro with a cast that is not imported.
    private static let omit = (1 << 30) - 2
    #endif

    // MARK: - Entries that are being written

    /// Begins a file with room reserved for it, locked until it is closed.
    func createPart(reserving byteCount: Int) throws(ImageError) -> EntryPart {
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        let part = place("\(Self.partPrefix)\(byteCount)-\(random)")
        // SAFETY: the path is a null-terminated string for the call.
        let descriptor = unsafe SystemPath.withCString(part) {
            unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw Self.lastError(part) }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        return EntryPart(descriptor: descriptor, path: part)
    }

    /// Makes a part that is written an entry, in the place of the one that is there.
    func commit(_ part: borrowing EntryPart, as name: EntryName) throws(ImageError) {
        let target = place(name)
        if part.rename(to: target) { return }
        if errno == ENOENT { _ = Self.makeFolder(String(target.prefix(path.utf8.count + 3))) }
        guard part.rename(to: target) else { throw Self.lastError(target) }
    }

    // MARK: - Other files

    func readIndex() -> [UInt8]? { Self.read(place("index"), atMost: 1 << 30) }

    func removeIndex() { _ = Self.unlinkFile(place("index")) }

    func writeIndex(_ bytes: [UInt8]) throws(ImageError) { try ImageData(bytes).write(toFile: place("index")) }

    var statePath: String { place("state") }

    // MARK: - Counting

    /// What is in the folder.
    struct Contents {
        var records: [DiskRecord] = []
        /// Bytes on the disk of all entries, and those reserved for what is being written.
        var byteCount = 0
    }

    /// Looks at every file, and removes those that a killed process left half written.
    func count() -> Contents {
        var contents = Contents()
        for name in Self.names(path) {
            if name.hasPrefix(Self.partPrefix) {
                contents.byteCount = contents.byteCount.addingSaturated(reservedByteCount(part: name))
            } else if name.utf8.count == 2 {
                addEntries(folder: name, to: &contents)
            } else if TemporaryFiles.isStale(name) {
                _ = Self.unlinkFile(place(name))
            }
        }
        return contents
    }

    private func addEntries(folder: String, to contents: inout Contents) {
        for name in Self.names(place(folder)) {
            guard let entry = EntryName(text: Array((folder + name).utf8)) else { continue }
            var status = stat()
            // SAFETY: the path is a null-terminated string and the structure lives through the call.
            guard unsafe SystemPath.withCString(place(entry), { unsafe lstat($0, &status) }) == 0 else { continue }
            #if canImport(Darwin)
            let usedAt = Int64(status.st_atimespec.tv_sec)
            #else
            let usedAt = Int64(status.st_atim.tv_sec)
            #endif
            let byteCount = Self.allocatedByteCount(status)
            contents.records.append(
                DiskRecord(name: entry, byteCount: byteCount, usedAt: usedAt, savedAt: usedAt))
            contents.byteCount += byteCount
        }
    }

    /// What is reserved for a part whose writer runs; the part of another is removed.
    private func reservedByteCount(part name: String) -> Int {
        // SAFETY: the path is a null-terminated string for the call.
        let descriptor = unsafe SystemPath.withCString(place(name)) {
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            _ = Self.unlinkFile(place(name))
            return 0
        }
        return name.dropFirst(Self.partPrefix.count).split(separator: "-").first.flatMap { Int($0) } ?? 0
    }

    // MARK: - Calls

    private static func names(_ folder: String) -> [String] {
        // SAFETY: the path is a null-terminated string for the call; the folder is closed after its last use.
        guard let listing = unsafe SystemPath.withCString(folder, { unsafe opendir($0) }) else { return [] }
        defer { unsafe _ = closedir(listing) }
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            // SAFETY: the name is a null-terminated string within the entry.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { place in
                unsafe String(cString: UnsafeRawPointer(place).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func read(_ path: String, atMost maxByteCount: Int) -> [UInt8]? {
        // SAFETY: the path is a null-terminated string for the call.
        let descriptor = unsafe SystemPath.withCString(path) {
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // SAFETY: the structure is initialised and lives through the call.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var isWhole = true
        let size = Int(status.st_size)
        guard size <= maxByteCount else { return [] }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // SAFETY: `count < size`, so pointer and count stay inside the buffer.
                let got = unsafe systemRead(descriptor, buffer.baseAddress! + count, size - count)
                if got < 0, errno == EINTR { continue }
                isWhole = got > 0
                if got <= 0 { return }
                count += got
            }
        }
        return isWhole ? bytes : nil
    }

    private static func unlinkFile(_ path: String) -> Bool {
        // SAFETY: the path is a null-terminated string for the call.
        unsafe SystemPath.withCString(path) { unsafe unlink($0) } == 0
    }

    private static func makeFolder(_ path: String) -> Int32 {
        // SAFETY: the path is a null-terminated string for the call.
        unsafe SystemPath.withCString(path) { unsafe mkdir($0, 0o700) }
    }

    private static func allocatedByteCount(_ path: String) -> Int? {
        var status = stat()
        // SAFETY: the path is a null-terminated string and the structure lives through the call.
        guard unsafe SystemPath.withCString(path, { unsafe lstat($0, &status) }) == 0 else { return nil }
        return allocatedByteCount(status)
    }

    /// Blocks, or if the file system has not chosen them yet the length in blocks; one at least, also if the file was emptied.
    fileprivate static func allocatedByteCount(_ status: stat) -> Int {
        max(Int(status.st_blocks) * 512, roundedToBlocks(max(Int(status.st_size), 1)))
    }

    /// Bytes that a file of some bytes takes, in the blocks of most file systems.
    static func roundedToBlocks(_ byteCount: Int) -> Int { byteCount.addingSaturated(4095) / 4096 * 4096 }

    static func lastError(_ path: String) -> ImageError {
        // SAFETY: `strerror` returns a null-terminated string.
        .inputOutput(path: path, message: unsafe String(cString: strerror(errno)))
    }
}

/// A file that is being written, locked as long as it is open.
struct EntryPart: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

    deinit { close(descriptor) }

    /// Adds bytes at the end.
    func write(_ bytes: Span<UInt8>) throws(ImageError) {
        var isWritten = true
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                // SAFETY: `done < count`, so pointer and count stay inside the buffer.
                let put = unsafe systemWrite(descriptor, buffer.baseAddress! + done, buffer.count - done)
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { return isWritten = false }
                done += put
            }
        }
        if !isWritten { throw CacheFolder.lastError(path) }
    }

    /// Bytes that it takes on the disk.
    var allocatedByteCount: Int {
        var status = stat()
        // SAFETY: the structure is initialised and lives through the call.
        unsafe _ = fstat(descriptor, &status)
        return CacheFolder.allocatedByteCount(status)
    }

    func rename(to target: String) -> Bool {
        // SAFETY: both paths are null-terminated strings for the call.
        unsafe SystemPath.withCString(path) { path in
            unsafe SystemPath.withCString(target) { unsafe systemRename(path, $0) }
        } == 0
    }

    func remove() { TemporaryFiles.unlinkFile(path) }
}

private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(number, base, count)
}

private func systemWrite(_ number: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(number, base, count)
}

private func systemRename(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
    unsafe rename(path, target)
}
