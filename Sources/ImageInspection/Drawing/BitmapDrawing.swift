// The little that is drawn on sheets: areas of one colour, checkerboards, frames around rectangles, text.

package import ImageCodecsCore

extension Bitmap {
    /// Sets the pixels of a rectangle that are in the bitmap and in `clip`.
    ///
    /// - Precondition: The format is `PixelFormat.rgb`, as for every function of this file.
    package mutating func fill(_ rect: PixelRect, with color: SIMD3<UInt8>, in clip: PixelRect? = nil) {
        precondition(format == .rgb, "only opaque colours of eight bits are drawn")
        let area = rect.intersection(clip ?? PixelRect(size)).intersection(PixelRect(size))
        guard !area.isEmpty else { return }
        for y in area.y..<area.y + area.height {
            withSheetRow(y) { row in
                for index in 3 * area.x..<3 * (area.x + area.width) { row[index] = color[index % 3] }
            }
        }
    }

    /// The bytes of a row, for writing.
    ///
    /// - Precondition: nobody else holds the pixels: a sheet is handed on when it is done.
    package mutating func withSheetRow(_ y: Int, _ body: (inout MutableSpan<UInt8>) -> Void) {
        withMutableRowBytes(y) { $0.withNumbers(of: UInt8.self, body) }
    }

    /// Sets the pixels around a rectangle, beside it and not in it, as far as they are in `clip`.
    package mutating func outline(_ rect: PixelRect, with color: SIMD3<UInt8>, in clip: PixelRect) {
        guard !rect.isEmpty else { return }
        let (width, height) = (rect.width + 2, rect.height + 2)
        fill(PixelRect(x: rect.x - 1, y: rect.y - 1, width: width, height: 1), with: color, in: clip)
        fill(PixelRect(x: rect.x - 1, y: rect.y + rect.height, width: width, height: 1), with: color, in: clip)
        fill(PixelRect(x: rect.x - 1, y: rect.y - 1, width: 1, height: height), with: color, in: clip)
        fill(PixelRect(x: rect.x + rect.width, y: rect.y - 1, width: 1, height: height), with: color, in: clip)
    }

    /// Writes a line of text, `clip` cutting it off.
    ///
    /// - Parameter magnification: pixels to a side of each dot.
    package mutating func write(
        _ text: String, x: Int, y: Int, with color: SIMD3<UInt8>, magnification: Int = 1, in clip: PixelRect
    ) {
        BitmapFont.forEachPixel(of: text) { column, row in
            let dot = PixelRect(
                x: x + column * magnification, y: y + row * magnification, width: magnification, height: magnification)
            fill(dot, with: color, in: clip)
        }
    }
}

extension PixelRect {
    /// A rectangle of `size` in the middle of this one.
    package func middle(for size: PixelSize) -> PixelRect {
        PixelRect(
            x: x + (width - size.width) / 2, y: y + (height - size.height) / 2, width: size.width, height: size.height)
    }

    /// What both cover; empty if that is nothing.
    package func intersection(_ other: PixelRect) -> PixelRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
        return PixelRect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }
}

/// The pattern that shows where a picture is transparent.
package enum Checkerboard {
    private static let light = SIMD3<UInt8>(repeating: 255)
    private static let dark = SIMD3<UInt8>(repeating: 204)
    private static let squareSide = 8

    /// The colour of a pixel of the board.
    package static func color(x: Int, y: Int) -> SIMD3<UInt8> {
        (x / squareSide + y / squareSide) % 2 == 0 ? light : dark
    }
}
