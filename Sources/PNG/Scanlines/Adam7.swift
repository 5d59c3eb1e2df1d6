// Adam7: the seven passes of an interlaced picture, where their pixels go, and previews of unfinished ones.

package import ImageCodecsCore

/// The interlacing scheme of PNG.
///
/// Every 8x8 block of the picture is numbered like this, each number naming the pass that brings the pixel:
///
///     1 6 4 6 2 6 4 6
///     7 7 7 7 7 7 7 7
///     5 6 5 6 5 6 5 6
///     7 7 7 7 7 7 7 7
///     3 6 4 6 3 6 4 6
///     7 7 7 7 7 7 7 7
///     5 6 5 6 5 6 5 6
///     7 7 7 7 7 7 7 7
///
/// Source: PNG 3rd ed. §8.1 "Interlacing and pass extraction".
package enum Adam7 {
    /// One pass: a smaller picture whose pixels lie on a grid of the whole one.
    package struct Pass: Hashable, Sendable {
        /// 1...7; 0 for a picture that is not interlaced.
        package let number: Int
        /// The column of the first pixel, and the distance to the next.
        package let x: Int, columnStep: Int
        /// The row of the first pixel, and the distance to the next.
        package let y: Int, rowStep: Int
        /// Pixels of this pass.
        package let size: PixelSize

        /// Where a row of this pass goes in a picture of `height` rows.
        package func place(ofRow row: Int, height: Int) -> PassRow {
            let band = row * rowStep
            return PassRow(
                y: y + band, x: x, columnStep: columnStep, width: size.width,
                shownRows: band..<min(band + rowStep, height))
        }
    }

    /// x, y, column step and row step of passes 1...7.
    private static let grids: [SIMD4<Int>] = [
        [0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2],
    ]

    /// Columns and rows between known pixels once 0...7 passes are complete.
    private static let knownSteps: [(column: Int, row: Int)] = [
        (8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1),
    ]

    /// The passes of a picture of `size` that have any pixel.
    package static func passes(of size: PixelSize) -> [Pass] {
        zip(0..., grids).compactMap { index, grid in
            let columns = (size.width - grid[0] + grid[2] - 1) / grid[2]
            let rows = (size.height - grid[1] + grid[3] - 1) / grid[3]
            guard size.width > grid[0], size.height > grid[1] else { return nil }
            return Pass(
                number: index + 1, x: grid[0], columnStep: grid[2], y: grid[1], rowStep: grid[3],
                size: PixelSize(width: columns, height: rows))
        }
    }

    /// Every pixel that is still missing shows the known one above and left of it, so that a few passes show a coarse
    /// picture.
    package struct Gaps: GapFilling {
        /// The pass being decoded, of which `rowCount` rows are; the passes before it are complete. `nil` after the last,
        /// when nothing is missing.
        private let next: Pass?
        private let rowCount: Int

        package init(next: Pass?, rowCount: Int) {
            self.next = next
            self.rowCount = rowCount
        }

        package func rowShown(at y: Int) -> ShownRow {
            guard let next else { return .pixels(ofRow: y, columnStep: 1) }
            let isRefined = y < rowCount * next.rowStep
            let passCount = isRefined ? next.number : next.number - 1
            guard passCount > 0 else { return .blank }
            let known = knownSteps[passCount]
            return .pixels(ofRow: y - y % known.row, columnStep: known.column)
        }
    }
}
