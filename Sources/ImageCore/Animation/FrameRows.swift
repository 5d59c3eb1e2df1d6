// How the rows of a frame come, and who takes them.

/// The order of the rows of an interlaced picture, as its format defines it.
package protocol RowPasses: Sendable {
    /// The row that comes as number `index`, and the rows that show it until later passes bring their own.
    func row(_ index: Int) -> (y: Int, shownRows: Range<Int>)

    /// The row that row `y` shows after `rowCount` rows came; `nil` if there is none yet.
    func source(ofRow y: Int, rowCount: Int) -> Int?

    /// Rows from the top that are complete after `rowCount` rows came.
    func decodedRowCount(_ rowCount: Int) -> Int
}

/// How the rows of a frame come.
package struct SubFrameRows: Sendable {
    /// What a row holds.
    package let layout: SampleLayout
    /// Whether rows come whole, or some of their pixels at a time.
    package let order: RowOrder
    /// The order of rows that come whole, but not from the top down.
    package let passes: (any RowPasses)?

    package init(layout: SampleLayout, order: RowOrder = .topToBottom, passes: (any RowPasses)? = nil) {
        self.layout = layout
        self.order = order
        self.passes = passes
    }
}

/// Takes the rows of one frame.
package protocol FrameRows {
    /// Width and height of the frame.
    var frameSize: PixelSize { get }

    /// Takes the row that comes as number `index` in the order of the file.
    mutating func write(_ row: RawSpan, index: Int)

    /// Takes the pixels that a pass brings for one row.
    mutating func write(_ pixels: RawSpan, at place: PassRow)
}
