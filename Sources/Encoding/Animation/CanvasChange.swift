// What changed from one canvas to the next: the smallest rectangle, and what is true of the pixels in it.

package import ImageCodecsCore

/// The difference of two canvases of straight RGBA whose transparent pixels are zero.
package struct CanvasChange: Hashable, Sendable {
    /// The smallest rectangle outside of which nothing changed; empty if nothing changed at all.
    package let rect: PixelRect
    /// How many pixels of it changed.
    package let changedCount: Int
    /// Whether every pixel that changed is opaque afterwards. Laid over the canvas, such pixels replace what is there in every
    /// decoder; translucent ones would be mixed with it.
    package let changesAreOpaque: Bool
    /// Whether all pixels of the rectangle are opaque afterwards.
    package let isOpaque: Bool

    /// Compares two canvases.
    ///
    /// - Parameters:
    ///   - below: what is there.
    ///   - wanted: what shall be there; of the same size.
    ///   - work: asked for each row.
    package init(from below: Bitmap, to wanted: Bitmap, work: inout WorkGuard) throws(ImageError) {
        let rect = try Self.rect(from: below, to: wanted, work: &work)
        var change = RowChange()
        for y in rect.rows {
            try work.spend(rect.width)
            change.add(
                Self.compare(below, wanted, y, rect.x..<rect.x + rect.width) { below, wanted in
                    ChangeKernels.change(below, wanted, count: rect.width)
                })
        }
        self.rect = rect
        changedCount = change.changedCount
        changesAreOpaque = change.changesAreOpaque
        isOpaque = change.isOpaque
    }

    /// The rows in which two canvases differ, from the first to the last; empty if they are equal.
    package static func rows(
        from below: Bitmap, to wanted: Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> Range<Int> {
        var rows = 0..<wanted.height
        while let y = rows.first, Self.isSame(below, wanted, y) {
            rows = y + 1..<rows.upperBound
            try work.spend(wanted.width)
        }
        while let y = rows.last, Self.isSame(below, wanted, y) {
            rows = rows.lowerBound..<y
            try work.spend(wanted.width)
        }
        return rows
    }

    /// Whether a pixel of a part of a canvas is not opaque.
    package static func isTransparent(
        _ canvas: Bitmap, in rect: PixelRect, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        for y in rect.rows {
            try work.spend(rect.width)
            let isOpaque = canvas.withRowBytes(y) { row in
                let pixels = row.extracting(4 * rect.x..<4 * (rect.x + rect.width))
                return ChangeKernels.change(pixels, pixels, count: rect.width).isOpaque
            }
            if !isOpaque { return true }
        }
        return false
    }

    private static func rect(
        from below: Bitmap, to wanted: Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> PixelRect {
        let rows = try rows(from: below, to: wanted, work: &work)
        guard !rows.isEmpty else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        // Only what is outside of the columns found so far needs to be looked at.
        var (left, right) = (wanted.width, 0)
        for y in rows {
            try work.spend(wanted.width / 4 + 1)
            left = Self.compare(below, wanted, y, 0..<left) { ChangeKernels.firstChange($0, $1, count: left) }
            let rest = right..<wanted.width
            right += Self.compare(below, wanted, y, rest) { ChangeKernels.lastChange($0, $1, count: rest.count) }
        }
        return PixelRect(x: left, y: rows.lowerBound, width: right - left, height: rows.count)
    }

    private static func isSame(_ below: Bitmap, _ wanted: Bitmap, _ y: Int) -> Bool {
        below.withRowBytes(y) { below in wanted.withRowBytes(y) { below.hasSameBytes(as: $0) } }
    }

    /// Hands `body` some columns of a row of both.
    @inline(__always)
    private static func compare<R>(
        _ below: Bitmap, _ wanted: Bitmap, _ y: Int, _ columns: Range<Int>, _ body: (RawSpan, RawSpan) -> R
    ) -> R {
        let bytes = 4 * columns.lowerBound..<4 * columns.upperBound
        return below.withRowBytes(y) { below in
            wanted.withRowBytes(y) { body(below.extracting(bytes), $0.extracting(bytes)) }
        }
    }
}

extension PixelRect {
    /// The rectangle made larger, to the left and to the top, so that its corner is at multiples of `multiple`.
    package func aligned(to multiple: Int) -> PixelRect {
        let (left, top) = (x % multiple, y % multiple)
        return PixelRect(x: x - left, y: y - top, width: width + left, height: height + top)
    }
}
