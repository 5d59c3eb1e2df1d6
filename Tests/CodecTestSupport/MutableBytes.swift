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
}
