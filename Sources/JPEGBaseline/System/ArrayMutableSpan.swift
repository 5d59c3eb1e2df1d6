// The elements of an array as a span for writing, on every system this package runs on.

extension ContiguousArray where Element: BitwiseCopyable {
    /// Calls `body` with the elements; whether they are shared is asked once, not at every write.
    mutating func withMutableSpan<R>(_ body: (inout MutableSpan<Element>) -> R) -> R {
        unsafe withUnsafeMutableBufferPointer { buffer in
            // SAFETY: the elements are initialised, and the span does not outlive the closure.
            var span = unsafe MutableSpan(_unsafeElements: buffer)
            return body(&span)
        }
    }
}
