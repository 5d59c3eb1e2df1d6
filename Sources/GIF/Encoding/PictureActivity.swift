// How busy a picture is around each pixel: where it is, differences are seen less.

import ImageCodecsCore

/// Mean differences of neighbours, over five by five pixels.
///
/// Rows are added in their order, each at most two rows after the one that is asked for.
struct PictureActivity: Sendable {
    private let width: Int
    private let height: Int
    /// Luma of the row added last.
    private var luma: [Float]
    /// Sums over five pixels of a row of |difference from the right| + |difference from below|, of six rows by turns: with the last
    /// row that is added, those of two get known.
    private var sums: [Float]
    private var differences: [Float]
    private var addedCount = 0
    /// Rows whose sums are known.
    private var summedCount = 0

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        luma = [Float](repeating: 0, count: width)
        sums = [Float](repeating: 0, count: Self.heldRowCount * width)
        differences = [Float](repeating: 0, count: width)
    }

    /// Bytes for each pixel of a row.
    static let pixelByteCount = (heldRowCount + 2) * 4

    private static let heldRowCount = 6

    /// The row that has to be added next before the activity of row `y` is known; `nil` if it is known.
    func missingRow(for y: Int) -> Int? { summedCount <= min(y + 2, height - 1) ? addedCount : nil }

    /// Adds a row of straight RGBA; a transparent pixel counts as the one to its left.
    mutating func add(_ row: RawSpan) {
        var left: Float = 0
        for x in 0..<width {
            let pixel = row.nativeUInt32(at: 4 * x)
            var here = left
            if pixel != 0 {
                let (red, green, blue) = (pixel & 0xFF, pixel >> 8 & 0xFF, pixel >> 16 & 0xFF)
                here = Float(77 * red + 150 * green + 29 * blue) / 256
            }
            if addedCount > 0 { differences[x] += abs(here - luma[x]) }
            (luma[x], left) = (here, here)
        }
        if addedCount > 0 { sum() }
        addedCount += 1
        for x in 0..<width { differences[x] = x + 1 < width ? abs(luma[x + 1] - luma[x]) : 0 }
        // Nothing is below the last row.
        if addedCount == height { sum() }
    }

    /// Sums up the row that was added before.
    private mutating func sum() {
        let start = summedCount % Self.heldRowCount * width
        for x in 0..<width {
            // From two to the left to two to the right; the outermost stand for those that are missing.
            var sum: Float = 0
            for neighbor in x - 2...x + 2 { sum += differences[min(max(neighbor, 0), width - 1)] }
            sums[start + x] = sum
        }
        summedCount += 1
    }

    /// The mean around a pixel.
    func mean(_ x: Int, _ y: Int) -> Float {
        var sum: Float = 0
        for neighbor in y - 2...y + 2 { sum += sums[min(max(neighbor, 0), height - 1) % Self.heldRowCount * width + x] }
        return sum / 25
    }
}
