// Where pictures stand: squares in rows, as many a row as fit.

/// Squares of one size in rows that fill a width. All lengths are in pixels of the screen.
package struct TileGrid: Equatable, Sendable {
    /// Squares.
    package var count: Int
    /// The side of each, and the room between two.
    package var side, gap: Int
    /// The size of the window.
    package var width = 0
    package var height = 0

    /// Creates a grid without a window.
    package init(count: Int, side: Int, gap: Int) { (self.count, self.side, self.gap) = (count, side, gap) }

    /// Squares in a row.
    package var columnCount: Int { max(1, (width - gap) / (side + gap)) }

    package var rowCount: Int { (count + columnCount - 1) / columnCount }

    /// How far the grid can be scrolled.
    package var maxOffset: Int { max(0, rowCount * (side + gap) + gap - height) }

    /// Those of which something is seen when the window begins at `offset`.
    package func visible(at offset: Int) -> Range<Int> {
        let first = max(0, (offset - gap) / (side + gap))
        let last = (offset + height + side) / (side + gap)
        let start = min(count, first * columnCount)
        return start..<max(start, min(count, last * columnCount))
    }

    /// Where a square begins in the window.
    package func origin(of index: Int, at offset: Int) -> (x: Int, y: Int) {
        let margin = (width - columnCount * (side + gap) + gap) / 2
        return (
            margin + index % columnCount * (side + gap), gap + index / columnCount * (side + gap) - offset
        )
    }

    /// Which square is at a place in the window.
    package func index(atX x: Int, y: Int, offset: Int) -> Int? {
        visible(at: offset).first { index in
            let origin = origin(of: index, at: offset)
            return (origin.x..<origin.x + side).contains(x) && (origin.y..<origin.y + side).contains(y)
        }
    }

    /// The offset nearest to `offset` at which the whole square is seen.
    package func offset(showing index: Int, from offset: Int) -> Int {
        let top = index / columnCount * (side + gap)
        return min(max(min(offset, top), top + side + 2 * gap - height), maxOffset)
    }
}
