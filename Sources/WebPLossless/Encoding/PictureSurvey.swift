// What kind of picture it is: drawn, so that pixels repeat as they are, or taken, so that they are near what is around them.

import ImageCodecsCore
import ImagePalettes

/// About how many bits pixels take that are written one by one, with a color cache or without.
///
/// Pixels that equal the one to the left or the one above are left out: copies reach them.
struct PixelEstimate: Sendable {
    private var plain = SymbolTotals(cacheBits: 0)
    private var cached = SymbolTotals(cacheBits: Self.cacheBits)
    private var cache = EncoderColorCache(bitCount: Self.cacheBits)

    static let cacheBits = 10

    /// Adds a pixel.
    mutating func add(_ pixel: UInt32) {
        plain.add(pixel)
        if let place = cache.find(pixel) {
            cached.counts[PixelSymbols.cache + place] += 1
        } else {
            cached.add(pixel)
        }
    }

    /// Adds the pixels of about this many rows.
    mutating func add(_ plane: PixelPlane, rowCount: Int, _ work: inout WorkGuard) throws(ImageError) {
        for y in Self.rows(of: plane, rowCount: rowCount) {
            try work.spend(4 * plane.width)
            add(row: y, of: plane)
        }
    }

    /// The rows that are looked at if there are to be about this many; not the first.
    static func rows(of plane: PixelPlane, rowCount: Int) -> StrideTo<Int> {
        stride(from: 1, to: plane.height, by: max(1, plane.height / rowCount))
    }

    /// Adds the pixels of a row that is not the first.
    mutating func add(row y: Int, of plane: PixelPlane) {
        let width = plane.width
        plane.pixels.withSpan { pixels in
            for index in PixelPlane.margin + y * width + 1..<PixelPlane.margin + (y + 1) * width {
                let pixel = pixels[index]
                if pixel != pixels[index - 1], pixel != pixels[index - width] { add(pixel) }
            }
        }
    }

    /// Bits, their codes included.
    var bitCount: Int { min(plain.bitCount, cached.bitCount) }
}

extension SymbolTotals {
    /// Adds a pixel that is written by its channels.
    mutating func add(_ pixel: UInt32) {
        counts[PixelSymbols.green(of: pixel)] += 1
        counts[PixelSymbols.red(of: pixel)] += 1
        counts[PixelSymbols.blue(of: pixel)] += 1
        counts[PixelSymbols.alpha(of: pixel)] += 1
    }
}

/// About how many bits the new pixels of some rows take, in each way to write them.
struct WayBitCounts: Sendable {
    /// Pixels with green taken from red and blue, and as they are.
    let plainWithoutGreen: Int
    let plainWithGreen: Int
    /// Differences from a prediction, with green taken from red and blue before, and without.
    let withoutGreen: Int
    let withGreen: Int
    /// Indices of a palette, and their differences from a prediction, if there are at most 256 colours.
    let index: Int
    let predictedIndex: Int

    /// Pixels, and differences from a prediction, in the better way.
    var plain: Int { min(plainWithoutGreen, plainWithGreen) }
    var predicted: Int { min(withoutGreen, withGreen) }
    /// Of the ways without a palette.
    var least: Int { min(plain, predicted) }
}

/// New pixels in each way to write them.
private struct WayEstimates {
    private var plainWithoutGreen = PixelEstimate(), plainWithGreen = PixelEstimate()
    private var withoutGreen = PixelEstimate(), withGreen = PixelEstimate()
    private var index = PixelEstimate(), predictedIndex = PixelEstimate()

    /// Adds a pixel as it is, and its index if there is one.
    mutating func add(_ pixel: UInt32, index number: UInt32?) {
        plainWithGreen.add(pixel)
        plainWithoutGreen.add(ForwardColorKernel.greenSubtracted(pixel))
        if let number { index.add(number) }
    }

    /// Adds differences from a prediction, of a pixel and of its index if there is one.
    mutating func add(difference: UInt32, index number: UInt32?) {
        withGreen.add(difference)
        withoutGreen.add(ForwardColorKernel.greenSubtracted(difference))
        if let number { predictedIndex.add(number) }
    }

    var bitCounts: WayBitCounts {
        WayBitCounts(
            plainWithoutGreen: plainWithoutGreen.bitCount, plainWithGreen: plainWithGreen.bitCount,
            withoutGreen: withoutGreen.bitCount, withGreen: withGreen.bitCount, index: index.bitCount,
            predictedIndex: predictedIndex.bitCount)
    }
}

/// What a look at some rows says about a picture.
struct PictureSurvey: Sendable {
    /// Of all new pixels: those that differ from the one to the left and the one above.
    let all: WayBitCounts
    /// Of the new pixels that are in no long stretch that repeats.
    let fresh: WayBitCounts
    /// Whether red, green and blue of all new pixels are equal.
    let isGray: Bool
    /// How many pixels of a hundred are new and in no long stretch that repeats.
    let newPixelPercentage: Int
    /// How many new pixels of a hundred are in a long stretch that repeats.
    let repeatedPercentage: Int
    /// Bits that the better prediction leaves of a new pixel.
    let residualBits: Int

