// How far two pictures of one size are apart: the largest difference, the mean square, and a picture of it.

import ImageCodecs

/// The difference of two pictures, red, green, blue and alpha alike.
///
/// Colour is compared premultiplied, eight bits a sample: what is transparent has no colour that could differ.
struct PictureDifference: Sendable {
    let size: PixelSize
    /// 0...255.
    private(set) var largest = 0
    /// Pixels that are not equal.
    private(set) var pixelCount = 0
    private var squareSum = 0
    /// Structural similarity of luma, 1 for equal pictures.
    let similarity: Double

    /// - Throws: `invalidArgument` for pictures of different sizes; `limitExceeded(.memory)`, `cancelled`.
    init(_ first: Bitmap, _ second: Bitmap) throws(ImageError) {
        guard first.size == second.size else {
            throw .invalidArgument("\(first.size) and \(second.size) pixels cannot be compared")
        }
        size = first.size
        let (first, second) = (
            try first.converted(to: .rgbaPremultiplied), try second.converted(to: .rgbaPremultiplied)
        )
        let guarded = WorkGuard.unlimited
        for y in 0..<size.height {
            try guarded.check()
            let (largest, pixels, squares) = first.withRow(y) { one in second.withRow(y) { Self.compare(one, $0) } }
            self.largest = max(self.largest, largest)
            pixelCount += pixels
            squareSum += squares
        }
        similarity = pixelCount == 0 ? 1 : try StructuralSimilarity.mean(first, second)
    }

    private static func compare(_ one: Span<UInt8>, _ other: Span<UInt8>) -> (largest: Int, pixels: Int, squares: Int) {
        var (largest, pixels, squares) = (0, 0, 0)
        for start in stride(from: 0, to: one.count, by: 4) {
            var pixelLargest = 0
            for index in start..<start + 4 {
                let difference = abs(Int(one[index]) - Int(other[index]))
                pixelLargest = max(pixelLargest, difference)
                squares += difference * difference
            }
            largest = max(largest, pixelLargest)
            if pixelLargest > 0 { pixels += 1 }
        }
        return (largest, pixels, squares)
    }

    /// Peak signal-to-noise ratio in decibels over all four samples; `nil` for equal pictures, whose ratio has no end.
    var decibels: Double? {
        guard squareSum > 0 else { return nil }
        let mean = Double(squareSum) / Double(4 * size.width * size.height)
        return 10 * (255 * 255 / mean).decimalLogarithm
    }

    /// The difference of each sample as a picture without alpha, multiplied so that the largest is 255; alpha adds to all
    /// three colours.
    func picture(_ first: Bitmap, _ second: Bitmap) throws(ImageError) -> Bitmap {
        let (first, second) = (
            try first.converted(to: .rgbaPremultiplied), try second.converted(to: .rgbaPremultiplied)
        )
        let scale = max(1, largest)
        var result = try Bitmap(size: size, format: .rgb)
        for y in 0..<size.height {
            try first.withRow(y) { (one) throws(ImageError) in
                try second.withRow(y) { (other) throws(ImageError) in
                    try result.withMutableRow(y) { row in
                        for x in 0..<size.width {
                            let alpha = abs(Int(one[4 * x + 3]) - Int(other[4 * x + 3]))
                            for sample in 0..<3 {
                                let color = abs(Int(one[4 * x + sample]) - Int(other[4 * x + sample]))
                                row[3 * x + sample] = UInt8(max(color, alpha) * 255 / scale)
                            }
                        }
                    }
                }
            }
        }
        return result
    }
}

extension Double {
    /// The logarithm to base 10 of a positive finite number, to more digits than are printed.
    ///
    /// From the exponent and a series for the significand m in 1..<2: ln m = 2 (z + z³/3 + z⁵/5 + ...), z = (m - 1) / (m + 1) < 1/3.
    fileprivate var decimalLogarithm: Double {
        let z = (significand - 1) / (significand + 1)
        var (power, sum) = (z, 0.0)
        for odd in stride(from: 1.0, through: 41, by: 2) {
            sum += power / odd
            power *= z * z
        }
        let (lnTwo, lnTen) = (0.693_147_180_559_945_3, 2.302_585_092_994_046)
        return (2 * sum + Double(exponent) * lnTwo) / lnTen
    }
}
