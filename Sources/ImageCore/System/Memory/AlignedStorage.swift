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
@safe @usableFromInline
package final class AlignedStorage: @unchecked Sendable {
    /// Bytes in the block.
    @usableFromInline package let byteCount: Int
    /// Where the bytes are counted, if anywhere.
    package let meter: MemoryMeter?
    @usableFromInline let base: UnsafeMutableRawPointer
    /// Whose the memory is, and so how it is given back.
    private let origin: Origin

    private enum Origin {
        /// The allocator's.
        case allocator
        /// A mapping of its own, `byteCount` bytes long.
        case mapping
        /// A caller's, on loan; see ``init(borrowing:byteCount:)``.
        case caller
        /// Nobody's: there are no bytes.
        case nowhere
    }

    /// Whether the memory is a caller's, on loan.
    package var isBorrowed: Bool { origin == .caller }

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
        guard meter?.failsAllocation() != true, let base = unsafe Self.allocate(byteCount) else {
            meter?.release(byteCount)
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        self.byteCount = byteCount
        self.meter = meter
        unsafe self.base = base
        origin = .allocator
    }

    /// Allocates memory in which every byte is zero.
    ///
    /// Large blocks are fresh pages of the system: they cost nothing until they are touched, so that a few bytes of
    /// input cannot buy the time it takes to clear a large picture.
    ///
    /// - Throws: `limitExceeded(.memory)` when the meter or the system refuses.
    package init(zeroedByteCount byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        try meter?.reserve(byteCount)
        let isMapped = byteCount >= Self.hugePageThreshold
        guard meter?.failsAllocation() != true,
            let base = unsafe isMapped ? Self.map(byteCount) : Self.allocate(byteCount)
        else {
            meter?.release(byteCount)
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        self.byteCount = byteCount
        self.meter = meter
        unsafe self.base = base
        origin = isMapped ? .mapping : .allocator
        // SAFETY: the block has `byteCount` bytes.
        if !isMapped { unsafe _ = memset(base, 0, byteCount) }
    }

    /// Asks the system whether it has memory for `byteCount` bytes, which are counted by who is going to take them.
    ///
    /// - Parameter meter: of the decode; it counts nothing.
    /// - Throws: `limitExceeded(.memory)` when the system refuses.
    package static func probe(_ byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        guard meter?.failsAllocation() != true, let base = unsafe allocate(byteCount) else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: 0)
        }
        // SAFETY: the block was the allocator's a moment ago, and nobody holds it.
        unsafe Self.release(base)
    }

    /// A block without bytes.
    package static let none = AlignedStorage()

    private init() {
        byteCount = 0
        meter = nil
        origin = .nowhere
        // SAFETY: not null, an address that is aligned like any block's, and is never read because no byte is in range.
        unsafe base = UnsafeMutableRawPointer(bitPattern: Self.alignment)!
    }

    /// Memory of a caller, which is neither counted nor freed.
    ///
    /// Only ``Bitmap/withBorrowedMemory(_:_:_:)`` makes such blocks, and sees to it that none outlives the loan.
    @unsafe
    init(borrowing base: UnsafeMutableRawPointer, byteCount: Int) {
        self.byteCount = byteCount
        meter = nil
        unsafe self.base = base
        origin = .caller
    }

    deinit {
        switch origin {
        case .allocator:
            meter?.release(byteCount)
            // SAFETY: the block is the allocator's, and nobody holds it any more.
            unsafe Self.release(base)
        case .mapping:
            meter?.release(byteCount)
            // SAFETY: the block is a mapping of this size, and nobody holds it any more.
            unsafe _ = munmap(base, byteCount)
        case .caller, .nowhere: break
        }
    }

    /// A separate block with the same bytes.
    ///
    /// - Throws: `limitExceeded(.memory)` when the meter or the system refuses.
    package func copied() throws(ImageError) -> AlignedStorage {
        let copy = try AlignedStorage(byteCount: byteCount, meter: meter)
        // SAFETY: both blocks hold `byteCount` bytes and are distinct.
        unsafe copy.base.copyMemory(from: base, byteCount: byteCount)
        return copy
    }

    /// The same for a write that was not preceded by ``copied()``, if nothing can be thrown.
    ///
    /// No write of this package should come here, and the tests that refuse every request for memory find one that does: with
    /// memory it gets its copy all the same, without it the process ends.
    @usableFromInline package func copiedLate() -> AlignedStorage {
        do throws(ImageError) {
            return try copied()
        } catch {
            preconditionFailure("written to while it is shared: \(error)")
        }
    }

    /// The bytes of `range`, for reading.
    ///
    /// - Precondition: `range` lies within the block.
    @inlinable
    package func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        // SAFETY: the range is inside the block (checked above), which lives as long as `self`.
        let buffer = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return try unsafe body(RawSpan(_unsafeBytes: buffer))
    }

    /// The bytes of `range`, for writing.
    ///
    /// - Precondition: `range` lies within the block, and the caller's reference is the only one.
    @inlinable
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

    /// Fresh zero pages; `nil` when the system refuses.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        #if canImport(Darwin)
        let flags = MAP_PRIVATE | MAP_ANON
        #else
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        #endif
        // SAFETY: an anonymous mapping of its own; failure is checked.
        let address = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { return nil }
        #if os(Linux)
        // SAFETY: the advice covers the mapping.
        unsafe _ = madvise(address, byteCount, MADV_HUGEPAGE)
        #endif
        return unsafe address
    }

    /// A block of the allocator's, aligned by hand: where it began stands before the first byte.
    ///
    /// When the C library is asked for aligned blocks of megabytes, it gives each back to the system when it is freed, and every
    /// decode pays for fresh pages; blocks of any alignment it keeps for the next.
    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let isHuge = byteCount >= hugePageThreshold
        let alignment = isHuge ? hugePageSize : alignment
        let lead = alignment + MemoryLayout<UInt>.size
        let (total, isTooLarge) = byteCount.addingReportingOverflow(lead)
        // SAFETY: a block of `total` bytes, or null, which is checked.
        guard !isTooLarge, let block = unsafe malloc(total) else { return nil }
        // The last multiple of the alignment that leaves `byteCount` bytes after it; a pointer's size or more is before it.
        // Addresses may have their highest bit set, as tagged ones do.
        let offset = lead - Int((UInt(bitPattern: block) &+ UInt(lead)) % UInt(alignment))
        // SAFETY: `offset + byteCount` is at most `total`.
        let start = unsafe block + offset
        // SAFETY: `offset` is more than the size of a number.
        unsafe start.storeBytes(of: UInt(bitPattern: block), toByteOffset: -MemoryLayout<UInt>.size, as: UInt.self)
        #if os(Linux)
        // Filling a fresh block of 48 MB took 100 ms with small pages and 25 ms with huge ones.
        // SAFETY: the advice covers whole huge pages inside the block.
        if isHuge { unsafe _ = madvise(start, byteCount / hugePageSize * hugePageSize, MADV_HUGEPAGE) }
        #endif
        return unsafe start
    }

    /// Gives back what ``allocate(_:)`` returned.
    private static func release(_ start: UnsafeMutableRawPointer) {
        // SAFETY: the address of the allocator's block stands before the first byte.
        let block = unsafe start.load(fromByteOffset: -MemoryLayout<UInt>.size, as: UInt.self)
        // SAFETY: the block was the allocator's, and is given back once.
        unsafe free(UnsafeMutableRawPointer(bitPattern: block))
    }
}
