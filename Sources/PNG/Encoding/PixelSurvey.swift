// First pass over the pixels: what the smallest representation must be able to hold.

package import ImageCodecsCore
package import ImagePalettes

/// What the pixels of a picture make use of, as far as its rows were looked at.
package struct PixelSurvey: Sendable {
    /// Whether any pixel is transparent, coloured, or deeper than eight bits.
    package private(set) var traits = PixelTraits()
    /// Every colour, as long as there are at most 256 and eight bits hold them; pixels of some rows are counted.
    package private(set) var counted: CountedColors
    /// Some of the rows.
    package private(set) var samples: SampledRows
    /// Rows looked at.
    private var rowCount = 0
    /// Of this many rows, pixels of one are counted.
    private static let countedRow = 4
    private var colorKeys: ColorKeySurvey?
    /// Whether all colours were given.
    private var knowsColors = false
    private let format: PixelFormat
    private let width: Int
    private let converter: RowConverter
    private var rgba: ScratchBuffer

    /// How much of a picture is looked at.
    package enum Thoroughness: Hashable, Sendable {
        /// What costs little beside compressing with little effort.
        case quick
        /// All pixels, and some rows.
        case whole
        /// All pixels, and as many rows as may be kept.
        case thorough

        /// Bands of rows that are kept, and their rows.
        fileprivate var bands: (count: Int, height: Int) {
            switch self {
            case .quick: (4, 8)
            case .whole: (8, 16)
            case .thorough: (8, 1 << 20)
            }
        }
    }

    /// - Parameters:
    ///   - format: of the rows.
    ///   - size: of the picture.
    ///   - thoroughness: how much is looked at.
    ///   - meter: counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    package init(
        format: PixelFormat, size: PixelSize, _ thoroughness: Thoroughness = .whole, meter: MemoryMeter?
    ) throws(ImageError) {
        self.format = format
        width = size.width
        converter = RowConverter(from: .pixels(format), to: .rgba)
        let bands = thoroughness.bands
        samples = try SampledRows(
            format: format, size: size, bandCount: bands.count, bandHeight: bands.height, meter: meter)
        rgba = try ScratchBuffer(byteCount: size.width.multipliedSaturated(by: 4), meter: meter)
        counted = try CountedColors(width: size.width, meter: meter)
        if format.hasAlpha, format.depth == .eight, thoroughness != .quick {
            colorKeys = try ColorKeySurvey(meter: meter)
        }
        // Formats without alpha are known to be opaque.
        if !format.hasAlpha { traits.isOpaque = true }
    }

    /// Takes all colours of a picture of straight RGBA with eight bits, before its first row. How many pixels
    /// have each is still counted.
    ///
    /// - Parameter all: at most 256, all distinct, each of which some pixel has.
    package mutating func give(colors all: [UInt32]) {
        knowsColors = true
        counted.give(all)
        let row = all.flatMap { color in (0..<4).map { UInt8(truncatingIfNeeded: color >> (8 * $0)) } }
        row.withRawSpan(first: row.count) { row in
            traits = PixelSurveyKernels.traits(rgba: row, width: all.count)
            colorKeys?.look(at: row, width: all.count)
        }
    }

    /// Bytes that a survey holds. Saturates.
    package static func byteCount(format: PixelFormat, size: PixelSize, _ thoroughness: Thoroughness = .whole) -> Int {
        let bands = thoroughness.bands
        return size.width.multipliedSaturated(by: 4).addingSaturated(CountedColors.byteCount(width: size.width))
            .addingSaturated(PaletteSearchKernels.slotCount * 8 + ColorKeySurvey.byteCount)
            .addingSaturated(
                SampledRows.byteCount(
                    format: format, size: size, bandCount: bands.count, bandHeight: bands.height))
    }

    /// A colour, three bytes with red in the lowest, that all transparent pixels have and no other has; none is translucent.
    package var colorKey: UInt32? { colorKeys?.colorKey }

    /// Looks at a row; `false` once it is known that no more rows need to be looked at.
    package mutating func look(at row: RawSpan) -> Bool {
        samples.add(row, y: rowCount)
        rowCount += 1
        guard !knowsColors else {
            if rowCount % Self.countedRow == 1 { _ = counted.add(row, width: width) }
            return true
        }
        guard wantsTraits else { return samples.wantsMore }
        if format.depth == .sixteen {
            let isGray = format.layout == .gray
            traits.formIntersection(
                isGray
                    ? PixelSurveyKernels.traits(gray16: row, width: width)
                    : PixelSurveyKernels.traits(rgba16: row, width: width))
            guard traits.fitsEightBits else {
                counted.giveUp()
                return wantsTraits || samples.wantsMore
            }
        }
        lookAtEightBits(row)
        return wantsTraits || samples.wantsMore
    }

    /// Whether something can still be saved.
    private var wantsTraits: Bool {
        !counted.areTooMany || traits.isGray || mayBeOpaque || colorKeys?.isPossible ?? false
            || (format.depth == .sixteen && traits.fitsEightBits)
    }

    private mutating func lookAtEightBits(_ row: RawSpan) {
        let (converter, width) = (converter, width)
        rgba.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        rgba.withBytes { row in
            let opaque = traits.isOpaque
            traits.formIntersection(PixelSurveyKernels.traits(rgba: row, width: width))
            if !format.hasAlpha { traits.isOpaque = opaque }
            colorKeys?.look(at: row, width: width)
        }
        let rgba = rgba
        rgba.withBytes { _ = counted.add($0, width: width, isCounted: rowCount % Self.countedRow == 1) }
    }

    private var mayBeOpaque: Bool { format.hasAlpha && traits.isOpaque }
}
