// The alpha of a plane into rows of pixels that have none.

import ImageCore

/// Puts alpha where a row has a byte for it.
enum AlphaMerging {
    /// Writes alpha over the fourth byte of each pixel.
    ///
    /// - Parameters:
    ///   - alpha: one byte a pixel.
    ///   - pixels: four bytes a pixel.
    /// - Precondition: there are as many pixels as there is alpha.
    static func merge(_ alpha: RawSpan, into pixels: inout MutableSpan<UInt8>) {
        precondition(pixels.count == 4 * alpha.byteCount, "another row")
        let levels = Span<UInt8>(_bytes: alpha)
        for x in 0..<levels.count { pixels[4 * x + 3] = levels[x] }
    }
}
