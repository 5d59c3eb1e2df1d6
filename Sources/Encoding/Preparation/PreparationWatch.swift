// What rows lose before an encoder sees them: alpha, and the lower bits of deep samples.

package import ImageCodecsCore

/// Looks at the rows of a picture until it has found what they lose, records it, and refuses what must not be lost.
package struct PreparationWatch: Sendable {
    private let format: ImageFormat?
    private let losses: LossLog?
    private let keepsPixels: Bool
    private var looksForAlpha = false
    private var looksForDepth = false

    /// - Parameter format: what is written, for errors; without it nothing is refused.
    package init(_ options: EncodingOptions, writing format: ImageFormat? = nil) {
        self.format = format
        losses = options.losses
        keepsPixels = options.keepsPixels
    }

    /// Begins with the first row of a picture that is prepared by a plan and then converted to `format`.
    mutating func begin(_ plan: RowPreparationPlan, to format: PixelFormat) {
        looksForAlpha = plan.background != nil && !plan.isBackgroundChosen
        looksForDepth = plan.preparedFormat.depth == .sixteen && format.depth == .eight
    }

    /// Looks for pixels that a colour shines through, in the row that was flattened last.
    mutating func look(at flattener: RowFlattener) {
        guard looksForAlpha, !flattener.isLastRowOpaque else { return }
        looksForAlpha = false
        losses?.record(.alpha)
    }

    /// Looks for samples that eight bits do not hold: those that are not one byte twice.
    ///
    /// - Throws: `unsupported` if no pixel may change.
    mutating func look(atSamplesOf row: RawSpan) throws(ImageError) {
        guard looksForDepth else { return }
        var difference: UInt16 = 0
        for offset in stride(from: 0, to: row.byteCount - 1, by: 2) {
            let sample = row.nativeUInt16(at: offset)
            difference |= sample ^ sample.byteSwapped
        }
        guard difference != 0 else { return }
        looksForDepth = false
        losses?.record(.sampleDepth)
        if keepsPixels, let format { throw .unsupported(format, feature: "samples of 16 bits without loss") }
    }
}
