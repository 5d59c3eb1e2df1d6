// Moves pixels between a pass of Adam7 and the whole picture.

/// Spreads the pixels of a pass over a row of the picture.
///
/// - Parameters:
///   - source: `count` pixels side by side.
///   - row: a row of the picture.
///   - start: the column of the first pixel.
///   - step: the distance to the next, at least 1.
///   - bytesPerPixel: 1, 2, 3, 4 or 8.
/// - Precondition: the pixels lie in both spans.
package func scatterPixels(
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
private func scatter<Pixel: FixedWidthInteger & BitwiseCopyable>(
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

/// The same, byte by byte.
package func scatterPixelsReference(
    _ source: [UInt8], into row: inout [UInt8], start: Int, step: Int, count: Int, bytesPerPixel: Int
) {
    for index in 0..<count {
        for byte in 0..<bytesPerPixel {
            row[(start + index * step) * bytesPerPixel + byte] = source[index * bytesPerPixel + byte]
        }
    }
}

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
