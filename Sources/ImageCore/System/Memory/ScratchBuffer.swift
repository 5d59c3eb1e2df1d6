// A decoder's working memory: counted, copy-on-write, not cleared.

/// A fixed number of bytes with value semantics.
///
/// Copying the value is free. A write does not allocate: whoever may hold a shared value calls ``makeUnique()`` first,
/// which copies the bytes or throws. That is what makes a copied decoder an independent checkpoint.
@frozen @usableFromInline
package struct ScratchBuffer: Sendable {
    @usableFromInline var storage: AlignedStorage

    /// Allocates memory without clearing it.
    package init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        storage = try AlignedStorage(byteCount: byteCount, meter: meter)
    }

    /// Allocates memory and sets every byte to `value`; for buffers of rows, not of pictures.
    package init(byteCount: Int, filledWith value: UInt8, meter: MemoryMeter?) throws(ImageError) {
        try self.init(byteCount: byteCount, meter: meter)
        storage.fill(0..<byteCount, with: value)
    }

    /// Allocates memory in which every byte is zero; large blocks cost nothing until they are touched.
    package init(zeroedByteCount byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        storage = try AlignedStorage(zeroedByteCount: byteCount, meter: meter)
    }

    /// The buffer, moved out of its place so that it is uniquely held while the rest of that place's owner is used; what
    /// is left is empty until the buffer is put back.
    package mutating func handedOver() -> ScratchBuffer {
        var result = ScratchBuffer()
        swap(&result, &self)
        return result
    }

    private init() { storage = .none }

    /// Makes the bytes this value's own, so that no write that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy.
    package mutating func makeUnique() throws(ImageError) {
        if byteCount > 0, !isKnownUniquelyReferenced(&storage) { storage = try storage.copied() }
    }

    /// Sees to it that no other value sees a write; if ``makeUnique()`` was forgotten, by a copy.
    @inlinable
    mutating func requireOwnBytes() {
        if !isKnownUniquelyReferenced(&storage), storage.byteCount > 0 { storage = storage.copiedLate() }
    }

    /// Whether no other value holds the same bytes.
    package mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// Bytes in the buffer.
    @inlinable package var byteCount: Int { storage.byteCount }

    /// The bytes, for reading.
    @inlinable
    package func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try storage.withBytes(0..<storage.byteCount, body)
    }

    /// The bytes, for writing.
    ///
    /// - Precondition: no other value holds them; see ``makeUnique()``.
    @inlinable
    package mutating func withMutableBytes<R, E: Error>(
        _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        requireOwnBytes()
        return try storage.withMutableBytes(0..<storage.byteCount, body)
    }

    /// The bytes of `range`, for writing and for reading, as numbers.
    ///
    /// - Precondition: `range` lies within the buffer, and no other value holds the bytes.
    package mutating func withMutablePixels<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try withMutableBytes(range) { (bytes) throws(E) in
            // SAFETY: any byte is a number; if memory was not cleared it holds some bytes.
            var numbers = unsafe bytes._unsafeMutableView(as: UInt8.self)
            return try body(&numbers)
        }
    }

    /// The bytes of `range`, for reading.
    ///
    /// - Precondition: `range` lies within the buffer.
    @inlinable
    package func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try storage.withBytes(range, body)
    }

    /// The bytes of `range`, for writing.
    ///
    /// - Precondition: `range` lies within the buffer, and no other value holds the bytes.
    @inlinable
    package mutating func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        requireOwnBytes()
        return try storage.withMutableBytes(range, body)
    }

    /// Sets `range` to `value`.
    ///
    /// - Precondition: `range` lies within the buffer, and no other value holds the bytes.
    package mutating func fill(_ range: Range<Int>, with value: UInt8) {
        requireOwnBytes()
        storage.fill(range, with: value)
    }
}
