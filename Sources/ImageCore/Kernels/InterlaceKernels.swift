// Fills the pixels of a row that no pass brought yet with their neighbours.

#if !ReferenceKernels
package enum InterlaceKernels {
    /// Copies every `step`-th pixel of a row over the pixels after it, up to the next.
    ///
    /// - Parameters:
    ///   - row: `width` pixels.
    ///   - step: at least 1, which changes nothing.
    ///   - bytesPerPixel: 1, 2, 3, 4 or 8.
    /// - Precondition: the pixels lie in the span.
    package static func replicate(_ row: inout MutableRawSpan, width: Int, step: Int, bytesPerPixel: Int) {
        precondition(step >= 1 && row.byteCount / bytesPerPixel >= width)
        unsafe row.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var x = 0
            while x < width {
                // SAFETY: x + copy < width, checked above against the span.
                for copy in 1..<max(1, min(step, width - x)) {
                    unsafe (base + (x + copy) * bytesPerPixel).copyMemory(
                        from: base + x * bytesPerPixel, byteCount: bytesPerPixel)
                }
                x += step
            }
        }
    }
}
#endif
