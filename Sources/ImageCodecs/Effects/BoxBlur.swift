// A Gaussian blur by three boxes along each axis.
//
//   row ──▶ box ──▶ box ──▶ box ──▶ row     then the same on the transposed picture
//
// Sums of whole numbers are handed from box to box, and divided and rounded once at the end of each axis.

extension Bitmap {
    /// The pixels blurred as a Gaussian of the standard deviation `radius` does, approximated by three means along each axis.
    ///
    /// Beyond the sides the outermost pixels are repeated, so that the sides neither darken nor become transparent. Colour is
    /// blurred premultiplied: what is transparent has no colour that could leak, and no colour exceeds its alpha. Computed with
    /// eight bits per sample; formats of sixteen bits and CMYK pass through that. A radius below 0.8 changes nothing.
    ///
    /// - Parameter radius: in pixels, 0...10,000.
    /// - Throws: `invalidArgument` for another radius; `limitExceeded(.memory)` if the memory is not to be had; `cancelled`.
    /// - Source: W3C Filter Effects Module Level 1, §9.14 "Filter primitive feGaussianBlur".
    public func blurred(radius: Double) throws(ImageError) -> Bitmap {
        guard (0...10_000).contains(radius) else {
            throw .invalidArgument("a blur cannot have a radius of \(radius) pixels: 0 to 10,000")
        }
        guard !size.isEmpty, let blur = BoxBlur(standardDeviation: radius) else { return self }
        let isWorking = format == .bgrx || format.alpha == .premultiplied
        let working: PixelFormat = isWorking ? format : format.hasAlpha ? .bgraPremultiplied : .bgrx
        let alongRows = try converted(to: working).withRowsBlurred(by: blur)
        let transposed = try alongRows.oriented(.leftMirrored).withRowsBlurred(by: blur)
        return try transposed.oriented(.leftMirrored).converted(to: format)
    }

    /// The pixels blurred along rows; four bytes each.
    private func withRowsBlurred(by blur: BoxBlur) throws(ImageError) -> Bitmap {
        var result = try Bitmap(uninitialized: size, format: format, meter: nil)
        var buffer = BoxBlur.Row(width: width, blur)
        var work = WorkGuard.unlimited
        for y in 0..<height {
            try work.spend(8 * width)
            try withRow(y) { (row) throws(ImageError) in
                try result.withMutableRow(y) { buffer.blur(row, into: &$0, by: blur) }
            }
        }
        return result
    }
}

/// Three boxes that together are nearly a Gaussian.
private struct BoxBlur {
    /// How many pixels each box takes the mean of.
    let counts: [Int]
    /// How many pixels before a pixel all three together look at.
    let before: Int

    /// The product of the counts: at most 18,800 to the third, so that sums of bytes stay below 2 to the 53rd and are exact.
    var divisor: Double { counts.reduce(1) { $0 * Double($1) } }

    /// Pixels that a row of `width` needs, with those beyond its ends.
    func paddedCount(width: Int) -> Int { width + counts.reduce(0) { $0 + $1 - 1 } }

    /// `nil` if the boxes would be single pixels.
    ///
    /// An odd number of pixels is centred. Of an even one, two boxes stand half a pixel to either side and the third has one
    /// pixel more.
    init?(standardDeviation: Double) {
        let count = Int((standardDeviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
        guard count > 1 else { return nil }
        counts = [count, count, count % 2 == 1 ? count : count + 1]
        before = counts.reduce(0) { $0 + $1 - 1 } / 2
    }

    /// A row while it is blurred: whole numbers, four for each pixel.
    struct Row {
        private let width: Int
        /// The pixels and those beyond the ends; each box leaves fewer.
        private var pixels: [SIMD4<Double>]

        init(width: Int, _ blur: BoxBlur) {
            self.width = width
            pixels = Array(repeating: .zero, count: blur.paddedCount(width: width))
        }

        /// Blurs a row of four bytes for each pixel; the first and the last pixel stand for those beyond them.
        mutating func blur(_ row: Span<UInt8>, into target: inout MutableSpan<UInt8>, by blur: BoxBlur) {
            for index in pixels.indices {
                let at = 4 * min(max(index - blur.before, 0), width - 1)
                pixels[index] = SIMD4(Double(row[at]), Double(row[at + 1]), Double(row[at + 2]), Double(row[at + 3]))
            }
            var count = pixels.count
            for boxCount in blur.counts { count = sum(boxCount, of: count) }
            store(into: &target, dividedBy: blur.divisor)
        }

        /// Replaces each of the first `count` pixels by the sum of it and those after it, as many as a box has.
        ///
        /// - Returns: how many there are then.
        private mutating func sum(_ boxCount: Int, of count: Int) -> Int {
            let sumCount = count - boxCount + 1
            var sum = SIMD4<Double>.zero
            for index in 0..<boxCount - 1 { sum += pixels[index] }
            for index in 0..<sumCount {
                sum += pixels[index + boxCount - 1]
                let first = pixels[index]
                pixels[index] = sum
                sum -= first
            }
            return sumCount
        }

        /// Writes the pixels divided and rounded.
        ///
        /// Dividing and rounding never turns an order around: no colour exceeds its alpha afterwards if none did before.
        private func store(into row: inout MutableSpan<UInt8>, dividedBy divisor: Double) {
            let factor = 1 / divisor
            for x in 0..<width {
                let pixel = pixels[x] * factor + 0.5
                for sample in 0..<4 { row[4 * x + sample] = UInt8(pixel[sample]) }
            }
        }
    }
}
