// How the rows of a frame come, and who takes them.

/// How the rows of a frame come.
package struct SubFrameRows: Sendable {
    /// What a row holds.
    package let layout: SampleLayout
    /// Whether rows come whole, or some of their pixels at a time.
    package let order: RowOrder
    /// The order of rows that come whole, but not from the top down.
    package let passes: RowInterlacing?

    package init(layout: SampleLayout, order: RowOrder = .topToBottom, passes: RowInterlacing? = nil) {
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

extension FrameRows {
    /// Takes rows that lie one after another, the first as number `index` in the order of the file.
    package mutating func write(_ rows: RawSpan, bytesPerRow: Int, from index: Int) {
        for number in 0..<rows.byteCount / bytesPerRow {
            write(rows.extracting(number * bytesPerRow..<(number + 1) * bytesPerRow), index: index + number)
        }
    }
}
