// One component of chroma from full size to half of it, row by row: the windows between the steps of ChromaFit.
//
//     source (rows 2i - 1 ... 2i + 2) -> box, adjoint (row i) -> correction (row i - 1) -> fitted (row i - 2)

import ImageCodecsCore

/// The last rows of each step of ``ChromaFit``: four each.
package struct ChromaFitRows: Sendable {
    /// Means of 2x2 samples, with which the steps begin.
    package let means: RowWindow
    private let adjoint: RowWindow
    private let correction: RowWindow

    /// Windows at the end of a block of memory, which grows by them.
    ///
    /// - Parameters:
    ///   - width: samples of a row of half the size.
    ///   - end: bytes of the block so far.
    package init(width: Int, after end: inout Int) {
        means = RowWindow(width: width, rowCount: 4, after: &end)
        adjoint = RowWindow(width: width, rowCount: 4, after: &end)
        correction = RowWindow(width: width, rowCount: 4, after: &end)
    }

    /// Reduces rows `2 * row` and `2 * row + 1` of the source, and completes row `row - 2` of the result.
    ///
    /// - Parameters:
    ///   - row: 0, 1, 2 and so on, a row a call.
    ///   - source: rows of full size, as far as row `2 * row + 2`.
    ///   - count: samples of a row of half the size.
    ///   - room: byte offset of words for one row of half the size.
    package func reduce(
        _ row: Int, of source: RowWindow, count: Int, room: Int, into fitted: RowWindow,
        in workspace: inout MutableRawSpan
    ) {
        ChromaFitKernels.reduce(
            rows: (
                source.offset(max(2 * row - 1, 0)), source.offset(2 * row), source.offset(2 * row + 1),
                source.offset(2 * row + 2)
            ), count: count, box: means.offset(row), adjoint: adjoint.offset(row), in: &workspace)
        guard row >= 1 else { return }
        ChromaFitKernels.correction(
            rows: (means.offset(max(row - 2, 0)), means.offset(row - 1), means.offset(row)),
            adjoint: adjoint.offset(row - 1), count: count, room: room, into: correction.offset(row - 1),
            in: &workspace)
        guard row >= 2 else { return }
        ChromaFitKernels.fitted(
            rows: (correction.offset(max(row - 3, 0)), correction.offset(row - 2), correction.offset(row - 1)),
            box: means.offset(row - 2), count: count, room: room, into: fitted.offset(row - 2), in: &workspace)
    }
}
