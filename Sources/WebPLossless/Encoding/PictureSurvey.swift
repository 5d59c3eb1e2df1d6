// What kind of picture it is: drawn, so that pixels repeat as they are, or taken, so that they are near what is around them.

import ImageCodecsCore

/// What a look at some rows says about a picture.
struct PictureSurvey: Sendable {
    /// Pixels that differ from the one to the left and the one above: what copies seldom reach.
    private(set) var newPixelCount = 0
    private(set) var pixelCount = 0
    /// Bits of the new pixels: as they are, with green taken from red and blue; as differences from their prediction; as indices of a
    /// palette, if there are at most 256 colours.
    private(set) var plainBitCount = 0
    private(set) var predictedBitCount = 0
    private(set) var indexBitCount = 0

    /// Of the rows, each one of this many is looked at in large pictures.
    private static let largestRowCount = 256

    init(_ picture: PixelPlane, _ colors: PictureColors?, _ work: inout WorkGuard) throws(ImageError) {
        var plain = [UInt32](repeating: 0, count: 1024)
        var predicted = plain
        var indices = [UInt32](repeating: 0, count: 256)
        let width = picture.width
        let step = max(1, picture.height / Self.largestRowCount)
        for y in stride(from: 1, to: picture.height, by: step) {
            try work.spend(4 * width)
            pixelCount += width
            picture.pixels.withSpan { pixels in
                for x in 1..<max(1, width) {
                    let index = PixelPlane.margin + y * width + x
                    let (pixel, left, above) = (pixels[index], pixels[index - 1], pixels[index - width])
                    guard pixel != left, pixel != above else { continue }
                    newPixelCount += 1
                    Self.add(Self.greenSubtracted(pixel), &plain)
                    let corner = pixels[index - width - 1]
                    let guess = Self.gradient(left, above, corner)
                    Self.add(Self.greenSubtracted(TransformReference.difference(pixel, guess)), &predicted)
                    if let colors { indices[colors.index(of: pixel)] += 1 }
                }
            }
        }
        plainBitCount = Self.bits(plain, 256)
        predictedBitCount = Self.bits(predicted, 256)
        indexBitCount = Self.bits(indices, 256)
    }

    private static func add(_ pixel: UInt32, _ counts: inout [UInt32]) {
        counts[Int(pixel & 255)] += 1
        counts[256 + Int(pixel >> 8 & 255)] += 1
        counts[512 + Int(pixel >> 16 & 255)] += 1
        counts[768 + Int(pixel >> 24)] += 1
    }

    private static func greenSubtracted(_ pixel: UInt32) -> UInt32 {
        let green = pixel >> 8 & 255
        return TransformReference.difference(pixel, green << 16 | green)
    }

    /// Left and above less the corner, each channel within what a byte holds.
    private static func gradient(_ left: UInt32, _ above: UInt32, _ corner: UInt32) -> UInt32 {
        var result: UInt32 = 0
        for shift in [UInt32(0), 8, 16, 24] {
            let value =
                Int(left >> shift & 255) + Int(above >> shift & 255) - Int(corner >> shift & 255)
            result |= UInt32(min(max(value, 0), 255)) << shift
        }
        return result
    }

    private static func bits(_ counts: [UInt32], _ size: Int) -> Int {
        var sum: UInt64 = 0
        for start in stride(from: 0, to: counts.count, by: size) {
            var total: UInt32 = 0
            var products: UInt64 = 0
            for count in counts[start..<start + size] {
                total += count
                products += Entropy.product(count)
            }
            sum += Entropy.product(total) - min(products, Entropy.product(total))
        }
        return Int(sum >> UInt64(Entropy.scaleBits))
    }
}
