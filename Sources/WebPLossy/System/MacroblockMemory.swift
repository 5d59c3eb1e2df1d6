// Memory seen as macroblocks.

extension MutableRawSpan {
    /// Calls `body` with the bytes as macroblocks.
    ///
    /// - Precondition: the span begins at a multiple of sixteen, and is a whole number of them long.
    package mutating func withMacroblocks<R, E: Error>(
        _ body: (inout MutableSpan<MacroblockInfo>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: any bytes are a macroblock, for its fields are integers; the initialiser checks place and length, and
        // the span does not outlive the call.
        var infos = unsafe MutableSpan<MacroblockInfo>(_unsafeBytes: unsafe withUnsafeMutableBytes { unsafe $0 })
        return try body(&infos)
    }
}

extension RawSpan {
    /// Calls `body` with the bytes as macroblocks.
    ///
    /// - Precondition: as for the mutable span.
    package func withMacroblocks<R, E: Error>(_ body: (Span<MacroblockInfo>) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBytes { bytes throws(E) in
            // SAFETY: any bytes are a macroblock, for its fields are integers; the initialiser checks place and length.
            try body(unsafe Span<MacroblockInfo>(_unsafeBytes: bytes))
        }
    }
}
