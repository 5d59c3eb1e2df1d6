// Where a frame has to draw: the macroblocks of the canvas in which what is shown is too far from what is wanted.

import ImageCodecsCore
import WebPLossyCodec

/// A rectangle of whole macroblocks, and what is known of each.
struct FrameScope {
    let rect: PixelRect
    /// Whether the frame can be laid over the canvas, so that parts of it may be left out: what it draws is opaque.
    let mayLayOver: Bool
    /// Of the macroblocks of ``rect``, row by row: the squared error of what is shown, 0 if that stays, or
    /// `MacroblockErrors.unbearable`. Empty if the frame has to draw everything.
    let errors: [UInt32]

    /// All of a canvas.
    init(covering size: PixelSize) {
        (rect, mayLayOver, errors) = (PixelRect(size), false, [])
    }

    /// - Parameters:
    ///   - settled: of each macroblock, the error that coding has left when it was drawn last: an eighth more is not coded again.
    ///   - settings: say which errors are too small to be coded.
    /// - Returns: `nil` if nothing has to change.
    init?(
        from shown: Bitmap, to wanted: Bitmap, settled: [UInt32], _ settings: VP8Encoder.Settings, meter: MemoryMeter,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        var errors = try MacroblockErrors.errors(of: shown, from: wanted, meter: meter, work: &work)
        let columnCount = (wanted.width + 15) / 16
        let alphas = try Self.alphas(shown, wanted, columnCount, &work)
        let negligible = MacroblockErrors.negligible(settings)
        var (columns, rows) = (columnCount..<columnCount, 0..<0)
        var mayLayOver = true
        for index in errors.indices {
            if alphas[index].differ {
                errors[index] = MacroblockErrors.unbearable
            } else if errors[index] <= max(negligible, settled[index] + settled[index] / 8) {
                errors[index] = 0
            }
            guard errors[index] > 0 else { continue }
            mayLayOver = mayLayOver && alphas[index].canBeLaidOver
            let (column, row) = (index % columnCount, index / columnCount)
            rows = (rows.isEmpty ? row : rows.lowerBound)..<row + 1
            columns =
                min(columns.lowerBound, column)..<max(columns.isEmpty ? column + 1 : columns.upperBound, column + 1)
        }
        guard !rows.isEmpty else { return nil }
        let (x, y) = (16 * columns.lowerBound, 16 * rows.lowerBound)
        rect = PixelRect(
            x: x, y: y, width: min(16 * columns.upperBound, wanted.width) - x,
            height: min(16 * rows.upperBound, wanted.height) - y)
        self.mayLayOver = mayLayOver
        self.errors = rows.flatMap { row in columns.map { errors[row * columnCount + $0] } }
    }

    /// Whether a macroblock of the canvas is drawn.
    ///
    /// - Parameter leftOut: which macroblocks of ``rect`` are not; empty if all are.
    func contains(_ column: Int, _ row: Int, _ leftOut: [Bool]) -> Bool {
        let (x, y) = (column - rect.x / 16, row - rect.y / 16)
        guard x >= 0, y >= 0, 16 * x < rect.width, 16 * y < rect.height else { return false }
        return leftOut.isEmpty || !leftOut[y * ((rect.width + 15) / 16) + x]
    }

    /// What is true of the alpha of a macroblock.
    private struct Alpha {
        var differ = false
        /// Whether all pixels are opaque, or transparent before and after.
        var canBeLaidOver = true
    }

    private static func alphas(
        _ shown: Bitmap, _ wanted: Bitmap, _ columnCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> [Alpha] {
        var alphas = [Alpha](repeating: Alpha(), count: columnCount * ((wanted.height + 15) / 16))
        for y in 0..<wanted.height {
            try work.spend(wanted.width)
            let first = y / 16 * columnCount
            shown.withRowBytes(y) { shown in
                wanted.withRowBytes(y) { wanted in
                    for x in 0..<wanted.byteCount / 4 {
                        let (old, new) = (shown.byte(at: 4 * x + 3), wanted.byte(at: 4 * x + 3))
                        guard old & new != 255 else { continue }
                        if old != new { alphas[first + x / 16].differ = true }
                        if new != 255, new | old != 0 { alphas[first + x / 16].canBeLaidOver = false }
                    }
                }
            }
        }
        return alphas
    }
}
