// Sizes to scale pictures to: into boxes, and into a number of bytes (after SDWebImage).

extension PixelSize {
    /// The size that a picture of this size takes when fitted into a box.
    ///
    /// Sides are rounded to the nearest whole pixel and never below 1: 5250x3450 into 400x300 is 400x263.
    ///
    /// - Parameters:
    ///   - box: the box; a side of zero or less does not bind.
    ///   - fit: how the picture fits the box.
    ///   - scalesUp: whether a picture smaller than the box is enlarged.
    public func fitted(in box: PixelSize, fit: DecodingOptions.Fit = .fit, scalesUp: Bool = false) -> PixelSize {
        guard !isEmpty, box.width > 0 || box.height > 0 else { return self }
        let horizontal = box.width > 0 ? Double(box.width) / Double(width) : nil
        let vertical = box.height > 0 ? Double(box.height) / Double(height) : nil
        var x = horizontal ?? vertical ?? 1
        var y = vertical ?? horizontal ?? 1
        switch fit {
        case .fit: (x, y) = (min(x, y), min(x, y))
        case .fill: (x, y) = (max(x, y), max(x, y))
        case .stretch: break
        }
        if !scalesUp { (x, y) = (min(x, 1), min(y, 1)) }
        return PixelSize(width: Self.scaledSide(width, x), height: Self.scaledSide(height, y))
    }

    private static func scaledSide(_ side: Int, _ factor: Double) -> Int {
        let scaled = (Double(side) * factor).rounded()
        return max(1, scaled < Double(Int.max / 2) ? Int(scaled) : Int.max / 2)
    }

    /// The largest size with the same aspect ratio whose pixels take at most this many bytes.
    ///
    /// Both sides are multiplied by `sqrt(limit / size)` and truncated, but never below 1 and never above what they were:
    /// 5250x3450 at 60 MiB of four-byte pixels is 4892x3214.
    ///
    /// - Parameters:
    ///   - byteCount: bytes for the pixels of all frames together; zero or less means
    ///     ``DecodingOptions/OutputSize/defaultByteCount``.
    ///   - bytesPerPixel: bytes of one pixel.
    ///   - frameCount: frames that share the limit.
    public func fitted(inByteCount byteCount: Int, bytesPerPixel: Int = 4, frameCount: Int = 1) -> PixelSize {
        guard !isEmpty else { return self }
        let limit = byteCount > 0 ? byteCount : DecodingOptions.OutputSize.defaultByteCount
        let pixels = limit / max(1, bytesPerPixel) / max(1, frameCount)
        if let all = pixelCount, all <= pixels { return self }
        return PixelSize(
            width: Self.truncatedSide(width, across: height, pixels: pixels),
            height: Self.truncatedSide(height, across: width, pixels: pixels))
    }

    /// `side * sqrt(pixels / (side * other))`, truncated, without rounding error: the largest `n` with
    /// `n * n * other <= pixels * side`.
    private static func truncatedSide(_ side: Int, across other: Int, pixels: Int) -> Int {
        func fits(_ candidate: Int) -> Bool {
            let square = candidate.multipliedFullWidth(by: candidate)
            guard square.high == 0, square.low <= UInt(Int.max) else { return false }
            let left = Int(square.low).multipliedFullWidth(by: other)
            let right = pixels.multipliedFullWidth(by: side)
            return (left.high, left.low) <= (right.high, right.low)
        }
        let estimate = (Double(pixels) * Double(side) / Double(other)).squareRoot()
        // Beyond the sides of any format the estimate is good enough, and squares would overflow.
        guard estimate < 0x1p31 else { return max(1, min(side, Int(exactly: estimate.rounded(.down)) ?? side)) }
        var candidate = Int(estimate)
        while candidate > 1 && !fits(candidate) { candidate -= 1 }
        while candidate < side && fits(candidate + 1) { candidate += 1 }
        return min(max(candidate, 1), side)
    }
}
