// Where the rows between the stages of the recipe lie in one block of memory.
//
// In: the geometry of a frame. Out: byte offsets. Rows are `Int16` samples with margins on both sides, which filters read.

package import ImageCodecsCore
import JPEGBaselineCodec

/// Rows that follow each other in a ring.
struct RowWindow: Sendable {
    /// Byte offset of the first word of row 0, after its margin.
    let origin: Int
    /// Bytes from a row to the next.
    let stride: Int
    /// Rows that are held at once.
    let rowCount: Int

    /// Byte offset of a row.
    func offset(_ row: Int) -> Int { origin + row % rowCount * stride }
}

/// The layout of the working memory.
///
///     luma, cb, cr            48 rows at full size (8 in 4:4:4 and gray)
///     box, adjoint, correction 4 rows of each chroma component at half the size
///     fitted                  8 rows of each: one row of blocks
///     decoded                 24 rows of each: one row of blocks, one before, the last row of the one before that
///     room, cbRow, crRow      one row
///     repaired                8 rows of luma
struct RecipeWorkspace: Sendable {
    /// Words before and after each row.
    static let margin = 16

    /// Words of a row without its margins.
    let paddedWidth: Int
    let source: [RowWindow]
    let box: [RowWindow]
    let adjoint: [RowWindow]
    let correction: [RowWindow]
    let fitted: [RowWindow]
    let decoded: [RowWindow]
    let upsampled: [RowWindow]
    let room: RowWindow
    let repaired: RowWindow
    let byteCount: Int

    init(paddedWidth: Int, componentCount: Int, isSubsampled: Bool) {
        self.paddedWidth = paddedWidth
        var end = 0
        func window(_ width: Int, _ rowCount: Int) -> RowWindow {
            let stride = (2 * (width + 2 * Self.margin) + 63) & ~63
            let window = RowWindow(origin: end + 2 * Self.margin, stride: stride, rowCount: rowCount)
            end += stride * rowCount
            return window
        }
        let half = (paddedWidth / 2 + 7) & ~7
        let chroma = isSubsampled ? half : paddedWidth
        let pair = componentCount == 3 ? [0, 1] : []
        let reduced = isSubsampled ? pair : []
        source = (0..<componentCount).map { _ in window(paddedWidth, isSubsampled ? 48 : 8) }
        box = reduced.map { _ in window(half, 4) }
        adjoint = reduced.map { _ in window(half, 4) }
        correction = reduced.map { _ in window(half, 4) }
        fitted = reduced.map { _ in window(half, 8) }
        decoded = pair.map { _ in window(chroma, isSubsampled ? 24 : 8) }
        upsampled = pair.map { _ in window(paddedWidth + 16, 1) }
        room = window(half, 1)
        repaired = window(paddedWidth, 8)
        byteCount = end
    }
}