    /// Whether green is taken from red and blue before they are predicted. If that gains little, pixels that repeat become many by it,
    /// which the estimates do not see.
    var isBetterWithoutGreen: Bool {
        let margin = fresh.withGreen / (newPixelPercentage < 50 ? 16 : 64)
        return isGray || fresh.withoutGreen < fresh.withGreen - margin
    }

    /// Whether predictions are shorter than something else, for all pixels and for those that repeat nowhere: if there are many that do,
    /// by a margin, since at the edges of what repeats they are longer.
    func isPredictable(insteadOf other: KeyPath<WayBitCounts, Int>, by way: KeyPath<WayBitCounts, Int>) -> Bool {
        let margin = repeatedPercentage > Self.manyPercentage ? fresh[keyPath: other] / 12 : 0
        // Where little is new, copies save most, and they are lost by predictions.
        let factor = other == \.index && newPixelPercentage < 10 ? 3 : 1
        return factor * all[keyPath: way] < all[keyPath: other]
            && factor * fresh[keyPath: way] < fresh[keyPath: other] - margin
    }

    /// Whether green is taken from red and blue that are not predicted.
    var isBetterPlainWithoutGreen: Bool {
        isGray || fresh.plainWithoutGreen <= fresh.plainWithGreen + fresh.plainWithGreen / 32
    }

    /// Whether long copies are worth looking for.
    var hasRepeats: Bool { repeatedPercentage > 3 }

    /// Whether so much repeats that it is to do so after predictions too.
    var isRepetitive: Bool { repeatedPercentage > Self.manyPercentage }

    private static let manyPercentage = 12

    /// About how many rows of a picture are looked at.
    static func rowCount(_ effort: EncodingOptions.Effort) -> Int {
        switch effort {
        case .fast: 32
        case .default: 128
        case .best: 512
        }
    }

    /// - Parameter table: a palette, if there are at most 256 colours.
    init(
        _ picture: PixelPlane, _ table: IndexingPalette?, rowCount: Int, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        let repeats = try LongRepeats(picture, meter: meter, &work)
        var walk = LongRepeats.Walk()
        let lookup = table.map { DistinctColors($0.colors) }
        func index(_ pixel: UInt32) -> UInt32? {
            lookup.map { 0xFF00_0000 | UInt32($0.number(of: pixel) ?? 0) << 8 }
        }
        var (all, fresh) = (WayEstimates(), WayEstimates())
        let width = picture.width
        var (chroma, newCount, repeatedCount, count): (UInt32, Int, Int, Int) = (0, 0, 0, 0)
        // The first row too: all that a picture has in one direction may be there.
        for y in [0] + Array(stride(from: 1, to: picture.height, by: max(1, picture.height / rowCount))) {
            count += width
            try work.spend(24 * width)
            picture.pixels.withSpan { pixels in
                let start = PixelPlane.margin + y * width
                for place in start + (y > 0 ? 0 : 1)..<start + width {
                    // On the upper and the left edge there is one neighbour.
                    let left = pixels[place > start ? place - 1 : place - width]
                    let above = y > 0 ? pixels[place - width] : left
                    let corner = y > 0 && place > start ? pixels[place - width - 1] : above
                    let pixel = pixels[place]
                    let isNew = pixel != left && pixel != above
                    // Copies reach what equals a neighbour, but with a palette not always when it is predicted.
                    guard isNew || lookup != nil else { continue }
                    let mode: UInt8 = isNew ? 12 : 11
                    let difference = Self.difference(mode, pixel, left, above, corner) ?? 0
                    guard isNew || difference != 0 else { continue }
                    let number = index(pixel)
                    let numberDifference = Self.difference(mode, number, index(left), index(above), index(corner))
                    let isRepeated = walk.contains(place - PixelPlane.margin, repeats)
                    all.add(difference: difference, index: numberDifference)
                    if !isRepeated { fresh.add(difference: difference, index: numberDifference) }
                    guard isNew else { continue }
                    chroma |= ForwardColorKernel.greenSubtracted(pixel) & 0x00FF_00FF
                    all.add(pixel, index: number)
                    if isRepeated {
                        repeatedCount += 1
                    } else {
                        newCount += 1
                        fresh.add(pixel, index: number)
                    }
                }
            }
        }
        isGray = chroma == 0
        newPixelPercentage = count > 0 ? 100 * newCount / count : 0
        repeatedPercentage = 100 * repeatedCount / max(1, newCount + repeatedCount)
        (self.all, self.fresh) = (all.bitCounts, fresh.bitCounts)
        residualBits = self.all.predicted / max(1, newCount + repeatedCount)
    }

    /// From what a mode predicts; `nil` if there is nothing to predict from.
    private static func difference(
        _ mode: UInt8, _ pixel: UInt32?, _ left: UInt32?, _ above: UInt32?, _ corner: UInt32?
    ) -> UInt32? {
        guard let pixel, let left, let above, let corner else { return nil }
        return TransformReference.difference(
            pixel, TransformReference.predict(mode, l: left, t: above, tr: 0, tl: corner))
    }
}
