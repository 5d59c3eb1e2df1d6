// Where the rows between the stages of the recipe lie in one block of memory.
//
// In: the geometry of a frame. Out: byte offsets. Rows are `Int16` samples with margins on both sides, which filters read.

import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec

/// The layout of the working memory.
///
///     source           48 rows of each component at full size; if chroma is not fitted, one MCU row
///     reduced          steps of each chroma component on its way to half the size
///     fitted           8 rows of each that is subsampled: one row of blocks
///     decoded          24 rows of each: a row of blocks, the one before, the last row of the one before that
///     upsampled, room  one row
///     repaired         8 rows of luma
struct RecipeWorkspace: Sendable {
    /// Words of a row without its margins.
    let paddedWidth: Int
    let source: [RowWindow]
    let reduced: [ChromaFitRows]
    let fitted: [RowWindow]
    let decoded: [RowWindow]
    let upsampled: [RowWindow]
    let room: RowWindow
    let repaired: RowWindow
    let byteCount: Int

    /// - Parameter isFitted: Whether chroma at half the size is fitted to the decoder's upsampling.
    init(_ geometry: FrameGeometry, isFitted: Bool) {
        let width = geometry.components[0].paddedWidthInBlocks * 8
        paddedWidth = width
        var end = 0
        func window(_ width: Int, _ rowCount: Int) -> RowWindow {
            RowWindow(width: width, rowCount: rowCount, after: &end)
        }
        let chroma = geometry.components.dropFirst().map { $0.paddedWidthInBlocks * 8 }
        let fitted = isFitted ? chroma : []
        let isFull = geometry.maximumHorizontalSampling * geometry.maximumVerticalSampling == 1
        let rows = isFitted ? 48 : geometry.outputRowsPerMCURow
        source = geometry.components.map { _ in window(width, rows) }
        reduced = fitted.map { ChromaFitRows(width: $0, after: &end) }
        self.fitted = isFull ? [] : chroma.map { window($0, 8) }
        decoded = chroma.map { window($0, isFitted ? 24 : 8) }
        upsampled = fitted.map { _ in window(width + 16, 1) }
        room = window(fitted.first ?? 0, 1)
        repaired = window(geometry.components.count == 3 ? width : 0, 8)
        byteCount = end
    }
}
