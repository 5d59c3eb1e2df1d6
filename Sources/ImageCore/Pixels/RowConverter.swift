// Rows from a decoder's samples to a pixel format: the last stage before the bitmap (or the scaler).

/// Converts rows of one layout to one pixel format.
///
/// Every pair is possible. What runs is chosen when the converter is made, so make one per picture, not per row.
/// Most pairs are one pass; the others go through short stretches on the stack, and no pair allocates per
/// row. Rules: see `ConversionRoute`.
package struct RowConverter: Sendable {
    /// What was chosen, in one place: a converter is copied with every state that holds one, and palettes and tables with it.
    private final class Choice: Sendable {
        let layout: SampleLayout
        let format: PixelFormat
        let route: ConversionRoute

        init(from layout: SampleLayout, to format: PixelFormat) {
            self.layout = layout
            self.format = format
            route = ConversionRoute(from: layout, to: format)
        }
    }

    private let choice: Choice

    package init(from layout: SampleLayout, to format: PixelFormat) {
        choice = Choice(from: layout, to: format)
    }

    /// The layout of the rows that come in.
    package var layout: SampleLayout { choice.layout }
    /// The format of the rows that go out.
    package var format: PixelFormat { choice.format }

    /// Converts the first `width` pixels and touches nothing beyond them.
    ///
    /// - Parameters:
    ///   - source: A row in the layout, starting at a whole byte; at least `layout.bytesPerRow(width:)` bytes.
    ///   - destination: At least `width * format.bytesPerPixel` bytes, uninitialised or not.
    ///   - width: In pixels; nothing happens for 0.
    /// - Precondition: Both rows are as long as that. Row lengths are the caller's own arithmetic, never a number out
    ///   of a file, so a short row is a defect here and stops the program.
    // Called once a row: inlined, with all of its kernels, it makes callers slower to compile and nothing faster.
    @inline(never)
    package func convert(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        guard width > 0 else { return }
        switch choice.route {
        case .direct(let step):
            step.run(source, into: &destination, width: width)
        case .through(let first, let bytesPerPixel, let second):
            Stretches.run(
                source, bitsPerPixel: layout.bitsPerPixel, first, bytesPerPixel: bytesPerPixel, second,
                into: &destination, bytesPerPixel: format.bytesPerPixel, width: width)
        }
    }
}
