// Plain twin of InflateKernel, the fast loop of inflate: there is none, and `SymbolDecoder` decodes all symbols.

import ImageCodecsCore

enum InflateKernelReference: InflateWindow {
    /// See `InflateKernel.decode`.
    ///
    /// - Returns: `inputUsed`: it is time for the careful loop.
    static func decode(
        _ reader: inout InflateBitReader, _ tables: Span<UInt32>, _ window: inout MutableRawSpan, end: inout Int,
        limit: Int, _ input: Span<UInt8>, inputEnd: Int
    ) -> InflatePause { .inputUsed }
}

#if ReferenceKernels
typealias InflateKernel = InflateKernelReference
#endif
