// What a format has to give for its animations to be composed: where the frames lie, and their pixels.

/// The frames of one file, each to be decoded by itself.
///
/// A snapshot: a decoder that reads on does not change it.
package protocol SubFrameSource: Sendable {
    /// How the frames lie on the canvas.
    var plan: CompositionPlan { get }

    /// How the rows of frame `index` come.
    func rows(of index: Int) -> SubFrameRows

    /// Decodes frame `index`, row by row.
    ///
    /// - Throws: also where the frame ends early; the rows in front of that are drawn.
    func decode(
        _ index: Int, into painter: inout FramePainter, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError)
}

extension SubFrameSource {
    /// Draws frame `index` on a canvas that is prepared for it.
    ///
    /// - Parameters:
    ///   - isShown: whether it is the frame that the canvas is to show.
    ///   - toleratesDamage: whether a frame that ends early is drawn as far as it goes.
    func draw(
        _ index: Int, isShown: Bool, toleratesDamage: Bool, on canvas: inout AnimationCanvas, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) {
        var painter = try canvas.painter(plan[index], rows(of: index))
        var damage: ImageError?
        do throws(ImageError) {
            try decode(index, into: &painter, meter: meter, work: &work)
        } catch {
            guard toleratesDamage, error.isDamage else { throw error }
            damage = error
        }
        try painter.finish(isWhole: damage == nil, work: &work)
        canvas.finish(painter, plan[index], at: index, isShown: isShown, damage: damage)
    }

    /// Brings a canvas to where `frame`, the one at `index`, is to be drawn.
    ///
    /// - Parameter isLive: whether the frame is looked at while it is drawn.
    /// - Returns: whether the canvas was emptied.
    @discardableResult
    func prepare(
        _ frame: CompositionPlan.Frame, at index: Int, toleratesDamage: Bool, isLive: Bool = false,
        on canvas: inout AnimationCanvas,
        meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try canvas.prepare(
            for: frame, at: index, of: plan, mayBePartial: toleratesDamage || isLive, work: &work
        ) { (earlier, canvas, work) throws(ImageError) in
            try draw(
                earlier, isShown: false, toleratesDamage: toleratesDamage, on: &canvas, meter: meter, work: &work)
        }
    }

    /// Shows frame `index` on a canvas.
    func show(
        _ index: Int, toleratesDamage: Bool, on canvas: inout AnimationCanvas, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) {
        try prepare(
            plan[index], at: index, toleratesDamage: toleratesDamage, on: &canvas, meter: meter, work: &work)
        try draw(
            index, isShown: true, toleratesDamage: toleratesDamage, on: &canvas, meter: meter, work: &work)
    }
}

/// How much of a frame was drawn.
package struct DrawnFrame: Sendable {
    /// Rows of the sub-frame, from the top.
    package let rowCount: Int
    /// What ended it early.
    package let damage: ImageError?
}
