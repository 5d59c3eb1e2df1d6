// Arrays of bytes as mutable raw spans, for kernels that take those.

extension [UInt8] {
    /// Lets `body` change the bytes.
    public mutating func withMutableRawSpan<R>(_ body: (inout MutableRawSpan) -> R) -> R {
        unsafe withUnsafeMutableBytes { buffer in
            // SAFETY: the span does not outlive the buffer, all of whose bytes are initialised.
            var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
            return body(&span)
        }
    }

    /// Lets `body` change the bytes of `range`, and sees to it that it gets no others.
    public mutating func withMutableRawSpan<R>(of range: Range<Int>, _ body: (inout MutableRawSpan) -> R) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "outside the array")
        return unsafe withUnsafeMutableBytes { buffer in
            // SAFETY: as above, for a part of it that was checked to be one.
            var span = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: buffer[range]))
            return body(&span)
        }
    }
}
