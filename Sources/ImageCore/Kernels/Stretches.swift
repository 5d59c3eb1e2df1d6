// Two passes over a row, a stretch of pixels at a time, so that what lies between them stays in the first-level cache
// and on the stack.

#if !ReferenceKernels
/// Bytes of the pixels between two passes; up to this size a temporary allocation is always on the stack.
private let stretchBytes = 1024

enum Stretches {
    /// Runs `first` and then `second` on `width` pixels.
    ///
    /// - Parameters:
    ///   - sourceBits: Bits of a pixel of `source`.
    ///   - middleBytes: Bytes of a pixel that `first` writes and `second` reads.
    ///   - destinationBytes: Bytes of a pixel of `destination`.
    /// - Precondition: both rows hold `width` pixels.
    static func run(
        _ source: RawSpan, bitsPerPixel sourceBits: Int,
        _ first: ConversionStep, bytesPerPixel middleBytes: Int, _ second: ConversionStep,
        into destination: inout MutableRawSpan, bytesPerPixel destinationBytes: Int, width: Int
    ) {
        precondition((width * sourceBits + 7) / 8 <= source.byteCount, "the source row is shorter than its width")
        precondition(width * destinationBytes <= destination.byteCount, "the destination row is shorter than its width")
        // A multiple of eight pixels, so that every stretch starts at a whole byte at every depth.
        let stretchWidth = stretchBytes / middleBytes & ~7
        unsafe withUnsafeTemporaryAllocation(byteCount: stretchBytes, alignment: 16) { middle in
            unsafe destination.withUnsafeMutableBytes { destination in
                var x = 0
                while x < width {
                    let count = min(width - x, stretchWidth)
                    let bytes = x * sourceBits / 8..<((x + count) * sourceBits + 7) / 8
                    let (start, end) = (x * destinationBytes, (x + count) * destinationBytes)
                    // SAFETY: the spans do not outlive these buffers, and steps take uninitialised destinations. `first`
                    // writes the `count` pixels that `second` reads.
                    var stretch = unsafe middle.mutableBytes
                    first.run(source.extracting(bytes), into: &stretch, width: count)
                    var part = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[start..<end]).mutableBytes
                    second.run(stretch.bytes, into: &part, width: count)
                    x += count
                }
            }
        }
    }
}
#endif
