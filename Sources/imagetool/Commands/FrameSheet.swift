// The contact sheet of one animation: each frame in a cell, and below it what the file says about it.

package import ImageCodecs
import ImageInspection

/// A sheet that frames are drawn on, one after the other.
///
///     +--------------------+
///     | frame, in a corner |   over a checkerboard, which shows through if it is transparent;
///     | of which the part  |   an outline around the part of it that the file has pixels for
///     | that changed       |
///     +--------------------+
///     frame 3: 120 ms          number and duration
///     over, then restore       how it is drawn, and what becomes of it
///     from frame 1             the frame that drawing starts from
package struct FrameSheet {
    private let animation: any AnimatedImageProvider
    private let frames: Range<Int>
    private let pictureSize: PixelSize
    private let grid: SheetGrid
    /// The sheet as far as it is drawn.
    package private(set) var bitmap: Bitmap
    /// The frame being drawn, in memory that the next one uses again.
    private var frame = Bitmap.empty

    private static let gap = 8
    private static let lineCount = 3
    private static let background = SIMD3<UInt8>(repeating: 32)
    private static let textColor = SIMD3<UInt8>(repeating: 224)
    /// The colour of the outline, one that is rare in pictures.
    private static let outlineColor = SIMD3<UInt8>(255, 0, 128)

    /// An empty sheet.
    ///
    /// - Parameters:
    ///   - animation: opened with a size that fits `cell`, and without turning it: rectangles are those of the file.
    ///   - frames: which of its frames are shown.
    ///   - cell: room for each picture, without the lines below it.
    ///   - columns: cells in a row; `nil` for about as many as there are rows.
    ///   - limits: those of a picture, which the sheet is.
    /// - Throws: `limitExceeded` for a sheet that would be larger than a picture may be.
    package init(
        _ animation: any AnimatedImageProvider, frames: Range<Int>, cell: PixelSize, columns: Int?,
        limits: DecodingLimits
    ) throws(ImageError) {
        self.animation = animation
        self.frames = frames
        pictureSize = cell
        let height = cell.height.addingSaturated(Self.gap / 2 + Self.lineCount * BitmapFont.lineHeight)
        grid = try SheetGrid(
            cell: PixelSize(width: cell.width, height: height), columns: columns, gap: Self.gap,
            count: max(1, frames.count), limits: limits)
        bitmap = try grid.emptySheet(Self.background)
    }

    /// Decodes a frame and draws it; what the file says about it is there even if decoding it fails.
    ///
    /// - Parameter index: one of the frames that the sheet is of.
    /// - Returns: Which part of the frame is decoded if it is partial; `nil` for a whole frame.
    /// - Throws: what decoding it throws.
    package mutating func draw(frameAt index: Int) throws(ImageError) -> PartialReport? {
        let info = try animation.frameInfo(at: index)
        let cell = grid.rect(ofCell: index - frames.lowerBound)
        write(info, index, below: cell)
        let partial = try animation.frame(at: index, into: &frame)
        guard !frame.size.isEmpty else { return partial }
        let picture = try fitted(frame).converted(to: .rgbaPremultiplied)
        let magnification = max(1, min(pictureSize.width / picture.width, pictureSize.height / picture.height))
        let shown = PixelSize(width: picture.width * magnification, height: picture.height * magnification)
        let place = PixelRect(x: cell.x, y: cell.y, width: pictureSize.width, height: pictureSize.height)
            .middle(for: shown)
        put(picture, at: place, magnification)
        let border = PixelRect(x: place.x - 1, y: place.y - 1, width: shown.width + 2, height: shown.height + 2)
        bitmap.outline(scaled(info.rect, to: place), with: Self.outlineColor, in: border)
        return partial
    }

    /// A frame of a coder that does not scale, made small enough for its cell.
    private func fitted(_ frame: Bitmap) throws(ImageError) -> Bitmap {
        guard frame.width > pictureSize.width || frame.height > pictureSize.height else { return frame }
        return try frame.scaled(to: frame.size.fitted(in: pictureSize))
    }

    private mutating func write(_ info: FrameInfo, _ index: Int, below cell: PixelRect) {
        let isStill = animation.info.animation == nil
        let lines = [
            "frame \(index)" + (isStill ? "" : ": \(info.duration.wholeMilliseconds) ms"), info.drawing,
            info.origin(of: index),
        ]
        for (number, line) in lines.enumerated() {
            let y = cell.y + pictureSize.height + Self.gap / 2 + number * BitmapFont.lineHeight
            bitmap.write(line, x: cell.x, y: y, with: Self.textColor, in: cell)
        }
    }

    /// Lays a picture over a checkerboard, each pixel as a square of `magnification` pixels.
    private mutating func put(_ picture: Bitmap, at place: PixelRect, _ magnification: Int) {
        for y in 0..<place.height {
            picture.withRow(y / magnification) { source in
                bitmap.withSheetRow(place.y + y) { row in
                    for x in 0..<place.width {
                        let board = Checkerboard.color(x: x, y: y)
                        let pixel = 4 * (x / magnification)
                        let clear = 255 - Int(source[pixel + 3])
                        for channel in 0..<3 {
                            let color = Int(source[pixel + channel]) + (Int(board[channel]) * clear + 127) / 255
                            row[3 * (place.x + x) + channel] = UInt8(clamping: color)
                        }
                    }
                }
            }
        }
    }

    /// A rectangle of the canvas where it is on the sheet, rounded outwards.
    private func scaled(_ rect: PixelRect, to place: PixelRect) -> PixelRect {
        let canvas = animation.info.size
        guard !canvas.isEmpty, !rect.isEmpty else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let x = Self.scaled(rect.x, rect.width, from: canvas.width, to: place.width)
        let y = Self.scaled(rect.y, rect.height, from: canvas.height, to: place.height)
        return PixelRect(x: place.x + x.lowerBound, y: place.y + y.lowerBound, width: x.count, height: y.count)
    }

    /// One side of that; what leaves the canvas is cut off two pixels beyond its edge, where no outline is drawn.
    private static func scaled(_ start: Int, _ count: Int, from canvas: Int, to side: Int) -> Range<Int> {
        let scale = Double(side) / Double(canvas)
        func cut(_ position: Double) -> Int { Int(min(max(position, -2), Double(side + 2))) }
        let first = cut((Double(start) * scale).rounded(.down))
        return first..<max(first, cut((Double(start.addingSaturated(count)) * scale).rounded(.up)))
    }
}
