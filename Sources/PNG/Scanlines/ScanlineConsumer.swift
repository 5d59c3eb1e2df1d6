// Who gets the scanlines: the interface between reconstructing them and making pixels of them.

package import ImageCodecsCore

/// Takes reconstructed scanlines, one after another.
package protocol ScanlineConsumer {
    /// Takes a scanline.
    ///
    /// - Parameters:
    ///   - scanline: its samples as the header says, packed, without the filter type byte.
    ///   - row: its number in the pass, from 0.
    ///   - pass: what the pixels belong to; number 0 for a picture that is not interlaced.
    mutating func consume(_ scanline: RawSpan, row: Int, of pass: Adam7.Pass)
}

/// A picture whose size is the header's, made for passes if it is interlaced.
extension RowSink: ScanlineConsumer {
    package mutating func consume(_ scanline: RawSpan, row: Int, of pass: Adam7.Pass) {
        if pass.number == 0 {
            write(scanline, y: row)
        } else {
            write(scanline, at: pass.place(ofRow: row, height: rowSize.height))
        }
    }
}
