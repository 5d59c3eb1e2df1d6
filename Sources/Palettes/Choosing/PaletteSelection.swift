// From a histogram to a palette.
//
//   1. few enough colours: all of them, as they are                 ColorHistogram
//   2. colours become points of Oklab                               WeightedColors
//   3. boxes are cut until there are as many as colours wanted      VarianceCut
//   4. their means move to where the error is least                 ColorClusters
//   5. back to bytes
//
// Transparency takes an entry of its own; opaque and translucent colours share none.

package import ImageCodecsCore

extension Palette {
    /// The colours that stand for those of a histogram with the least error.
    ///
    /// All of them, in the order in which they came first, if there are no more than asked for. Else fully transparent pixels, if
    /// there are any, get the first entry, which is 0; opaque colours have opaque entries of their own.
    ///
    /// - Parameters:
    ///   - histogram: the colours, and how much each counts.
    ///   - colorCount: how many entries there may be, 2...256.
    ///   - effort: how many rounds the clusters are made better in.
    ///   - meter: counts what that takes.
    ///   - work: is asked for the time.
    /// - Throws: `limitExceeded(.memory)`, and what `work` throws.
    package init(
        _ histogram: ColorHistogram, colorCount: Int, effort: EncodingOptions.Effort, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) {
        let colorCount = max(2, min(colorCount, 256))
        if let colors = histogram.distinctColors, colors.count <= colorCount {
            self.init(colors)
            return
        }
        var colors = try WeightedColors(histogram, merging: effort.mergedSide, stretch: Self.stretch, meter: meter)
        let isTransparent = colors.hasTransparency
        var clusters = try ColorClusters(&colors, count: isTransparent ? colorCount - 1 : colorCount, work: &work)
        try clusters.refine(colors, roundCount: effort.roundCount, work: &work)
        try clusters.keepCommonColors(colors, work: &work)
        var entries: [UInt32] = isTransparent ? [0] : []
        var known = Set(entries)
        for center in clusters.centers {
            let pixel = Oklab.pixel(center / Self.stretch)
            if known.insert(pixel).inserted { entries.append(pixel) }
        }
        self.init(entries)
    }

    /// Bytes that choosing a palette holds at most, beside the histogram. Saturates.
    package static func selectionByteCount(pixelCount: Int, effort: EncodingOptions.Effort) -> Int {
        WeightedColors.byteCount(min(pixelCount, ColorHistogram.largestCount(effort))).addingSaturated(1 << 18)
    }

    /// How differences are weighed while a palette is chosen.
    private static let stretch = SIMD4<Float>(1, 1, 1, 1)

    /// The colours, red in the lowest byte.
    package var colors: [UInt32] { Array(rgba.prefix(count)) }
}

extension EncodingOptions.Effort {
    /// The side of the cubes whose rare colours are taken for one.
    fileprivate var mergedSide: Float? {
        switch self {
        // Of many colours few are left by the histogram.
        case .fast: nil
        case .default: 1
        case .best: nil
        }
    }

    /// Rounds in which clusters of colours are made better.
    fileprivate var roundCount: Int {
        switch self {
        case .fast: 2
        case .default: 8
        case .best: 32
        }
    }
}
