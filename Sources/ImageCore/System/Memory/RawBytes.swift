// Checked byte access for raw spans, which the standard library only offers as unsafe loads.

extension RawSpan {
    /// The byte at `offset`.
    ///
    /// - Precondition: `offset` is in `0..<byteCount`.
    @inlinable
    package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "outside the span")
        // SAFETY: checked above; every bit pattern is a byte.
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// The sample of sixteen bits, in the machine's byte order, whose first byte is at `offset`.
    ///
    /// - Precondition: both bytes are in the span.
    @inlinable
    package func nativeUInt16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: UInt16(byte(at: offset)) | UInt16(byte(at: offset + 1)) << 8)
    }

    /// The number of 32 bits, in the machine's byte order, whose first byte is at `offset`.
    ///
    /// - Precondition: all four bytes are in the span.
    @inlinable @inline(__always)
    package func nativeUInt32(at offset: Int) -> UInt32 {
        precondition(offset >= 0 && byteCount &- offset >= 4, "outside the span")
        // SAFETY: checked above; every bit pattern is a number.
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
    }

    /// Whether both hold the same bytes.
    package func hasSameBytes(as other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        var offset = 0
        while offset + 32 <= byteCount {
            // SAFETY: 32 bytes from `offset` on lie in both spans.
            let (left, right) = unsafe (
                unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt64>.self),
                other.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt64>.self)
            )
            if left != right { return false }
            offset += 32
        }
        while offset < byteCount {
            if byte(at: offset) != other.byte(at: offset) { return false }
            offset += 1
        }
        return true
    }

    /// Feeds the bytes to a hasher.
    package func hash(into hasher: inout Hasher) {
        // SAFETY: the hasher reads the bytes before the closure returns.
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The bytes as an array.
    package func copiedBytes() -> [UInt8] {
        // SAFETY: the array copies the bytes before the closure returns.
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

extension MutableRawSpan {
    /// The byte at `offset`.
    ///
    /// - Precondition: `offset` is in `0..<byteCount`.
    @inlinable
    package func byte(at offset: Int) -> UInt8 { bytes.byte(at: offset) }

    /// Sets the byte at `offset`.
    ///
    /// - Precondition: `offset` is in `0..<byteCount`.
    @inlinable
    package mutating func setByte(_ value: UInt8, at offset: Int) {
        storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }

    /// Copies `source` to the bytes that start at `offset`.
    ///
    /// - Precondition: they fit.
    package mutating func copy(_ source: Span<UInt8>, at offset: Int = 0) {
        // SAFETY: every byte of a span of bytes is initialised.
        copy(unsafe source.bytes, at: offset)
    }

    /// Copies `source` to the bytes that start at `offset`.
    ///
    /// - Precondition: they fit.
    package mutating func copy(_ source: RawSpan, at offset: Int = 0) {
        precondition(offset >= 0 && offset <= byteCount && source.byteCount <= byteCount - offset, "does not fit")
        guard source.byteCount > 0 else { return }
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                // SAFETY: `offset + bytes.count <= target.count`, checked above; exclusivity keeps them distinct.
                unsafe target.baseAddress!.advanced(by: offset)
                    .copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            }
        }
    }

    /// Copies the `count` bytes at `source` to `target`; the two may overlap.
    ///
    /// - Precondition: both lie in the span.
    package mutating func move(from source: Int, to target: Int, count: Int) {
        precondition(source >= 0 && target >= 0 && count >= 0 && count <= byteCount, "outside the span")
        precondition(source <= byteCount - count && target <= byteCount - count, "outside the span")
        guard count > 0 else { return }
        unsafe withUnsafeMutableBytes { bytes in
            let base = bytes.baseAddress!
            // SAFETY: both ranges are in the span (checked above); `copyMemory` allows overlap.
            unsafe base.advanced(by: target).copyMemory(from: base.advanced(by: source), byteCount: count)
        }
    }
}

