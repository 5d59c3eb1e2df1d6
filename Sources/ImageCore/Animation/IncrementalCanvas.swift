// The frame that is being read while a file comes in pieces, on the canvas of those before.

/// Draws the frames of an animation as their rows come, for pictures of an unfinished decode.
package struct IncrementalCanvas: FrameRows, Sendable {
    private var canvas: AnimationCanvas
    private var painter: FramePainter?
    private var current: (frame: CompositionPlan.Frame, index: Int)?
    /// How pictures are delivered.
    package let output: AnimationOutput
    private var pictures = PartialPictures()
    private var changed: PixelRect?
    private let meter: MemoryMeter
    private let size: PixelSize
    private let toleratesDamage: Bool

    /// - Parameter canvas: shows the first frame; `nil` if that has to be composed.
    package init(
        _ canvas: AnimationCanvas?, output: AnimationOutput, size: PixelSize, _ request: DecodingRequest
    ) throws(ImageError) {
        self.output = output
        var nothing = Bitmap.empty
        if let canvas {
            self.canvas = canvas
        } else {
            self.canvas = try AnimationCanvas(
                size: size, format: output.canvasFormat, reusable: &nothing, meter: request.meter)
        }
        meter = request.meter
        self.size = size
        toleratesDamage = request.options.strictness == .tolerant
        changed = PixelRect(size)
    }

    /// Makes the buffers this value's own, so that drawing does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        if painter == nil { try canvas.makeUnique() } else { try painter?.makeUnique() }
    }

    /// Begins to draw a frame after all those of `frames`.
    package mutating func beginFrame(
        _ frame: CompositionPlan.Frame, _ rows: SubFrameRows, after frames: FrameList, work: inout WorkGuard
    ) throws(ImageError) {
        let index = frames.count
        if let shown = canvas.shown, canvas.shows(shown, of: frames.plan), frames.plan[shown].info.disposal != .keep {
            recordChange(frames.plan[shown].visible)
        }
        let isEmptied = try frames.prepare(
            frame, at: index, toleratesDamage: toleratesDamage, isIncremental: true, on: &canvas, work: &work)
        // If it shows the frame before, which is the rule, only that frame's rectangle changed.
        if isEmptied || current?.index != index - 1 { recordChange(PixelRect(size)) }
        current = (frame, index)
        painter = try canvas.painter(frame, rows)
        try work.beginFrame(index, frame.visible)
    }

    /// Width and height of the frame that is drawn.
    package var frameSize: PixelSize { painter?.frameSize ?? PixelSize(width: 0, height: 0) }

    /// Rows of the frame that is drawn, from the top.
    package var rowCount: Int { painter?.rowCount ?? 0 }

    /// Takes the row that comes as number `index`.
    package mutating func write(_ row: RawSpan, index: Int) {
        painter?.write(row, index: index)
        recordDrawing()
    }

    /// Takes the pixels that a pass brings for one row of the frame.
    package mutating func write(_ pixels: RawSpan, at place: PassRow) { painter?.write(pixels, at: place) }

    /// Ends the frame.
    ///
    /// - Parameters:
    ///   - frame: the frame as it was added to the plan.
    ///   - isWhole: whether every row came.
    ///   - damage: what is wrong with it.
    package mutating func end(
        _ frame: CompositionPlan.Frame, isWhole: Bool, damage: ImageError?, work: inout WorkGuard
    ) throws(ImageError) {
        guard var painter = painter.take(), let current else { return }
        try painter.finish(isWhole: isWhole, work: &work)
        self.painter = painter
        recordDrawing()
        self.painter = nil
        canvas.finish(painter, frame, at: current.index, isShown: true, damage: damage)
    }

    private mutating func recordDrawing() {
        guard let rows = painter?.drainChanges(), let visible = current?.frame.visible else { return }
        recordChange(PixelRect(x: visible.x, y: rows.lowerBound, width: visible.width, height: rows.count))
    }

    private mutating func recordChange(_ rect: PixelRect) {
        guard !rect.isEmpty else { return }
        changed = changed?.union(rect) ?? rect
        pictures.record(rect.rows)
    }

    /// Whether every picture has to be made as a whole.
    package var hasCostlyPictures: Bool { !output.isUpright }

    /// The canvas.
    package var canvasBitmap: Bitmap { painter?.bitmap ?? canvas.bitmap }

    /// The canvas as a picture.
    package mutating func picture(work: WorkGuard) throws(ImageError) -> Bitmap {
        let bitmap = canvasBitmap
        guard hasCostlyPictures else {
            return try pictures.next(
                bitmap, filledRowCount: size.height, orientation: output.plan.orientation, meter: meter, work: work)
        }
        var (reusable, work) = (Bitmap.empty, work)
        return try output.picture(of: bitmap, reusable: &reusable, work: &work)
    }

    /// What changed in the picture since the last call.
    package mutating func drainChanges() -> PixelRect? {
        guard let changed = changed.take() else { return nil }
        let plan = output.plan
        if plan.isScaled { return PixelRect(plan.resultSize) }
        return plan.orientation == .up ? changed : plan.resultRect(ofRows: changed.rows)
    }
}
