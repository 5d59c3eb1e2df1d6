// Which colour type and bit depth a picture is written with.

package import ImageCodecsCore
package import ImagePalettes

/// Colour type, bit depth and palette: the smallest that lose nothing.
package struct PixelEncoding: Sendable {
    package let colorType: ImageHeader.ColorType
    /// Bits of one sample, or of one palette index.
    package let bitDepth: Int
    /// The palette of ``ImageHeader/ColorType/indexed``: colours with alpha first, so that tRNS stays short.
    package let palette: DistinctColors?
    /// The colour that is transparent, three bytes with red in the lowest; pixels then have no alpha sample.
    package let colorKey: UInt32?

    /// How a palette is sorted; colours with alpha come first in any case.
    package enum PaletteOrder: Hashable, Sendable {
        /// Frequent colours first: the most frequent one gets the number of the filter type byte that stands before each scanline of
        /// indices, so that repetitions go on from one scanline to the next.
        case popularity
        /// Dark colours first: neighbours in a picture are often near each other in brightness, so that filters leave little.
        case luminance
        /// In this order of their numbers.
        case numbers([Int])
    }

    /// Whether equal red, green and blue become one sample.
    package enum GrayUse: Sendable {
        /// Unless a palette makes the file smaller still.
        case allowed
        /// Always: gray pictures do not get a palette either.
        case required
        /// Never.
        case refused
    }

    /// - Parameters:
    ///   - survey: what the pixels make use of.
    ///   - size: width and height, which decide whether a palette pays for itself.
    ///   - grayUse: whether equal red, green and blue become one sample.
    ///   - paletteOrder: how a palette is sorted; `nil` if there is none.
    package init(
        _ survey: PixelSurvey, size: PixelSize, grayUse: GrayUse, paletteOrder: PaletteOrder? = .popularity
    ) {
        let traits = survey.traits
        let key = traits.fitsEightBits ? survey.colorKey : nil
        let colorType: ImageHeader.ColorType =
            switch (traits.isGray && grayUse != .refused, traits.isOpaque || key != nil) {
            case (true, true): .gray
            case (true, false): .grayAlpha
            case (false, true): .rgb
            case (false, false): .rgba
            }
        guard traits.fitsEightBits else {
            self.init(colorType, bitDepth: 16)
            return
        }
        let hasGrayDepth = colorType == .gray && key == nil
        let direct = Self(
            colorType, bitDepth: hasGrayDepth ? Self.grayDepth(survey.counted.colors?.colors ?? []) : 8, colorKey: key)
        guard let paletteOrder, !(traits.isGray && grayUse == .required) else {
            self = direct
            return
        }
        let indexed = survey.counted.colors.map { Self(palette: $0, paletteOrder, survey.counted.counts) }
        self = indexed.map { $0.pays(instead: direct, size: size) ? $0 : direct } ?? direct
    }

    /// What rows of `format` are written with if nothing is known of their pixels.
    ///
    /// - Parameter grayUse: whether gray rows become one sample; colours are not looked at.
    package init(unchanged format: PixelFormat, grayUse: GrayUse) {
        let isGray = (format.layout == .gray || format.layout == .grayAlpha) && grayUse != .refused
        let colorType: ImageHeader.ColorType =
            switch (isGray, format.hasAlpha) {
            case (true, false): .gray
            case (true, true): .grayAlpha
            case (false, false): .rgb
            case (false, true): .rgba
            }
        self.init(colorType, bitDepth: format.depth.rawValue)
    }

    /// Samples.
    ///
    /// - Parameters:
    ///   - colorType: what they are; not indexed.
    ///   - bitDepth: bits of one.
    ///   - colorKey: the colour that is transparent, three bytes with red in the lowest.
    package init(_ colorType: ImageHeader.ColorType, bitDepth: Int, colorKey: UInt32? = nil) {
        self.colorType = colorType
        self.bitDepth = bitDepth
        self.colorKey = colorKey
        palette = nil
    }

    /// Indices into a palette.
    ///
    /// - Parameters:
    ///   - colors: the palette's colours.
    ///   - order: in which they are.
    ///   - popularity: how many pixels have each, by its number.
    ///   - isPacked: whether indices have as few bits as there may be, else eight.
    package init(
        palette colors: DistinctColors, _ order: PaletteOrder, _ popularity: [Int], isPacked: Bool = true
    ) {
        let byLuminance = colors.colors.indices.sorted {
            Self.luminance(colors.colors[$0]) < Self.luminance(colors.colors[$1])
        }
        let numbers: [Int] =
            switch order {
            case .luminance: byLuminance
            // The sort is stable, so that equally frequent colours stay in the order of their luminance.
            case .popularity: byLuminance.sorted { popularity[$0] > popularity[$1] }
            case .numbers(let numbers): numbers
            }
        let sorted = numbers.map { colors.colors[$0] }
        palette = DistinctColors(sorted.filter { $0 >> 24 != 255 } + sorted.filter { $0 >> 24 == 255 })
        colorType = .indexed
        colorKey = nil
        bitDepth = (isPacked ? [1, 2, 4] : []).first { colors.colors.count <= 1 << $0 } ?? 8
    }

    /// How bright a colour is, and then how it differs from others as bright: for an order that is always the same.
    private static func luminance(_ color: UInt32) -> UInt64 {
        let (red, green, blue) = (color & 0xFF, color >> 8 & 0xFF, color >> 16 & 0xFF)
        return UInt64(299 * red + 587 * green + 114 * blue) << 32 | UInt64(color)
    }

    /// The bit depth at which every one of these grays is a sample: bits are replicated to make eight.
    private static func grayDepth(_ colors: [UInt32]) -> Int {
        let grays = colors.map { $0 & 0xFF }
        return [1, 2, 4].first { depth in grays.allSatisfy { $0 % (255 / (1 << depth - 1)) == 0 } } ?? 8
    }

    /// Bits from one pixel to the next.
    package var bitsPerPixel: Int { bitDepth * colorType.channelCount }

    /// Bytes of a scanline without its filter type byte.
    package func bytesPerScanline(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// The distance in bytes that filters look back.
    package var filterDistance: Int { max(1, bitsPerPixel / 8) }

    /// Whether scanlines are filtered: not indices and not samples that share a byte, whose differences mean
    /// nothing.
    ///
    /// Source: PNG 3rd ed. §12.7 "Filter selection".
    package var isFiltered: Bool { colorType != .indexed && bitDepth >= 8 }

    /// Whether a palette makes the file smaller, by estimate: scanlines are compressed to a quarter or so, PLTE
    /// and tRNS not at all.
    private func pays(instead direct: PixelEncoding, size: PixelSize) -> Bool {
        let colors = palette?.colors ?? []
        // Alpha that would take no sample is no reason for a palette.
        if direct.colorKey != nil, bitDepth == direct.bitsPerPixel { return false }
        let transparentCount = colors.count { $0 >> 24 != 255 }
        let chunks = 12 + 3 * colors.count + (transparentCount > 0 ? 12 + transparentCount : 0)
        let saved = direct.bytesPerScanline(width: size.width) - bytesPerScanline(width: size.width)
        return saved > 0 && size.height > 4 * chunks / saved
    }

    /// The body of PLTE.
    package var paletteBody: [UInt8] {
        (palette?.colors ?? []).flatMap { color in (0..<3).map { UInt8(truncatingIfNeeded: color >> (8 * $0)) } }
    }

    /// The body of tRNS: alpha of the first palette entries, or the colour that is transparent; empty if all are opaque.
    package var transparencyBody: [UInt8] {
        if let colorKey {
            let samples = (0..<(colorType == .gray ? 1 : 3)).map { UInt8(truncatingIfNeeded: colorKey >> (8 * $0)) }
            return samples.flatMap { [0, $0] }
        }
        return (palette?.colors ?? []).prefix { $0 >> 24 != 255 }.map { UInt8(truncatingIfNeeded: $0 >> 24) }
    }
}

extension ImageHeader {
    /// The body of IHDR.
    ///
    /// - Precondition: both sides are in 1...2^31 - 1.
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header".
    package static func body(size: PixelSize, _ encoding: PixelEncoding, isInterlaced: Bool = false) -> [UInt8] {
        var body: [UInt8] = []
        body.appendBigEndian(UInt32(size.width))
        body.appendBigEndian(UInt32(size.height))
        return body + [UInt8(encoding.bitDepth), encoding.colorType.rawValue, 0, 0, isInterlaced ? 1 : 0]
    }
}
