// Counts colours: exactly as long as a table holds them, then in a histogram that a palette is made of.

import ImageCodecsCore
import ImagePalettes

/// Which colours there are, and how many pixels have them.
struct ColorCounter: Sendable {
    /// Every colour, if there are not too many.
    private(set) var counted: CountedColors
    /// Made when there are too many.
    private var histogram: ColorHistogram?
    private let width: Int
    private let limit: Int
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - width: pixels of the longest row.
    ///   - limit: the most colours of a table, transparency included.
    ///   - effort: how many colours are kept apart, and how a palette is chosen.
    ///   - meter: counts what is held.
    init(width: Int, limit: Int, effort: EncodingOptions.Effort, meter: MemoryMeter?) throws(ImageError) {
        (self.width, self.limit, self.effort, self.meter) = (width, limit, effort, meter)
        counted = try CountedColors(width: width, limit: limit, meter: meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(width: Int, pixelCount: Int, effort: EncodingOptions.Effort) -> Int {
        // The colours so far are there before the pixels of the row that has more.
        CountedColors.byteCount(width: width).addingSaturated(
            ColorHistogram.byteCount(pixelCount: pixelCount.addingSaturated(DistinctColors.limit), effort: effort))
    }

    /// Bytes that the largest histogram holds: half its slots, of eight bytes each, have colours.
    static func grownByteCount(_ effort: EncodingOptions.Effort) -> Int { 16 * ColorHistogram.largestCount(effort) }

    /// Adds a row of straight RGBA; transparent pixels are zero.
    mutating func add(_ row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        let width = row.byteCount / 4
        try work.spend(width)
        let hadTooMany = counted.areTooMany
        guard !counted.add(row, width: width) else { return }
        if !hadTooMany {
            histogram = try ColorHistogram(effort: effort, meter: meter)
            for (color, count) in zip(counted.distinct.colors, counted.counts) where count > 0 {
                try add(color, weight: UInt32(clamping: count), &work)
            }
        }
        try histogram?.add(row, width: width, weight: 1, work: &work)
    }

    /// Adds the transparent colour to those that a palette is made of.
    mutating func addTransparency(_ work: inout WorkGuard) throws(ImageError) {
        if counted.areTooMany { try add(0, weight: 1, &work) }
    }

    private mutating func add(_ color: UInt32, weight: UInt32, _ work: inout WorkGuard) throws(ImageError) {
        var pixel = try ScratchBuffer(byteCount: 4, meter: nil)
        pixel.withMutableBytes { $0.storeBytes(of: color, as: UInt32.self) }
        try pixel.withBytes { (pixel) throws(ImageError) in
            try histogram?.add(pixel, width: 1, weight: weight, work: &work)
        }
    }

    /// Colours that stand for all.
    func palette(_ work: inout WorkGuard) throws(ImageError) -> Palette {
        guard let histogram else { return Palette(counted.colors?.colors ?? []) }
        return try Palette(histogram, colorCount: limit, effort: effort, meter: meter, work: &work)
    }

    /// Calls `body` with every colour and its weight.
    func forEach(_ body: (_ color: UInt32, _ weight: UInt32) -> Void) {
        histogram?.forEach(body)
        for (color, count) in zip(counted.colors?.colors ?? [], counted.counts) { body(color, UInt32(clamping: count)) }
    }

    /// Gives back what the histogram holds.
    mutating func forget() { histogram = nil }
}
