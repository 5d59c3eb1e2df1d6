// Two parts of one buffer that are written at once.

import ImageCodecsCore

extension ScratchBuffer {
    /// The bytes before `split` and those from it on, for writing.
    ///
    /// - Precondition: `split` lies within the buffer, and no other value holds the bytes.
    @inline(__always)
    mutating func withMutableParts<R, E: Error>(
        split: Int, _ body: (_ first: inout MutableRawSpan, _ second: inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        try withMutableBytes { bytes throws(E) in
            precondition(split >= 0 && split <= bytes.byteCount, "outside the buffer")
            let buffer = unsafe bytes.withUnsafeMutableBytes { unsafe $0 }
            // SAFETY: the parts do not overlap, and neither span outlives the closure.
            var first = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: buffer[..<split]))
            var second = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: buffer[split...]))
            return try body(&first, &second)
        }
    }

    /// The same as numbers of 16 bits, as many as there are before `split`, and as bytes.
    ///
    /// - Precondition: `split` is even.
    @inline(__always)
    mutating func withMutableNumbersAndBytes<R, E: Error>(
        split: Int,
        _ body: (_ numbers: inout MutableSpan<Int16>, _ bytes: inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try withMutableParts(split: split) { first, second throws(E) in
            // SAFETY: the buffer is aligned to 64 bytes, and every bit pattern is a number.
            var numbers = unsafe MutableSpan<Int16>(_unsafeBytes: unsafe first.withUnsafeMutableBytes { unsafe $0 })
            var bytes = unsafe MutableSpan<UInt8>(_unsafeBytes: unsafe second.withUnsafeMutableBytes { unsafe $0 })
            return try body(&numbers, &bytes)
        }
    }
}
