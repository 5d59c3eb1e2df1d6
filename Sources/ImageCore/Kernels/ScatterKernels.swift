// Moves the pixels of a pass to their columns in a row of the picture.

#if !ReferenceKernels
package enum ScatterKernels {
    /// Spreads the pixels of a pass over a row of the picture.
    ///
    /// - Parameters:
    ///   - source: `count` pixels side by side.
    ///   - row: a row of the picture.
    ///   - start: the column of the first pixel.
    ///   - step: the distance to the next, at least 1.
    ///   - bytesPerPixel: 1, 2, 3, 4 or 8.
    /// - Precondition: the pixels lie in both spans.
    package static func scatter(
        _ source: RawSpan, into row: inout MutableRawSpan, start: Int, step: Int, count: Int, bytesPerPixel: Int
    ) {
        guard count > 0 else { return }
        precondition(start >= 0 && step >= 1 && source.byteCount / bytesPerPixel >= count)
        precondition(row.byteCount / bytesPerPixel > start + (count - 1) * step)
        unsafe source.withUnsafeBytes { from in
            unsafe row.withUnsafeMutableBytes { to in
                // SAFETY: source pixels 0..<count and row pixels start + i * step lie in the buffers (checked above).
                let input = from.baseAddress!
                let output = unsafe to.baseAddress! + start * bytesPerPixel
                switch bytesPerPixel {
                case 4: unsafe scatter(input, output, step, count, UInt32.self)
                case 1: unsafe scatter(input, output, step, count, UInt8.self)
                case 2: unsafe scatter(input, output, step, count, UInt16.self)
                case 3: unsafe scatterTriples(input, output, step, count)
                case 8: unsafe scatter(input, output, step, count, UInt64.self)
                default:
                    for index in 0..<count {
                        unsafe (output + index * step * bytesPerPixel).copyMemory(
                            from: input + index * bytesPerPixel, byteCount: bytesPerPixel)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func scatter<Pixel: FixedWidthInteger & BitwiseCopyable>(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ step: Int, _ count: Int, _: Pixel.Type
    ) {
        let size = MemoryLayout<Pixel>.size
        let stride = step &* size
        var (from, to) = (0, 0)
        // SAFETY: see the caller: `count` pixels at distance `step` lie in the output.
        for _ in 0..<count {
            let value = unsafe input.loadUnaligned(fromByteOffset: from, as: Pixel.self)
            unsafe output.storeBytes(of: value, toByteOffset: to, as: Pixel.self)
            from &+= size
            to &+= stride
        }
    }

    /// Pixels of three bytes, which no integer has: two bytes and one.
    @inline(__always)
    private static func scatterTriples(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ step: Int, _ count: Int
    ) {
        let stride = step &* 3
        var (from, to) = (0, 0)
        // SAFETY: see the caller: `count` pixels of three bytes at distance `step` lie in the output.
        for _ in 0..<count {
            let two = unsafe input.loadUnaligned(fromByteOffset: from, as: UInt16.self)
            let one = unsafe input.load(fromByteOffset: from &+ 2, as: UInt8.self)
            unsafe output.storeBytes(of: two, toByteOffset: to, as: UInt16.self)
            unsafe output.storeBytes(of: one, toByteOffset: to &+ 2, as: UInt8.self)
            from &+= 3
            to &+= stride
        }
    }
}
#endif
