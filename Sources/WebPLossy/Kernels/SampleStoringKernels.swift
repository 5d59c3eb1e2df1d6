// Samples with four fractional bits, Y' of 0 to 255 and chroma around 0, to the bytes of planes.

import ImageCodecsCore

#if !ReferenceKernels
/// Stores rows of samples.
package enum SampleStoringKernels {
    /// A row of luma.
    ///
    /// - Parameters:
    ///   - row: byte offset of `count` words in `words`.
    ///   - offset: where the first sample goes.
    package static func luma(
        _ words: RawSpan, at row: Int, count: Int, into plane: inout MutableRawSpan, at offset: Int
    ) {
        store(words, at: row, count: count, into: &plane, at: offset, factor: 28159, addend: 66_320_384)
    }

    /// A row of chroma.
    package static func chroma(
        _ words: RawSpan, at row: Int, count: Int, into plane: inout MutableRawSpan, at offset: Int
    ) {
        store(words, at: row, count: count, into: &plane, at: offset, factor: 28800, addend: 128 << 19 | 1 << 18)
    }

    @inline(__always)
    private static func store(
        _ words: RawSpan, at row: Int, count: Int, into plane: inout MutableRawSpan, at offset: Int, factor: Int32,
        addend: Int32
    ) {
        precondition(row >= 0 && count >= 0 && row + 2 * count <= words.byteCount)
        precondition(offset >= 0 && offset + count <= plane.byteCount)
        unsafe words.withUnsafeBytes { words in
            unsafe plane.withUnsafeMutableBytes { plane in
                for x in 0..<count {
                    // SAFETY: `x < count`, and both have as many (checked above).
                    let word = unsafe Int32(words.loadUnaligned(fromByteOffset: row &+ 2 &* x, as: Int16.self))
                    let sample = min(max((word &* factor &+ addend) &>> 19, 0), 255)
                    unsafe plane.storeBytes(
                        of: UInt8(truncatingIfNeeded: sample), toByteOffset: offset &+ x, as: UInt8.self)
                }
            }
        }
    }
}
#endif
