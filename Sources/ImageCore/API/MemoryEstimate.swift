// The memory that a decode will need, for planning: estimated once, when the header of a file is known.

/// Bytes that decoding a picture takes: the pixels of the result, and the working buffers of the costliest picture that the
/// file may hold.
///
/// A plan, not a guarantee: the ``MemoryMeter`` refuses what goes beyond the limit. Left out is what the caller can bound:
/// metadata, coded bytes that are kept while a file comes in pieces, tables whose size the coded bytes decide, 256 bytes for
/// each frame of an animation, and frames that the caller holds.
package struct MemoryEstimate: Hashable, Sendable {
    /// The estimate in bytes; the largest `Int` if it overflows.
    package private(set) var byteCount: Int

    /// Starts with the bitmap of the result, and the buffers that the file's rows go through on the way to it.
    package init(_ plan: OutputPlan, layout: SampleLayout, order: RowOrder = .topToBottom) {
        byteCount = plan.peakByteCount(layout: layout, order: order)
    }

    /// Starts with the same for a picture whose orientation may follow after its rows.
    package init(_ plan: OutputPlan, mayBeTurnedTo turned: OutputPlan, layout: SampleLayout) {
        byteCount = max(
            plan.peakByteCount(layout: layout, order: .topToBottom),
            turned.peakByteCount(replacing: plan, layout: layout, order: .topToBottom))
    }

    /// Starts with this number of bytes.
    package init(byteCount: Int) { self.byteCount = byteCount }

    /// Adds a working buffer.
    package mutating func add(_ byteCount: Int) { self.byteCount = self.byteCount.addingSaturated(byteCount) }

    /// Adds what drawing the frames of an animation takes, and making a picture of the canvas.
    ///
    /// - Parameters:
    ///   - canvas: width and height; the largest frame is as large.
    ///   - savesPixels: whether a frame may have the disposal `restore`, for which pixels are saved.
    ///   - order: how the rows of frames come.
    package mutating func addFrames(
        canvas: PixelSize, savesPixels: Bool, order: RowOrder = .topToBottom, options: DecodingOptions
    ) throws(ImageError) {
        add(AnimationCanvas.byteCount(canvas, savesPixels: savesPixels))
        add(FramePainter.byteCount(canvas, order: order))
        let output = try AnimationOutput.plan(size: canvas, orientation: .up, options: options)
        add(AnimationOutput.byteCount(output))
    }
}
