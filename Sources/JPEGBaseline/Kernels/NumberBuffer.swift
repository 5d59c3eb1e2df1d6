// Memory for coefficients and their masks: counted, aligned, copy-on-write.

package import ImageCore

/// A fixed number of integers with value semantics.
package struct NumberBuffer<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
    private var storage: ScratchBuffer
    /// How many there are.
    package let count: Int

    /// Allocates `count` integers, all zero.
    package init(count: Int, meter: MemoryMeter?) throws(ImageError) {
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, !overflow else { throw .limitExceeded(.memory, requested: .max, allowed: .max) }
        storage = try ScratchBuffer(byteCount: byteCount, filledWith: 0, meter: meter)
        self.count = count
    }

    /// The integers, for reading.
    package func withSpan<R, E: Error>(_ body: (Span<Element>) throws(E) -> R) throws(E) -> R {
        try storage.withBytes { bytes throws(E) in try body(Span<Element>(_bytes: bytes)) }
    }

    /// The integers, for writing; a shared buffer is copied first.
    package mutating func withMutableSpan<R, E: Error>(
        _ body: (inout MutableSpan<Element>) throws(E) -> R
    ) throws(E) -> R {
        try storage.withMutableBytes { bytes throws(E) in
            // SAFETY: the storage is aligned to 64 bytes, holds `count` integers, and every bit pattern is one; the
            // span does not outlive the closure.
            var span = unsafe MutableSpan<Element>(_unsafeBytes: unsafe bytes.withUnsafeMutableBytes { unsafe $0 })
            return try body(&span)
        }
    }
}
