// Memory that grows: counted, moved by the system if it can, so that no second block is held while it grows.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A block of memory whose size changes.
///
/// Not a value: the type that owns one (`ByteCollector`) makes another before it writes to a shared block, and only it
/// writes.
// SAFETY: @unchecked because the memory is a raw pointer; the owner writes only while uniquely referenced.
@safe
final class GrowableMemory: @unchecked Sendable {
    /// Bytes in the block.
    private(set) var byteCount: Int
    private var base: UnsafeMutableRawPointer
    private let meter: MemoryMeter?

    /// Allocates memory without clearing it.
    ///
    /// - Throws: `limitExceeded(.memory)` when the meter or the system refuses.
    init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        try meter?.reserve(byteCount)
        // SAFETY: the result is checked.
        guard meter?.failsAllocation() != true, let base = unsafe malloc(max(byteCount, 1)) else {
            meter?.release(byteCount)
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        self.byteCount = byteCount
        self.meter = meter
        unsafe self.base = base
    }

    deinit {
        meter?.release(byteCount)
        // SAFETY: the block is the allocator's, and nobody holds it any more.
        unsafe free(base)
    }

    /// Changes the size; bytes that both sizes have stay.
    ///
    /// - Precondition: the caller's reference is the only one.
    /// - Throws: `limitExceeded(.memory)` when the meter or the system refuses; nothing has changed then.
    func resize(to newByteCount: Int) throws(ImageError) {
        let more = max(0, newByteCount - byteCount)
        try meter?.reserve(more)
        // SAFETY: the block is the allocator's; if there is no memory it stays as it is.
        guard meter?.failsAllocation() != true, let moved = unsafe realloc(base, max(newByteCount, 1)) else {
            meter?.release(more)
            throw .limitExceeded(.memory, requested: newByteCount, allowed: 0)
        }
        meter?.release(max(0, byteCount - newByteCount))
        unsafe base = moved
        byteCount = newByteCount
    }

    /// The bytes of `range`, for reading.
    ///
    /// - Precondition: `range` lies within the block.
    func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above), which lives as long as `self`.
        let buffer = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return try unsafe body(RawSpan(_unsafeBytes: buffer))
    }

    /// The bytes of `range`, for writing.
    ///
    /// - Precondition: `range` lies within the block, and the caller's reference is the only one.
    func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above), which lives as long as `self`.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
        var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
        return try body(&span)
    }
}
