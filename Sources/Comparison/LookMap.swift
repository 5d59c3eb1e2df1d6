// Where two pictures differ: a score for each square of eight pixels.

public import ImageCodecsCore

/// Scores of squares of 8 x 8 pixels, as if each were a picture of its own.
///
/// A square counts at every scale with what is in its place there. Squares at the right and at the bottom may be smaller. The score of the
/// whole picture is not their mean: what is bad somewhere weighs more than what is good elsewhere.
public struct LookMap: Hashable, Sendable {
    /// Width and height of the pictures, in pixels.
    public let pictureSize: PixelSize
    /// Squares side by side, and below each other.
    public let size: PixelSize
    /// From left to right, from top to bottom.
    public let scores: [Float]

    /// A gray picture as large as the two that were compared: black where they look equal, white where the score of a square is 0 or less.
    ///
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had.
    public func picture() throws(ImageError) -> Bitmap {
        var picture = try Bitmap(size: pictureSize, format: .gray)
        let columns = LookStretch.repetition(pictureSize.width)
        let rows = LookStretch.repetition(pictureSize.height)
        for y in 0..<pictureSize.height {
            try WorkGuard.unlimited.check()
            try picture.withMutableRow(y) { row in
                let first = y * rows / 8 * size.width
                for x in 0..<pictureSize.width {
                    let badness = min(max(100 - scores[first + x * columns / 8], 0), 100)
                    row[x] = UInt8((badness * 2.55).rounded())
                }
            }
        }
        return picture
    }
}

/// What is added up for a map while rows are measured.
struct LookMapSums: Sendable {
    /// Squares side by side, and below each other.
    private let size: PixelSize
    /// The shares of each square in its sum, of scales that are done with it.
    private var shares: [Float]
    /// Sums of the squares of the row that is measured, of each scale and channel.
    private var sums: [LookSums]
    private let reservation: MemoryReservation

    static let side = 8

    init(_ pixels: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        size = PixelSize(width: (pixels.width + 7) / 8, height: (pixels.height + 7) / 8)
        let sumCount = LookWeights.scaleCount * 6 * size.width
        reservation = try MemoryReservation(byteCount: Self.byteCount(pixels), meter: meter)
        shares = [Float](repeating: 0, count: size.width * size.height)
        sums = [LookSums](repeating: LookSums(), count: sumCount)
    }

    /// Bytes of memory. Saturates.
    static func byteCount(_ pixels: PixelSize) -> Int {
        let (width, height) = (pixels.width / side + 1, pixels.height / side + 1)
        return width.multipliedSaturated(by: height).multipliedSaturated(by: 8)
            .addingSaturated(
                width.multipliedSaturated(by: LookWeights.scaleCount * 6 * MemoryLayout<LookSums>.stride))
    }

    /// The side of what a square is at a scale, or a pixel that several squares share.
    private static func side(_ scale: Int) -> Int { max(1, side >> scale) }

    /// The columns of each square.
    static func squares(_ columns: Range<Int>, scale: Int) -> [Range<Int>] {
        let side = side(scale)
        return stride(from: columns.lowerBound, to: columns.upperBound, by: side).map {
            $0..<min($0 + side, columns.upperBound)
        }
    }

    mutating func add(_ more: LookSums, _ channel: Int, column: Int, row: Int, scale: Int) {
        let side = Self.side(scale)
        sums[place(scale, row / side, channel) + column / side].add(more)
    }

    /// Ends squares whose last row is among two that were measured.
    ///
    /// - Parameters:
    ///   - scale: before these rows.
    ///   - index: its number.
    mutating func endTwoRows(_ scale: LookScale, _ index: Int, _ weights: LookWeights) {
        let side = Self.side(index)
        for y in scale.measuredCount..<min(scale.measuredCount + 2, scale.size.height)
        where (y + 1) % side == 0 || y + 1 == scale.size.height {
            endSquares(y / side, rowCount: y % side + 1, width: scale.size.width, index, weights)
        }
    }

    private mutating func endSquares(
        _ row: Int, rowCount: Int, width: Int, _ scale: Int, _ weights: LookWeights
    ) {
        let side = Self.side(scale)
        for column in 0..<(width + side - 1) / side {
            var share = 0.0
            for channel in 0..<3 {
                let index = place(scale, row, channel) + column
                let count = rowCount * min(side, width - column * side)
                share += weights.share(sums[index], count: count, channel, scale)
                sums[index] = LookSums()
            }
            add(Float(share), column: column, row: row, span: 1 << max(0, scale - 3))
        }
    }

    /// Adds a share to all squares that a pixel of a scale covers, `span` each way.
    private mutating func add(_ share: Float, column: Int, row: Int, span: Int) {
        for y in row * span..<min((row + 1) * span, size.height) {
            for x in column * span..<min((column + 1) * span, size.width) { shares[y * size.width + x] += share }
        }
    }

    /// Of two rows of squares in turn: those of one may begin before the other's are done with.
    private func place(_ scale: Int, _ row: Int, _ channel: Int) -> Int {
        ((scale * 2 + row & 1) * 3 + channel) * size.width
    }

    /// The map, once all rows are measured.
    func map(of pictureSize: PixelSize) -> LookMap {
        LookMap(pictureSize: pictureSize, size: size, scores: shares.map { Float(LookWeights.score(Double($0))) })
    }
}
