// Frames of an animation in any order: what a provider of this package's formats is.
//
//   frame(at:) ──▶ kept? ──▶ canvas that rests, or an empty one ──▶ disposal, sub-frames ──▶ canvas ──▶ picture

internal import Synchronization

/// What snapshots of one animation share: a canvas, and the frames that are kept.
package final class AnimationState: Sendable {
    /// The canvas, while nobody draws on it.
    fileprivate let resting = Mutex<AnimationCanvas?>(nil)
    fileprivate let kept: FrameCacheShare?

    /// How frames are delivered.
    package let plan: OutputPlan

    package init(_ options: DecodingOptions, _ plan: OutputPlan) {
        self.plan = plan
        let maxByteCount = options.maxFrameCacheByteCount
        kept = maxByteCount > 0 ? FrameCacheShare(.shared, maxByteCount: maxByteCount) : nil
    }
}

/// An animation of which each frame is composed when it is asked for.
///
/// The canvas rests between two calls, showing the frame that was asked for last: going on to the next decodes one
/// sub-frame. Where a caller hands back the bitmap of that frame unchanged, it is drawn on further and nothing is copied.
package final class CompositedAnimation<Source: SubFrameSource>: AnimatedImageProvider {
    package let info: ImageInfo
    private let source: Source
    private let output: AnimationOutput
    /// Starts with each frame.
    private let work: WorkGuard
    private let toleratesDamage: Bool
    private let meter: MemoryMeter
    private let state: AnimationState

    /// - Parameters:
    ///   - info: what the headers say, and what playing takes.
    ///   - output: how frames are delivered.
    ///   - meter: counts everything that playing holds.
    ///   - state: shared with other snapshots whose frames are delivered in the same way.
    package init(
        _ source: Source, info: ImageInfo, output: AnimationOutput, options: DecodingOptions, meter: MemoryMeter,
        state: AnimationState
    ) {
        self.source = source
        self.info = info
        self.output = output
        self.meter = meter
        self.state = state
        var options = options
        options.spentTime = .zero
        work = WorkGuard(options)
        toleratesDamage = options.strictness == .tolerant
    }

    package var frameCount: Int { source.plan.count }

    package func duration(at index: Int) throws(ImageError) -> Duration { try frameInfo(at: index).duration }

    package func frameInfo(at index: Int) throws(ImageError) -> FrameInfo {
        try check(frameAt: index)
        return source.plan[index].info
    }

    package func frame(at index: Int) throws(ImageError) -> ImageFrame {
        var bitmap = Bitmap.empty
        let partial = try frame(at: index, into: &bitmap)
        return ImageFrame(bitmap: bitmap, duration: source.plan[index].info.duration, partial: partial)
    }

    @discardableResult
    package func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        try check(frameAt: index)
        var work = work
        work.begin()
        return try compose(index, into: &bitmap, work: &work)
    }

    /// The same on a clock of the caller's.
    package func compose(
        _ index: Int, into bitmap: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> PartialReport? {
        try work.check()
        if let frame = state.kept?.frame(index, of: source.plan) {
            bitmap = frame.bitmap
            return frame.partial
        }
        var canvas = try takeCanvas(for: index, handedBack: &bitmap)
        if !canvas.shows(index, of: source.plan) {
            try source.show(index, toleratesDamage: toleratesDamage, on: &canvas, meter: meter, work: &work)
        }
        let partial = canvas.partialReport(source.plan[index])
        bitmap =
            output.isCanvas ? canvas.bitmap : try output.picture(of: canvas.bitmap, donor: &bitmap, work: &work)
        state.resting.withLock { $0 = canvas }
        state.kept?.keep(
            ImageFrame(bitmap: bitmap, duration: source.plan[index].info.duration, partial: partial), at: index,
            of: source.plan)
        return partial
    }

    /// The canvas that rests, or that of a kept frame from which it is not as far, or a new one.
    private func takeCanvas(for index: Int, handedBack bitmap: inout Bitmap) throws(ImageError) -> AnimationCanvas {
        var canvas = state.resting.withLock { $0.take() }
        if canvas?.format != output.canvasFormat { canvas = nil }
        if output.isCanvas, let nearer = keptCanvas(for: index, nearerThan: canvas?.shown) { canvas = nearer }
        guard var canvas else {
            var donor = output.isCanvas ? bitmap.moved() : .empty
            return try AnimationCanvas(
                size: source.plan.canvasSize, format: output.canvasFormat, donor: &donor, meter: meter)
        }
        // The caller's are the canvas's own pixels as long as neither has changed them.
        guard output.isCanvas else { return canvas }
        if canvas.yieldPixels(sharedWith: bitmap) { canvas.adopt(bitmap.moved()) }
        bitmap = .empty
        return canvas
    }

    /// A canvas that shows a kept frame between the one that rests and the one wanted.
    private func keptCanvas(for index: Int, nearerThan shown: Int?) -> AnimationCanvas? {
        guard let kept = state.kept else { return nil }
        var first = source.plan[index].info.composedFromIndex
        if let shown, shown <= index { first = max(first, shown + 1) }
        guard first < index, let nearest = kept.largestIndex(in: first...index - 1),
            source.plan[nearest].info.disposal != .restore, let frame = kept.frame(nearest, of: source.plan),
            !frame.isPartial
        else { return nil }
        return AnimationCanvas(frame.bitmap, showing: nearest, of: source.plan, meter: meter)
    }

    package func subFrame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        var work = work
        work.begin()
        let info = source.plan[index].info
        let whole = PixelRect(info.rect.size)
        // Not by way of a variable, which would hold the pixels too.
        var painter = try FramePainter(
            on: try Bitmap(cleared: whole.size, format: output.canvasFormat, meter: meter, work: work), rect: whole,
            visible: whole, replaces: true, source.rows(of: index), meter: meter)
        var partial: PartialReport?
        do throws(ImageError) {
            try source.decode(index, into: &painter, meter: meter, work: &work)
        } catch {
            guard toleratesDamage, error.isDamage else { throw error }
            partial = PartialReport(rows: painter.rowCount > 0 ? [0..<painter.rowCount] : [], cause: error)
        }
        try painter.finish(isWhole: partial == nil, work: &work)
        return ImageFrame(bitmap: painter.takeBitmap(), duration: info.duration, partial: partial)
    }
}

extension DecodingOptions {
    /// The options for one of so many frames: a limit on bytes is for all of them together.
    package func dividing(among frameCount: Int) -> DecodingOptions {
        guard case .atMost(let byteCount) = size, frameCount > 1 else { return self }
        var options = self
        let whole = byteCount > 0 ? byteCount : OutputSize.defaultByteCount
        options.size = .atMost(byteCount: max(1, whole / frameCount))
        return options
    }
}
