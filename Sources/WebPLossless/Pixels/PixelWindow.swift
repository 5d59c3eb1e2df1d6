// Which pixels of a coded image are held: all of a small one, the last two million or so of a large one.
//
//   image    rows 0, 1, 2, ...       | gone      | held                                   | not decoded yet
//                                                ^ firstRow           ^ position - 2^20   ^ position
//
//   buffer                           [ held ............ position | room for the next rows and a copy | margin ]
//
// A copy reaches at most 2^20 pixels back. When the next rows do not fit, the rows that something may still ask for are moved to
// the front of the buffer: those that a copy can reach, and those that are not finished. About a million pixels are decoded
// between two moves, and about as many are moved: one for each decoded pixel.

import ImageCodecsCore

/// The part of a coded image that is in its buffer.
///
/// Example, 16384x6713 pixels: the buffer holds 2^21 pixels, 8 MB in place of 440.
struct PixelWindow: Sendable {
    private let width: Int
    /// Pixels of the image.
    private let pixelCount: Int
    /// Pixels that are held, at most.
    let capacity: Int
    /// The row of the image that the buffer begins with.
    private(set) var firstRow = 0

    /// Pixels that a window holds besides those that a copy can reach, about.
    static let usualSlack = 1 << 20

    /// - Parameters:
    ///   - size: of the image.
    ///   - slack: pixels besides those that a copy can reach; less than a few rows becomes a few rows. `nil` if all of the
    ///     image is held.
    init(_ size: PixelSize, slack: Int?) {
        width = size.width
        let count = size.width * size.height
        pixelCount = count
        capacity = slack.map { min(count, Self.capacity(width: size.width, slack: $0)) } ?? count
    }

    /// Pixels that are held of a large image, at most.
    ///
    /// After a move there are 2^20 pixels and less than a row, or less than two rows if a row is longer than that. What is
    /// decoded next is a row or 2^14 pixels, whichever is more, and the rest of a copy.
    static func capacity(width: Int, slack: Int) -> Int {
        let least = 3 * width + CodedImage.runPixelCount + BackwardReferences.longestLength
        return BackwardReferences.farthestDistance + max(slack, least)
    }

    /// The pixel of the image that the buffer begins with.
    var firstPixel: Int { firstRow * width }

    /// Makes room for what is decoded next.
    ///
    /// - Parameters:
    ///   - buffer: the pixels that are held.
    ///   - bytesPerPixel: 4, or 1 if only green is kept.
    ///   - state: counts from the first pixel of the buffer.
    ///   - stop: the pixel of the image up to which is decoded.
    ///   - finishedRowCount: rows that nobody asks for again, except copies.
    mutating func makeRoom(
        _ buffer: inout ScratchBuffer, bytesPerPixel: Int, _ state: inout PixelState, stop: Int, finishedRowCount: Int
    ) {
        guard min(pixelCount, stop + BackwardReferences.longestLength) - firstPixel > capacity else { return }
        let position = firstPixel + state.position
        let needed = min(position - BackwardReferences.farthestDistance, finishedRowCount * width)
        let row = max(firstRow, needed / width)
        let gone = (row - firstRow) * width
        let kept = state.position - gone
        buffer.withMutableBytes { bytes in
            bytes.move(from: gone * bytesPerPixel, to: 0, count: kept * bytesPerPixel)
        }
        state.position = kept
        firstRow = row
    }
}
