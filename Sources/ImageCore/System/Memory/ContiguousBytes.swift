// Bytes of any sequence as one span.

extension Sequence<UInt8> {
    /// Calls `body` once, with all bytes in order; they are copied only if they are not contiguous in memory.
    package func withContiguousBytes<R>(
        _ body: (Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let result = withContiguousStorageIfAvailable { buffer in
            Result { () throws(ImageError) in
                // SAFETY: the sequence vouches for the buffer until the closure returns, which the span does not outlive.
                try body(unsafe Span(_unsafeElements: buffer))
            }
        }
        if let result { return try result.get() }
        return try Array(self).withContiguousBytes(body)
    }
}
