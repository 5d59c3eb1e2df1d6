// Frames of an animation in any order: the provider that all formats of this package use.
//
//   frame(at:) ──▶ kept? ──▶ canvas that rests, or an empty one ──▶ disposal, sub-frames ──▶ canvas ──▶ picture

internal import Synchronization

/// What snapshots of one animation share: a canvas, and the frames that are kept.
package final class AnimationState: Sendable {
    /// The canvas between two calls, and the last picture made of it; `nil` while a call draws on the canvas.
    fileprivate let resting = Mutex<RestingCanvas?>(nil)
    fileprivate let kept: FrameCacheShare?

    /// How frames are delivered.
    fileprivate let plan: OutputPlan

    fileprivate init(_ options: DecodingOptions, _ plan: OutputPlan) {
        self.plan = plan
        let maxByteCount = options.maxFrameCacheByteCount
        kept = maxByteCount > 0 ? FrameCacheShare(.shared, maxByteCount: maxByteCount) : nil
    }
}

/// A canvas between two calls.
private struct RestingCanvas {
    var canvas: AnimationCanvas
    /// The picture of what it shows; only if that is converted, pixel for pixel.
    var picture: Bitmap?
}

/// An animation of which each frame is composed when it is asked for.
///
/// The canvas rests between two calls, showing the frame that was asked for last: going on to the next decodes one frame
/// and touches what it changes. If a caller hands back the bitmap of the frame before unchanged, the next is drawn on it and
/// nothing else is copied.
package final class CompositedAnimation: FrameComposer {
    package let info: ImageInfo
    package let partial: PartialReport?
    private let source: FrameList
    private let output: AnimationOutput
    /// The clock of a frame that a player asks for; `compose(_:into:work:)` uses its caller's.
    package let work: WorkGuard
    private let toleratesDamage: Bool
    private let meter: MemoryMeter
    let state: AnimationState

    /// - Parameters:
    ///   - info: what the headers say.
    ///   - partial: what of the animation is missing.
    ///   - output: how frames are delivered.
    ///   - meter: counts everything that playing holds.
    ///   - state: of an earlier snapshot; taken over if its frames are delivered in the same way.
    package init(
        _ source: FrameList, info: ImageInfo, partial: PartialReport?, output: AnimationOutput,
        options: DecodingOptions, meter: MemoryMeter, state: AnimationState?
    ) {
        self.source = source
        self.info = info
        self.partial = partial
        self.output = output
        self.meter = meter
        let shared = state?.plan == output.plan ? state : nil
        self.state = shared ?? AnimationState(options, output.plan)
        var options = options
        options.spentTime = .zero
        work = WorkGuard(options)
        toleratesDamage = options.strictness == .tolerant
    }

    package var frameCount: Int { source.count }

    /// The format of the canvas.
    var canvasFormat: PixelFormat { output.canvasFormat }

    /// Goes on from a canvas that shows a frame already.
    func startFrom(_ canvas: AnimationCanvas) {
        state.resting.withLock { $0 = RestingCanvas(canvas: canvas, picture: nil) }
    }

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
        return try compose(index, into: &bitmap, work: &work).partial
    }

    package func compose(
        _ index: Int, into bitmap: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> (partial: PartialReport?, damage: ImageError?) {
        try work.check()
        if let frame = state.kept?.frame(index, of: source.plan) {
            bitmap = frame.bitmap
            return (frame.partial, source.damage(ofFrame: index))
        }
        var resting = try borrowCanvas(for: index, handedBack: &bitmap)
        if !resting.canvas.shows(index, of: source.plan) {
            try source.show(index, toleratesDamage: toleratesDamage, on: &resting.canvas, work: &work)
        }
        let answer = (resting.canvas.partialReport(source.plan[index]), resting.canvas.shownDamage)
        bitmap = try picture(of: &resting, handedBack: &bitmap, work: &work)
        state.resting.withLock { $0 = resting }
        state.kept?.keep(
            ImageFrame(bitmap: bitmap, duration: source.plan[index].info.duration, partial: answer.0), at: index,
            of: source.plan)
        return answer
    }

    /// The picture of a canvas; if that is converted pixel for pixel, only what changed since the last one.
    private func picture(
        of resting: inout RestingCanvas, handedBack bitmap: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        let changed = resting.canvas.drainChanges()
        if output.isCanvas { return resting.canvas.bitmap }
        guard output.isConversion else {
            return try output.picture(of: resting.canvas.bitmap, reusable: &bitmap, work: &work)
        }
        var last = resting.picture.take() ?? .empty
        // The caller's is the same bitmap, or another that is no longer needed.
        if bitmap.hasSameStorage(as: last) { bitmap = .empty }
        let picture: Bitmap
        if last.size == output.plan.resultSize, last.isUniquelyReferenced() {
            picture = try output.converted(resting.canvas.bitmap, changed: changed, reusable: &last, work: &work)
        } else {
            last = .empty
            picture = try output.picture(of: resting.canvas.bitmap, reusable: &bitmap, work: &work)
        }
        resting.picture = picture
        return picture
    }

    /// The resting canvas, or one made of a kept frame that is nearer to frame `index`, or a new one.
    private func borrowCanvas(for index: Int, handedBack bitmap: inout Bitmap) throws(ImageError) -> RestingCanvas {
        var resting = state.resting.withLock { $0.take() }
        if resting?.canvas.format != output.canvasFormat { resting = nil }
        if output.isCanvas, let nearer = keptCanvas(for: index, nearerThan: resting?.canvas.shown) {
            resting = RestingCanvas(canvas: nearer, picture: nil)
        }
        guard var resting else {
            var reusable = output.isCanvas ? bitmap.moved() : .empty
            return RestingCanvas(
                canvas: try AnimationCanvas(
                    size: source.plan.canvasSize, format: output.canvasFormat, reusable: &reusable, meter: meter),
                picture: nil)
        }
        // The caller's are the canvas's own pixels as long as neither has changed them.
        guard output.isCanvas else { return resting }
        if resting.canvas.yieldPixels(sharedWith: bitmap) { resting.canvas.adopt(bitmap.moved()) }
        bitmap = .empty
        return resting
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
        let (damage, isWhole) = try source.decodeTolerating(
            index, into: &painter, toleratesDamage: toleratesDamage, work: &work)
        try painter.finish(isWhole: isWhole, work: &work)
        let partial = damage.map {
            PartialReport(rows: painter.rowCount > 0 ? [0..<painter.rowCount] : [], cause: $0)
        }
        return ImageFrame(bitmap: painter.handOverBitmap(), duration: info.duration, partial: partial)
    }
}

extension DecodingOptions {
    /// The options for one frame: a limit on bytes is for all of them together.
    package func dividing(among frameCount: Int) -> DecodingOptions {
        guard case .atMost(let byteCount) = size, frameCount > 1 else { return self }
        var options = self
        let whole = byteCount > 0 ? byteCount : OutputSize.defaultByteCount
        options.size = .atMost(byteCount: max(1, whole / frameCount))
        return options
    }
}
