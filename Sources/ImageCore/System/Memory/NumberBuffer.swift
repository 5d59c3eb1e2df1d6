// Memory for numbers (coefficients, sums, filter weights): counted, aligned, copy-on-write.

/// A fixed number of integers with value semantics.
@frozen @usableFromInline
package struct NumberBuffer<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
    @usableFromInline var storage: ScratchBuffer
    /// How many there are.
    @usableFromInline package let count: Int

    /// Allocates `count` integers, all zero; large buffers cost nothing until they are touched.
    package init(count: Int, meter: MemoryMeter?) throws(ImageError) {
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, !overflow else { throw .limitExceeded(.memory, requested: .max, allowed: .max) }
        storage = try ScratchBuffer(zeroedByteCount: byteCount, meter: meter)
        self.count = count
    }

    /// Allocates integers without clearing them, fewer than 2^32: for tables of which no entry is read before it is written.
    package init(uninitializedCount count: Int, meter: MemoryMeter?) throws(ImageError) {
        storage = try ScratchBuffer(byteCount: count * MemoryLayout<Element>.stride, meter: meter)
        self.count = count
    }

    private init(storage: ScratchBuffer, count: Int) {
        self.storage = storage
        self.count = count
    }

    /// The buffer, moved out of its place so that it is uniquely held while the rest of that place's owner is used; what
    /// is left must not be read or written before the buffer is put back.
    package mutating func handedOver() -> NumberBuffer {
        NumberBuffer(storage: storage.handedOver(), count: count)
    }

    /// Bytes held.
    package var byteCount: Int { storage.byteCount }

    /// Makes the integers this value's own, so that no write that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy.
    package mutating func makeUnique() throws(ImageError) { try storage.makeUnique() }

    /// The integers, for reading.
    @inlinable
    package func withSpan<R, E: Error>(_ body: (Span<Element>) throws(E) -> R) throws(E) -> R {
        try storage.withBytes { bytes throws(E) in try body(Span<Element>(_bytes: bytes)) }
    }

    /// The bytes of some of the integers, for reading.
    @inlinable
    package func withBytes<R, E: Error>(
        of range: Range<Int>, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        let size = MemoryLayout<Element>.stride
        return try storage.withBytes(size * range.lowerBound..<size * range.upperBound, body)
    }

    /// The integers, for writing.
    ///
    /// - Precondition: no other value holds them; see ``makeUnique()``.
    @inlinable
    package mutating func withMutableSpan<R, E: Error>(
        _ body: (inout MutableSpan<Element>) throws(E) -> R
    ) throws(E) -> R {
        try storage.withMutableBytes { bytes throws(E) in
            // SAFETY: the storage is aligned to 64 bytes, holds `count` integers, and every bit pattern is one; the
            // span does not outlive the closure.
            var span = unsafe MutableSpan<Element>(_unsafeBytes: unsafe bytes.withUnsafeMutableBytes { unsafe $0 })
            return try body(&span)
        }
    }
}
