// Fills the pixels that no pass of Adam7 brought yet with their neighbours.

/// Copies every `step`-th pixel of a row over the pixels behind it, up to the next.
///
/// - Parameters:
///   - row: `width` pixels.
///   - step: 2, 4 or 8.
///   - bytesPerPixel: 1, 2, 3, 4 or 8.
/// - Precondition: the pixels lie in the span.
package func replicatePixels(_ row: inout MutableRawSpan, width: Int, step: Int, bytesPerPixel: Int) {
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

/// The same, byte by byte.
package func replicatePixelsReference(_ row: inout [UInt8], width: Int, step: Int, bytesPerPixel: Int) {
    for x in 0..<width {
        for byte in 0..<bytesPerPixel {
            row[x * bytesPerPixel + byte] = row[(x - x % step) * bytesPerPixel + byte]
        }
    }
}
