// Two parts of a span at once.

extension MutableRawSpan {
    /// Calls `body` with the bytes before `offset`, and with those from there on.
    ///
    /// - Precondition: `offset` is in `0...byteCount`.
    mutating func withSplit<R, E: Error>(
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