extension MutableRawSpan {
    /// Calls `body` with the bytes as integers in the machine's byte order.
    ///
    /// - Precondition: the span begins at a multiple of an integer's size, and is a whole number of them long.
    @inlinable @inline(__always)
    package mutating func withNumbers<Number: FixedWidthInteger & BitwiseCopyable, R, E: Error>(
        of type: Number.Type, _ body: (inout MutableSpan<Number>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: every bit pattern is an integer, the initialiser checks place and length, and the span does not
        // outlive the call, during which `self` is not used otherwise.
        var numbers = unsafe MutableSpan<Number>(_unsafeBytes: unsafe withUnsafeMutableBytes { unsafe $0 })
        return try body(&numbers)
    }

    /// Calls `body` with the bytes before `offset`, and with those from there on.
    ///
    /// - Precondition: `offset` is in `0...byteCount`.
    @inlinable @inline(__always)
    package mutating func withSplit<R, E: Error>(
        at offset: Int, _ body: (inout MutableRawSpan, inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        precondition(offset >= 0 && offset <= byteCount, "outside the span")
        return try unsafe withUnsafeMutableBytes { bytes throws(E) in
            // SAFETY: the parts have no byte in common, and do not outlive the call, during which `self` is not used otherwise.
            var first = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: bytes[..<offset]))
            var second = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
            return try body(&first, &second)
        }
    }
}

extension Span<UInt8> {
    /// Calls `body` with the numbers as raw bytes.
    package func withRawBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: every byte of a span of bytes is initialised.
        try body(unsafe bytes)
    }
}

extension Array where Element == UInt8 {
    /// Appends every byte of `bytes`.
    package mutating func append(contentsOf bytes: Span<UInt8>) { bytes.withRawBytes { append($0) } }

    /// Appends every byte of `bytes`.
    package mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in
            // SAFETY: the array copies the bytes before the closure returns.
            unsafe append(contentsOf: buffer)
        }
    }

    /// Appends every byte of `bytes`.
    package mutating func append(_ bytes: Span<UInt8>) {
        // SAFETY: every byte of a span of bytes is initialised.
        append(unsafe bytes.bytes)
    }

    /// Calls `body` with the array's bytes.
    package func withRawSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withSpan { (elements) throws(E) in
            // SAFETY: every byte of a span of bytes is initialised.
            try body(unsafe elements.bytes)
        }
    }

    /// An array with the bytes of `span`.
    package init(_ span: Span<UInt8>) {
        // SAFETY: every byte of a span of bytes is initialised.
        self = unsafe span.bytes.copiedBytes()
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with the array's bytes, for writing.
    @inlinable
    package mutating func withMutableBytes<R>(_ body: (inout MutableRawSpan) -> R) -> R {
        unsafe withUnsafeMutableBytes { buffer in
            // SAFETY: every byte of an array of bytes is initialised; the span does not outlive the closure.
            var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
            return body(&span)
        }
    }

    /// Calls `body` with the first `count` bytes.
    ///
    /// - Precondition: there are as many.
    package func withRawSpan<R>(first count: Int, _ body: (RawSpan) -> R) -> R {
        withSpan { elements in
            // SAFETY: every byte of an array of bytes is initialised; `extracting` checks the count.
            unsafe body(elements.bytes.extracting(first: count))
        }
    }
}

extension Array where Element == UInt32 {
    /// Calls `body` with the numbers as they lie in memory.
    package func withRawSpan<R>(_ body: (RawSpan) -> R) -> R {
        withSpan { elements in
            // SAFETY: every byte of a span of numbers is initialised.
            body(unsafe elements.bytes)
        }
    }

    /// Calls `body` with the numbers as they lie in memory, for writing.
    package mutating func withMutableBytes<R>(_ body: (inout MutableRawSpan) -> R) -> R {
        unsafe withUnsafeMutableBytes { buffer in
            // SAFETY: every byte of an array of numbers is initialised; the span does not outlive the closure.
            var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
            return body(&span)
        }
    }
}

extension RawSpan {
    /// The bytes as text; they are UTF-8.
    package func decodedUTF8() -> String {
        // SAFETY: the string copies the bytes before the closure returns.
        unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension Span<UInt8> {
    /// Calls `body` with the bytes as kernels read them.
    @inlinable
    package func withRawSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: every byte of a span of bytes is initialised.
        try body(unsafe bytes)
    }

    /// The bytes as an array that was granted, copied in steps between which the clock is asked.
    package func copiedBytes(work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(count)
        var position = 0
        while position < count {
            let end = Swift.min(position + WorkGuard.stepByteCount, count)
            copy.append(extracting(position..<end))
            position = end
            try work.check()
        }
        return copy
    }
}
