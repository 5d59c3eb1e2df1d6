// Where the cells of a sheet lie, the empty sheet, and what it is written in.

import ArgumentParser
import ImageCodecs
import ImageInspection

/// Cells of one size in rows, with a gap between them and around them.
struct SheetGrid: Sendable {
    private let cell: PixelSize
    private let columns: Int
    private let gap: Int
    /// The whole sheet.
    let size: PixelSize

    /// A grid with room for `count` cells, at least one of them.
    ///
    /// - Parameters:
    ///   - columns: cells in a row; `nil` for about as many as there are rows.
    ///   - limits: those of a picture, which the sheet is.
    /// - Throws: `limitExceeded` for a sheet that would be larger than a picture may be.
    init(cell: PixelSize, columns: Int?, gap: Int, count: Int, limits: DecodingLimits) throws(ImageError) {
        self.cell = cell
        self.gap = gap
        self.columns = min(count, columns ?? max(1, Int(Double(count).squareRoot().rounded(.up))))
        let rows = (count - 1) / self.columns + 1
        size = PixelSize(
            width: Self.extent(self.columns, cell.width, gap), height: Self.extent(rows, cell.height, gap))
        try limits.check(size: size)
        let byteCount = size.width.multipliedSaturated(by: size.height).multipliedSaturated(by: 3)
        guard byteCount <= limits.maxMemoryByteCount else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: limits.maxMemoryByteCount)
        }
    }

    private static func extent(_ count: Int, _ side: Int, _ gap: Int) -> Int {
        side.addingSaturated(gap).multipliedSaturated(by: count).addingSaturated(gap)
    }

    /// Where a cell lies.
    func rect(ofCell index: Int) -> PixelRect {
        PixelRect(
            x: gap + index % columns * (cell.width + gap), y: gap + index / columns * (cell.height + gap),
            width: cell.width, height: cell.height)
    }

    /// A sheet of one colour.
    func emptySheet(_ background: SIMD3<UInt8>) throws(ImageError) -> Bitmap {
        var bitmap = try Bitmap(size: size, format: .rgb)
        bitmap.fill(PixelRect(size), with: background)
        return bitmap
    }
}

extension OutputFormat {
    /// What a sheet is written in: as its file's extension says, PNG on standard output.
    init(ofSheet output: String, _ overwriting: OverwriteArguments) throws {
        guard output != "-" else {
            if StandardOutput.isTerminal, !overwriting.force {
                throw ValidationError("standard output is a terminal: redirect it, or use --force")
            }
            self = .coded(.png)
            return
        }
        let name = ImageFormat.pathExtension(of: output) ?? ""
        guard let format = OutputFormat(name: name) else { throw ValidationError(OutputFormat.refusal(of: name)) }
        self = format
    }
}
