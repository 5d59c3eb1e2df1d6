// A JPEG block drawn as its patterns, and as what they come to.

public import ImageCodecsCore

extension CoefficientBlock {
    /// The 64 patterns in eight rows, each weighted as in the block, and to the right of them the block itself, in the same gray levels.
    ///
    /// Patterns that are zero are left empty. In the first pattern, the mean, 128 is added as in the block; in all others 128 stands for 0.
    ///
    /// - Returns: `PixelFormat.rgb`.
    /// - Throws: `limitExceeded(.memory)`.
    public func bitmap() throws(ImageError) -> Bitmap {
        let side = 8 * Self.cellSide + Self.gap
        var bitmap = try Bitmap(size: PixelSize(width: 2 * side + Self.cellSide, height: side), format: .rgb)
        bitmap.fill(PixelRect(bitmap.size), with: SIMD3(repeating: 255))
        bitmap.fill(PixelRect(x: 0, y: 0, width: side, height: side), with: Self.lineColor)
        for index in 0..<64 {
            let (x, y) = (index % 8 * Self.cellSide + Self.gap, index / 8 * Self.cellSide + Self.gap)
            if coefficients[index] == 0 {
                let area = PixelRect(x: x, y: y, width: 8 * Self.scale, height: 8 * Self.scale)
                bitmap.fill(area, with: Self.emptyColor)
            } else {
                bitmap.draw(pattern(index).map { Self.level(128 + $0) }, x: x, y: y, scale: Self.scale)
            }
        }
        let left = side + Self.cellSide
        bitmap.fill(PixelRect(x: left, y: 0, width: side, height: side), with: Self.lineColor)
        bitmap.draw(samples, x: left + Self.gap / 2, y: Self.gap / 2, scale: Self.cellSide)
        return bitmap
    }

    /// Pixels of a sample of a pattern, and between patterns.
    private static let (scale, gap) = (4, 2)
    /// Pixels from one pattern to the next.
    private static let cellSide = 8 * scale + gap
    private static let lineColor = SIMD3<UInt8>(70, 70, 84)
    private static let emptyColor = SIMD3<UInt8>(226, 226, 232)
}

extension Bitmap {
    /// Draws 64 gray samples, each as a square.
    fileprivate mutating func draw(_ samples: [Int], x: Int, y: Int, scale: Int) {
        for (place, sample) in zip(0..., samples) {
            let square = PixelRect(
                x: x + place % 8 * scale, y: y + place / 8 * scale, width: scale, height: scale)
            fill(square, with: SIMD3(repeating: UInt8(clamping: sample)))
        }
    }
}
