// Composition of animations written a second time, as plainly as can be: every pixel of every frame, from the first on.

package import ImageCodecsCore

/// A canvas on which frames are shown one after another.
///
/// Pixels have four bytes, alpha last: premultiplied or straight.
package struct PlainCanvas {
    package let size: PixelSize
    package let isStraight: Bool
    /// The pixels, row by row without padding.
    package private(set) var pixels: [UInt8]
    /// The frame that is shown, and the canvas before it was drawn.
    private var shown: (info: FrameInfo, before: [UInt8])?

    package init(size: PixelSize, isStraight: Bool) {
        self.size = size
        self.isStraight = isStraight
        pixels = [UInt8](repeating: 0, count: 4 * size.width * size.height)
    }

    /// Disposes of the frame that is shown, and draws the next.
    ///
    /// - Parameters:
    ///   - subFrame: all pixels of the frame's rectangle.
    ///   - rowCount: how many rows of it are drawn; what a frame lacks that covers the canvas is transparent.
    package mutating func show(_ info: FrameInfo, _ subFrame: [UInt8], rowCount: Int = .max) {
        dispose()
        shown = (info, pixels)
        if rowCount < info.rect.height, covers(info) { pixels = [UInt8](repeating: 0, count: pixels.count) }
        for y in 0..<min(rowCount, info.rect.height) {
            for x in 0..<info.rect.width {
                guard let place = place(info.rect.x + x, info.rect.y + y) else { continue }
                let from = 4 * (y * info.rect.width + x)
                let source = Array(subFrame[from..<from + 4])
                let below = Array(pixels[place..<place + 4])
                pixels.replaceSubrange(
                    place..<place + 4, with: info.blending == .replace ? source : laidOver(source, below))
            }
        }
    }

    /// Whether what is below a frame never shows.
    private func covers(_ info: FrameInfo) -> Bool {
        let rect = info.rect
        return rect.x <= 0 && rect.y <= 0 && rect.x + rect.width >= size.width && rect.y + rect.height >= size.height
            && (info.isOpaque || info.blending == .replace)
    }

    private mutating func dispose() {
        guard let shown else { return }
        switch shown.info.disposal {
        case .keep: break
        case .clear:
            let rect = shown.info.rect
            for y in 0..<rect.height {
                for x in 0..<rect.width {
                    guard let place = place(rect.x + x, rect.y + y) else { continue }
                    pixels.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
                }
            }
        case .restore: pixels = shown.before
        }
    }

    /// Where a pixel's bytes are; `nil` outside of the canvas.
    private func place(_ x: Int, _ y: Int) -> Int? {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return nil }
        return 4 * (y * size.width + x)
    }

    /// Source-over of Porter and Duff, each channel rounded to the nearest.
    private func laidOver(_ source: [UInt8], _ below: [UInt8]) -> [UInt8] {
        let (alpha, rest) = (Int(source[3]), 255 - Int(source[3]))
        guard isStraight else { return zip(source, below).map { UInt8(Int($0) + (Int($1) * rest + 127) / 255) } }
        if alpha == 0 { return below }
        let (u, v) = (alpha * 255, rest * Int(below[3]))
        let colors = zip(source, below).prefix(3).map { UInt8((Int($0) * u + Int($1) * v + (u + v) / 2) / (u + v)) }
        return colors + [UInt8((u + v + 127) / 255)]
    }

    /// The canvas as a bitmap.
    package func bitmap() throws(ImageError) -> Bitmap {
        try Bitmap(packed: pixels, size: size, format: isStraight ? .rgba : .bgraPremultiplied)
    }
}

extension Bitmap {
    /// A bitmap of rows without padding.
    package init(packed: [UInt8], size: PixelSize, format: PixelFormat) throws(ImageError) {
        try self.init(size: size, format: format)
        let rowByteCount = size.width * format.bytesPerPixel
        for y in 0..<size.height {
            withMutableRowBytes(y) { $0.copy(packed.span.extracting(y * rowByteCount..<(y + 1) * rowByteCount)) }
        }
    }
}
