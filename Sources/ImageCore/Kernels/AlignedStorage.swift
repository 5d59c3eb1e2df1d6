// Raw memory for bitmaps and decoder buffers: aligned, not cleared, counted, freed with its last reference.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A block of memory that is allocated once and never grows.
///
/// Not a value: the types that own one (``Bitmap``, `ScratchBuffer`) copy it before they write to a shared
/// block, and only they write to it.
// SAFETY: @unchecked because the memory is a raw pointer; owners write only while uniquely referenced.
@safe
package final class AlignedStorage: @unchecked Sendable {
    /// Bytes in the block.
    package let byteCount: Int
    /// Where the bytes are counted, if anywhere.
    package let meter: MemoryMeter?
    private let base: UnsafeMutableRawPointer

    /// Blocks start at a multiple of this: one cache line.
    package static let alignment = 64
    /// From this size on, blocks are aligned to huge pages and the kernel is asked to use them.
    private static let hugePageThreshold = 4 << 20
    private static let hugePageSize = 2 << 20

    /// Allocates memory without clearing it.
    ///
    /// - Throws: `limitExceeded(.memory)` when the meter or the system refuses.
    package init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        try meter?.reserve(byteCount)
        guard let base = unsafe Self.allocate(byteCount) else {
            meter?.release(byteCount)
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        self.byteCount = byteCount
        self.meter = meter
        unsafe self.base = base
    }

    /// A block without bytes.
    package static let none = AlignedStorage()

    private init() {
        byteCount = 0
        meter = nil
        // SAFETY: never read, because no byte is in range; `free` accepts it.
        unsafe base = malloc(1)
    }

    /// Copies `other`, byte for byte.
    ///
    /// A copy is made when a shared value is written to, where nothing can be thrown; it is counted even when
    /// that exceeds the limit, so that the decoder's next allocation is refused.
    private init(copying other: AlignedStorage) {
        other.meter?.reserveUnchecked(other.byteCount)
        guard let base = unsafe Self.allocate(other.byteCount) else {
            fatalError("out of memory while copying a shared bitmap of \(other.byteCount) bytes")
        }
        byteCount = other.byteCount
        meter = other.meter
        unsafe self.base = base
        // SAFETY: both blocks hold `byteCount` bytes and are distinct.
        unsafe base.copyMemory(from: other.base, byteCount: byteCount)
    }

    deinit {
        meter?.release(byteCount)
        unsafe free(base)
    }

    /// A separate block with the same bytes.
    package func copy() -> AlignedStorage { AlignedStorage(copying: self) }

    /// The bytes of `range`, for reading.
    ///
    /// - Precondition: `range` lies within the block.
    package func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above), which lives as long as `self`.
        let buffer = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return try unsafe body(RawSpan(_unsafeBytes: buffer))
    }

    /// The bytes of `range`, for writing.
    ///
    /// - Precondition: `range` lies within the block, and the caller's reference is the only one.
    package func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above), which lives as long as `self`.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
        var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
        return try body(&span)
    }

    /// Sets `range` to `value`.
    package func fill(_ range: Range<Int>, with value: UInt8) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above).
        unsafe _ = memset(base + range.lowerBound, Int32(value), range.count)
    }

    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let isHuge = byteCount >= hugePageThreshold
        var pointer: UnsafeMutableRawPointer?
        // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
        let status = unsafe posix_memalign(&pointer, isHuge ? hugePageSize : alignment, max(byteCount, 1))
        guard status == 0 else { return nil }
        #if os(Linux)
        // Filling a fresh block of 48 MB took 100 ms with small pages and 25 ms with huge ones.
        // SAFETY: the advice covers whole huge pages inside the block.
        if isHuge { unsafe _ = madvise(pointer, byteCount / hugePageSize * hugePageSize, MADV_HUGEPAGE) }
        #endif
        return unsafe pointer
    }
}
