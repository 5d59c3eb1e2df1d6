// Adam7: the seven passes of an interlaced picture, where their pixels go, and previews of unfinished ones.

package import ImageCore

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

    /// Columns and rows between known pixels once so many passes are complete.
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

    /// Fills every pixel that is still missing with the known one above and left of it, so that a few passes
    /// show a coarse picture.
    ///
    /// - Parameters:
    ///   - bitmap: holds the pixels of the complete passes and of the first rows of the next one.
    ///   - next: the pass being decoded; `nil` after the last, when nothing is missing.
    ///   - rows: rows of `next` that are decoded.
    ///   - work: asked every some rows.
    static func fillGaps(
        in bitmap: inout Bitmap, next: Pass?, rows: Int, work: WorkGuard
    ) throws(ImageError) {
        guard let next else { return }
        var work = work
        let completePasses = next.number - 1
        let (width, height, pixelSize) = (bitmap.width, bitmap.height, bitmap.format.bytesPerPixel)
        let refinedEnd = min(height, rows * next.rowStep)
        if completePasses == 0 { try bitmap.clearRows(refinedEnd..<height, work: work) }
        for y in 0..<(completePasses == 0 ? refinedEnd : height) {
            try work.spend(width)
            let known = knownSteps[y < refinedEnd ? next.number : completePasses]
            let source = y - y % known.row
            if source == y {
                guard known.column > 1 else { continue }
                bitmap.withMutableRowBytes(y) {
                    InterlaceKernels.replicate(&$0, width: width, step: known.column, bytesPerPixel: pixelSize)
                }
            } else {
                bitmap.copyRow(source, to: y)
            }
        }
    }
}
