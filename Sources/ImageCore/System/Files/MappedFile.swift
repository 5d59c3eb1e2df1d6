// A file as memory: its pages are read when they are looked at.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file mapped into memory for reading, unmapped when it goes away.
// SAFETY: @unchecked because the memory is a raw pointer; it is only ever read.
@safe
final class MappedFile: @unchecked Sendable {
    let byteCount: Int
    private let base: UnsafeRawPointer

    /// Maps a file, or answers `nil` if mapping is impossible (pipes, empty files).
    init?(_ file: FileDescriptor, path: String, maxByteCount: Int) throws(ImageError) {
        let status = try file.status()
        guard status.kind == .regular, status.byteCount > 0 else { return nil }
        guard status.byteCount <= maxByteCount else {
            throw .limitExceeded(.input, requested: status.byteCount, allowed: maxByteCount)
        }
        // SAFETY: a fresh private mapping of `count` bytes; failure is checked below.
        let address = unsafe mmap(nil, status.byteCount, PROT_READ, MAP_PRIVATE, file.number, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw FileDescriptor.lastError(path)
        }
        byteCount = status.byteCount
        unsafe base = UnsafeRawPointer(address)
    }

    deinit {
        // SAFETY: the mapping was made by `init` with this size.
        unsafe _ = munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        // SAFETY: the mapping holds `byteCount` bytes and lives as long as `self`.
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
        return try unsafe body(Span(_unsafeElements: buffer))
    }
}
