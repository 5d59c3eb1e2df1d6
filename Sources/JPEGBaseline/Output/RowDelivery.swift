// Picture rows into ImageCore's row sink, without a copy where none is needed.

package import ImageCore

extension RowEmitter {
    /// The layout of rows for a sink, chosen so that no row is converted twice.
    ///
    /// - Parameters:
    ///   - colorModel: Of the frame.
    ///   - outputFormat: What the result is to be.
    ///   - isScaled: Whether the sink scales the rows: it then works on `.bgrx`.
    package static func rowLayout(
        for colorModel: JPEGColorModel, outputFormat: PixelFormat, isScaled: Bool
    ) -> SampleLayout {
        let wanted = isScaled ? .bgrx : outputFormat
        return .pixels(colorModel.canWrite(wanted) ? wanted : colorModel.nativeFormat)
    }

    /// Delivers the rows that the current MCU row finishes, then goes on to the next MCU row.
    ///
    /// - Parameter sink: Expects rows of `.pixels(format)`.
    package mutating func deliverRows(to sink: inout RowSink) throws(ImageError) {
        for y in rows(finishedBy: mcuRow) {
            if colorModel == .grayscale {
                withComponentRow(0, y) { sink.write($0, y: y) }
            } else {
                try sink.withDirectRow(y) { row throws(ImageError) in writeRow(y, into: &row) }
            }
        }
        finishMCURow()
    }
}
