// Where rows of numbers are in the block of memory of one comparison.

import ImageCodecsCore

/// The channels of which structure is compared, or other sets of them.
package struct LookChannels: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Red-green.
    package static let x = LookChannels(rawValue: 1)
    /// Lightness.
    package static let y = LookChannels(rawValue: 2)
    /// Blue-yellow.
    package static let b = LookChannels(rawValue: 4)
}

/// Twelve rows that follow each other in a ring of sixteen; those above and below the picture are zero.
package struct LookWindow: Sendable {
    /// The place of the first row of the ring.
    package let ring: Int
    /// From one of its rows to the next.
    package let stride: Int
    /// The number of the first row in the picture; may be negative.
    package let first: Int
    /// Rows of the picture.
    package let height: Int
    /// The place of a row of zeros.
    package let zeros: Int

    package static let ringRowCount = 16

    package init(ring: Int, stride: Int, first: Int, height: Int, zeros: Int) {
        (self.ring, self.stride, self.first, self.height, self.zeros) = (ring, stride, first, height, zeros)
    }

    /// The place of a row, 0 ..< 12.
    package func place(_ index: Int) -> Int {
        let row = first + index
        return row >= 0 && row < height ? ring + (row % Self.ringRowCount) * stride : zeros
    }
}

/// The places of one scale's rows.
///
///     6 rows of light of even rows: red, green, blue of one picture, and of the other
///     6 rows of light of odd rows
///     12 rings of 16 rows: for each of three channels one picture, the other, the sum of squares, the square of the difference
///
/// Each row has eight numbers before its first column, and eight after its last, which stay zero in rings.
struct LookPlaces: Sendable {
    /// Numbers before the first column.
    static let margin = 8
    private static let rowCount = 12 + 12 * LookWindow.ringRowCount

    let width: Int
    let stride: Int
    private let base: Int

    init(width: Int, from base: Int) {
        (self.width, self.base) = (width, base)
        stride = Self.stride(width)
    }

    /// The place after the last.
    var end: Int { base + Self.rowCount * stride }

    func light(_ row: Int) -> Int { base + (row & 1) * 6 * stride + Self.margin }

    /// A ring of channel 0 ..< 3, member 0 ..< 4.
    func ring(_ channel: Int, _ member: Int = 0) -> Int {
        base + (12 + (4 * channel + member) * LookWindow.ringRowCount) * stride + Self.margin
    }

    /// From one ring to the next.
    var ringStride: Int { LookWindow.ringRowCount * stride }

    /// The place of a picture's row in the ring at `ring`.
    func row(_ y: Int, _ ring: Int) -> Int { ring + (y % LookWindow.ringRowCount) * stride }

    static func stride(_ width: Int) -> Int { (width + 3) & ~3 + 2 * margin }

    /// Numbers of a scale of this width. Saturates.
    static func count(width: Int) -> Int {
        width.addingSaturated(3 + 2 * margin).multipliedSaturated(by: rowCount)
    }
}
