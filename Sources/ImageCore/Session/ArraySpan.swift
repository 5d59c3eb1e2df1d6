// The elements of an array as a span, on every system this package runs on.

extension Array {
    /// Calls `body` with the elements.
    ///
    /// `Array.span` came with macOS 26 and its contemporaries; a slice's is as old as spans are.
    @inlinable
    package func withSpan<R, E: Error>(_ body: (Span<Element>) throws(E) -> R) throws(E) -> R {
        let elements = self[...]
        return try body(elements.span)
    }
}
