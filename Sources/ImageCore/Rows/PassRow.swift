// Interlaced pictures: the order in which their pixels come, and where those of a row go.

/// In which order the rows of a picture reach a sink.
package enum RowOrder: Hashable, Sendable {
    /// Each once, from the top.
    case topToBottom
    /// Rows, or some of their pixels, pass by pass: collected as a whole before they are scaled (see `CollectedSamples`).
    case passes
}

/// Where the pixels lie that a pass brings for one row of the picture.
///
/// Row 3 of the fourth pass of Adam7 in a picture 20 pixels wide is row 12 of the picture, and its five pixels go to the
/// columns 2, 6, 10, 14 and 18. Rows 12 to 15 show them until later passes bring their own.
package struct PassRow: Hashable, Sendable {
    /// The row of the picture.
    package let y: Int
    /// The column of the first pixel.
    package let x: Int
    /// The distance to the next, at least 1.
    package let columnStep: Int
    /// Pixels.
    package let width: Int
    /// Rows of the picture in which they show for now, `y` among them.
    package let shownRows: Range<Int>

    package init(y: Int, x: Int, columnStep: Int, width: Int, shownRows: Range<Int>) {
        self.y = y
        self.x = x
        self.columnStep = columnStep
        self.width = width
        self.shownRows = shownRows
    }
}
