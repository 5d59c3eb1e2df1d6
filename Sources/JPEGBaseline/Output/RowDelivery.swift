// Picture rows into ImageCore's row sink, without a copy where none is needed.

package import ImageCore

extension RowEmitter {
    /// Delivers the rows that the current MCU row finishes, then goes on to the next MCU row.
    ///
    /// - Parameter sink: Expects rows of `.pixels(format)`.
    package mutating func deliverRows(to sink: inout RowSink) throws(ImageError) {
        let rows = rows(finishedBy: mcuRow)
        if colorModel == .grayscale {
            for y in rows { withComponentRow(0, y) { sink.write($0, y: y) } }
        } else {
            try sink.withDirectRows(rows) { rows, bytes, bytesPerRow throws(ImageError) in
                writeRows(rows, into: &bytes, bytesPerRow: bytesPerRow)
            }
        }
        finishMCURow()
    }
}
