// First pass over the pixels: what the smallest representation must be able to hold.

package import ImageCodecsCore

/// What the pixels of a picture make use of, as far as its rows were looked at.
package struct PixelSurvey: Sendable {
    /// Whether any pixel is transparent, coloured, or deeper than eight bits.
    package private(set) var traits = PixelTraits()
    /// Every colour, as long as there are at most 256 and eight bits hold them.
    package private(set) var colors: DistinctColors? = DistinctColors()
    private let format: PixelFormat
    private let width: Int
    private let converter: RowConverter
    private var rgba: ScratchBuffer
    private var indices: ScratchBuffer

    /// - Parameters:
    ///   - format: of the rows.
    ///   - width: their pixels.
    ///   - meter: counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    package init(format: PixelFormat, width: Int, meter: MemoryMeter?) throws(ImageError) {
        self.format = format
        self.width = width
        converter = RowConverter(from: .pixels(format), to: .rgba)
        rgba = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: meter)
        indices = try ScratchBuffer(byteCount: width, meter: meter)
        // Formats without alpha are known to be opaque.
        if !format.hasAlpha { traits.isOpaque = true }
    }

    /// Bytes that a survey holds. Saturates.
    package static func byteCount(width: Int) -> Int {
        width.multipliedSaturated(by: 5).addingSaturated(PaletteSearchKernels.slotCount * 8)
    }

    /// Looks at a row; `false` once it is known that nothing can be saved, so that no more rows need to be looked at.
    package mutating func look(at row: RawSpan) -> Bool {
        if format.depth == .sixteen {
            let isGray = format.layout == .gray
            traits.formIntersection(
                isGray
                    ? PixelSurveyKernels.traits(gray16: row, width: width)
                    : PixelSurveyKernels.traits(rgba16: row, width: width))
            guard traits.fitsEightBits else {
                colors = nil
                return traits.isGray || mayBeOpaque
            }
        }
        lookAtEightBits(row)
        return colors != nil || traits.isGray || mayBeOpaque || (format.depth == .sixteen && traits.fitsEightBits)
    }

    private mutating func lookAtEightBits(_ row: RawSpan) {
        let (converter, width) = (converter, width)
        rgba.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        rgba.withBytes { row in
            let opaque = traits.isOpaque
            traits.formIntersection(PixelSurveyKernels.traits(rgba: row, width: width))
            if !format.hasAlpha { traits.isOpaque = opaque }
            guard colors != nil else { return }
            indices.withMutableBytes { indices in
                if colors?.insert(rgba: row, width: width, indices: &indices) == false { colors = nil }
            }
        }
    }

    private var mayBeOpaque: Bool { format.hasAlpha && traits.isOpaque }
}
