// First pass over the pixels: what the smallest representation must be able to hold.

package import ImageCodecsCore

/// What the pixels of a bitmap make use of.
package struct PixelSurvey: Sendable {
    /// Whether any pixel is transparent, coloured, or deeper than eight bits.
    package private(set) var traits = PixelTraits()
    /// Every colour, as long as there are at most 256 and eight bits hold them.
    package private(set) var colors: DistinctColors?

    /// Looks at every pixel, or at as many as it takes to know that nothing can be saved.
    ///
    /// - Parameter meter: counts the buffers.
    /// - Throws: `limitExceeded(.memory)`, `cancelled`.
    package init(of bitmap: Bitmap, meter: MemoryMeter?) throws(ImageError) {
        if bitmap.format.depth == .sixteen {
            try surveySixteenBits(bitmap)
            guard traits.fitsEightBits else { return }
        }
        try surveyEightBits(bitmap, meter)
    }

    private mutating func surveySixteenBits(_ bitmap: Bitmap) throws(ImageError) {
        let work = WorkGuard.unlimited
        let isGray = bitmap.format.layout == .gray
        let width = bitmap.width
        for y in 0..<bitmap.height {
            try work.check()
            let row = bitmap.withRowBytes(y) { row in
                isGray
                    ? PixelSurveyKernels.traits(gray16: row, width: width)
                    : PixelSurveyKernels.traits(rgba16: row, width: width)
            }
            traits.formIntersection(row)
            if traits == PixelTraits(isOpaque: false, isGray: false, fitsEightBits: false) { return }
        }
    }

    private mutating func surveyEightBits(_ bitmap: Bitmap, _ meter: MemoryMeter?) throws(ImageError) {
        let work = WorkGuard.unlimited
        let width = bitmap.width
        let converter = RowConverter(from: .pixels(bitmap.format), to: .rgba)
        var rgba = try ScratchBuffer(byteCount: 4 * width, meter: meter)
        var indices = try ScratchBuffer(byteCount: width, meter: meter)
        var colors: DistinctColors? = DistinctColors()
        for y in 0..<bitmap.height {
            try work.check()
            bitmap.withRowBytes(y) { row in
                rgba.withMutableBytes { converter.convert(row, into: &$0, width: width) }
            }
            rgba.withBytes { row in
                traits.formIntersection(PixelSurveyKernels.traits(rgba: row, width: width))
                indices.withMutableBytes { indices in
                    if colors?.insert(rgba: row, width: width, indices: &indices) == false { colors = nil }
                }
            }
            let mayBeOpaque = bitmap.format.hasAlpha && traits.isOpaque
            if colors == nil && !traits.isGray && !mayBeOpaque { break }
        }
        // Formats without alpha were not looked at to the end, but are known to be opaque.
        if !bitmap.format.hasAlpha { traits.isOpaque = true }
        self.colors = colors
    }
}
