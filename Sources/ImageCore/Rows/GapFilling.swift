// Pixels of an interlaced picture that no pass brought yet: which row shows in their place.

/// What shows in one row of a picture of which pixels are missing.
package enum ShownRow: Hashable, Sendable {
    /// Nothing: transparent, or black if the picture has no alpha.
    case blank
    /// The pixels of a row that came, this one or one above it: of each `columnStep` columns the first, in all of them.
    case pixels(ofRow: Int, columnStep: Int)
}

/// Says for every row of an interlaced picture what shows in it, once some rows of some passes came.
///
/// An example: after the first pass of Adam7 rows 0...7 all show `.pixels(ofRow: 0, columnStep: 8)`.
package protocol GapFilling: Sendable {
    /// What shows in row `y`.
    ///
    /// A row that others show shows itself, with the same step.
    func rowShown(at y: Int) -> ShownRow
}

/// Any of them, by reference: a value that holds an existential cannot be changed in one part while another is read.
final class AnyGapFilling: GapFilling {
    private let gaps: any GapFilling

    init(_ gaps: any GapFilling) { self.gaps = gaps }

    func rowShown(at y: Int) -> ShownRow { gaps.rowShown(at: y) }
}

extension Bitmap {
    /// Writes every pixel that is missing.
    ///
    /// - Parameter work: asked every some rows.
    /// - Precondition: no other value holds the pixels.
    mutating func fillGaps(_ gaps: any GapFilling, work: WorkGuard) throws(ImageError) {
        var work = work
        for y in 0..<height {
            switch gaps.rowShown(at: y) {
            case .blank:
                try work.spend(bytesPerRow)
                try clearRows(y..<y + 1, work: work)
            case .pixels(y, columnStep: 1):
                try work.spend(1)
            case .pixels(y, let step):
                try work.spend(bytesPerRow)
                let (width, bytesPerPixel) = (width, format.bytesPerPixel)
                withMutableRowBytes(y) {
                    InterlaceKernels.replicate(&$0, width: width, step: step, bytesPerPixel: bytesPerPixel)
                }
            case .pixels(let source, _):
                // Above this one, so its own gaps are filled.
                try work.spend(bytesPerRow)
                copyRow(source, to: y)
            }
        }
    }
}
