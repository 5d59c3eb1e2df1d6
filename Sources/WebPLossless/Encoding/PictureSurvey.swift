// What kind of picture it is: drawn, so that pixels repeat as they are, or taken, so that they are near what is around them.

import ImageCodecsCore

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
        let width = plane.width
        for y in stride(from: 1, to: plane.height, by: max(1, plane.height / rowCount)) {
            try work.spend(4 * width)
            plane.pixels.withSpan { pixels in
                for index in PixelPlane.margin + y * width + 1..<PixelPlane.margin + (y + 1) * width {
                    let pixel = pixels[index]
                    if pixel != pixels[index - 1], pixel != pixels[index - width] { add(pixel) }
                }
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

/// What a look at some rows says about a picture.
struct PictureSurvey: Sendable {
    /// Bits of pixels with green taken from red and blue.
    private(set) var plainBitCount = 0
    /// Bits of differences from a prediction, with green taken from red and blue before, and without.
    private(set) var predictedBitCount = 0
    private(set) var predictedAloneBitCount = 0
    /// Bits of indices of a palette, if there are at most 256 colours.
    private(set) var indexBitCount = 0

    /// Whether green is taken from red and blue before they are predicted. If that gains little, pixels that repeat become many by it,
    /// which the estimates do not see.
    var isBetterWithoutGreen: Bool {
        isGray || predictedBitCount < predictedAloneBitCount - predictedAloneBitCount / 16
    }

    /// Whether red, green and blue of all new pixels are equal.
    private(set) var isGray = true
    /// How many pixels of a hundred differ from the one to the left and the one above.
    private(set) var newPixelPercentage = 0

    /// About how many rows of a picture are looked at.
    static func rowCount(_ effort: EncodingOptions.Effort) -> Int {
        switch effort {
        case .fast: 32
        case .default: 128
        case .best: 512
        }
    }

    init(
        _ picture: PixelPlane, _ colors: PictureColors?, rowCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        var (plain, predicted, alone, indices) = (PixelEstimate(), PixelEstimate(), PixelEstimate(), PixelEstimate())
        let width = picture.width
        var (chroma, newCount, count): (UInt32, Int, Int) = (0, 0, 0)
        // The first row too: all that a picture has in one direction may be there.
        for y in [0] + Array(stride(from: 1, to: picture.height, by: max(1, picture.height / rowCount))) {
            count += width
            try work.spend(16 * width)
            picture.pixels.withSpan { pixels in
                let start = PixelPlane.margin + y * width
                for index in start + (y > 0 ? 0 : 1)..<start + width {
                    // On the upper and the left edge there is one neighbour.
                    let left = pixels[index > start ? index - 1 : index - width]
                    let above = y > 0 ? pixels[index - width] : left
                    let corner = y > 0 && index > start ? pixels[index - width - 1] : above
                    let pixel = pixels[index]
                    guard pixel != left, pixel != above else { continue }
                    newCount += 1
                    chroma |= ForwardColorKernel.greenSubtracted(pixel) & 0x00FF_00FF
                    plain.add(ForwardColorKernel.greenSubtracted(pixel))
                    let guess = ForwardColorKernel.greenSubtracted(
                        TransformReference.difference(
                            pixel, TransformReference.predict(12, l: left, t: above, tr: 0, tl: corner)))
                    predicted.add(guess)
                    alone.add(TransformReference.greenAdded(guess))
                    if let colors { indices.add(0xFF00_0000 | UInt32(colors.index(of: pixel)) << 8) }
                }
            }
        }
        isGray = chroma == 0
        newPixelPercentage = count > 0 ? 100 * newCount / count : 0
        (plainBitCount, predictedBitCount) = (plain.bitCount, predicted.bitCount)
        (predictedAloneBitCount, indexBitCount) = (alone.bitCount, indices.bitCount)
    }
}
