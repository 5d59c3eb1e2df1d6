// One engine for every animated format: the format's stream decoder reports where frames begin and end, and hands over bytes
// and rows.
//
//   format's stream ──beginFrame──▶ ┌─ rows ──▶ FirstPicture            the first frame, which may be the only one
//                   ──rows, bytes─▶ │  rows ──▶ IncrementalCanvas       later ones, while a file comes in pieces
//                   ──endFrame────▶ └─ bytes ─▶ FrameList               where they are, or the bytes themselves
//
//   FrameList ──▶ CompositedAnimation: frames in any order, and all of them for one call

/// The frames of one file while it is read.
///
/// A value: a copy is a checkpoint.
@usableFromInline
package struct AnimationEngine: Sendable {
    /// Whether a frame is being read, and which.
    private enum State: Sendable {
        /// Between two frames, or before the first.
        case between
        case frame(CurrentFrame)
        /// No more frames come.
        case ended
    }

    /// A frame that has begun.
    private struct CurrentFrame: Sendable {
        let planned: CompositionPlan.Frame
        let frame: any CodedFrame
        /// Where its bytes begin in the file.
        let offset: Int
        /// What is wrong with it so far.
        var damage: ImageError?
    }

    /// A snapshot of the frames, and what the next one goes on from.
    private struct Snapshot: Sendable {
        let animation: any AnimatedImageProvider
        let state: AnimationState
        let key: SnapshotKey
    }

    /// The state from which the last snapshot of the frames was made; if it is unchanged, so is the snapshot.
    private struct SnapshotKey: Equatable, Sendable {
        let frameCount: Int
        let info: ImageInfo
        let partial: PartialReport?
    }

    /// Who gets the rows of a frame.
    private enum RowTarget: Sendable {
        case picture, canvas, nobody
    }

    package let request: DecodingRequest
    private var state = State.between
    /// Where rows of the frame that has begun are written. Beside the state, so that a row need not look into it.
    private var target = RowTarget.nobody
    /// The frames that ended, on a canvas of no size until that is known.
    package private(set) var frames: FrameList
    /// Frames that have begun.
    @usableFromInline package private(set) var begunCount = 0
    /// The first frame as the picture of the file.
    private var picture: Indirect<FirstPicture>?
    /// The incremental canvas, from the second frame on. Behind a reference, as few decodes have one.
    private var canvas: Indirect<IncrementalCanvas>?
    /// The bytes of the frame that is being read, kept if the file comes in pieces and cannot be read again.
    private var collected: ByteCollector
    /// Where its bytes end in the file, as far as they came.
    private var bytesEnd = 0
    /// Frames of which nothing could be read.
    private var missingCount = 0
    /// Frames that ended, and (below) those of them that are complete.
    package private(set) var endedCount = 0
    private var wholeCount = 0
    package private(set) var isFirstWhole = false
    /// The damage that comes first in the file; `nil` if there is none so far.
    @usableFromInline package private(set) var damage: ImageError?
    /// Whether all of the first picture is to be reported as changed: the last one handed out was one of a later frame, or none of its rows
    /// came.
    private var showsFirstAgain = false
    private var snapshot: Indirect<Snapshot>?
    /// A bitmap whose memory the result may reuse.
    private var reusable: Bitmap?

    package init(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) {
        self.request = request
        self.reusable = reusable
        collected = ByteCollector(meter: request.meter)
        frames = FrameList(canvasSize: PixelSize(width: 0, height: 0), meter: request.meter)
    }

    /// Sets width and height of the canvas; called when the file has stated them.
    package mutating func beginCanvas(_ size: PixelSize) {
        frames.beginCanvas(size)
    }

    // MARK: A frame

    /// Whether the frame that has begun is the first of the file.
    private var isFirst: Bool { begunCount == 1 }

    /// Whether frames after the first are asked for.
    private var wantsOthers: Bool { !request.options.firstFrameOnly }

    /// The frame that is being read: the one that has begun, or the next.
    private var currentIndex: Int {
        if case .frame = state { return begunCount - 1 }
        return begunCount
    }

    /// Whether the rows of the frame that comes next will be wanted, if the format's stream draws frames.
    package var drawsNext: Bool {
        guard request.purpose.decodesPixels else { return false }
        return begunCount == 0 || (request.purpose == .incremental && wantsOthers)
    }

    /// Begins a frame.
    ///
    /// - Parameters:
    ///   - info: what the file says about it.
    ///   - frame: how it is coded.
    ///   - rows: how its rows come, if that was worked out before.
    ///   - offset: where its bytes begin in the file.
    ///   - plan: how the first frame is delivered as the picture of the file; `nil` if it is not that picture.
    ///   - isAnimation: whether more frames are known to come.
    ///   - mayBeDrawn: whether the format's stream can hand over its rows; ``wantsRows`` says whether they are wanted.
    ///   - firstCanvas: the canvas as it shows the first frame, if the format's stream made the rows of that itself.
    package mutating func beginFrame(
        _ info: FrameInfo, _ frame: any CodedFrame, rows: SubFrameRows? = nil, at offset: Int,
        picture plan: OutputPlan? = nil,
        isAnimation: Bool = true,
        mayBeDrawn: Bool = true, firstCanvas: AnimationCanvas? = nil, work: inout WorkGuard
    ) throws(ImageError) {
        if wantsOthers { try request.options.limits.check(frameCount: begunCount + 1) }
        begunCount += 1
        let planned = frames.plan.planned(info)
        target = .nobody
        if request.purpose.decodesPixels, mayBeDrawn {
            if isFirst, let plan {
                target = .picture
                try work.beginFrame(0, planned.visible)
                try beginPicture(rows ?? frame.rows, info.rect, plan, isAnimation: isAnimation, work)
            } else if isFirst || (request.purpose == .incremental && wantsOthers) {
                target = .canvas
                try beginCanvas(of: frames, firstCanvas, work: work)
                try canvas?.value.beginFrame(planned, rows ?? frame.rows, after: frames, work: &work)
            }
        }
        state = .frame(CurrentFrame(planned: planned, frame: frame, offset: offset))
    }

    /// Whether frames are composed later if the file is an animation, so that the rows of the first picture are wanted as a canvas, too.
    package var wantsCanvas: Bool { request.purpose.decodesPixels && request.purpose != .oneShot && wantsOthers }

    private mutating func beginPicture(
        _ rows: SubFrameRows, _ rect: PixelRect, _ plan: OutputPlan, isAnimation: Bool, _ work: WorkGuard
    ) throws(ImageError) {
        let needsEcho = isAnimation && wantsCanvas
        let format = try AnimationOutput.canvasFormat(
            size: plan.sourceSize, orientation: orientation, options: request.options)
        let echo = needsEcho && !plan.hasPixels(of: format) ? format : nil
        picture = Indirect(
            try FirstPicture.make(
                rows, rect, plan: plan, echo: echo, reusable: &reusable, meter: request.meter, work: work))
    }

    private mutating func beginCanvas(
        of frames: FrameList, _ firstCanvas: AnimationCanvas?, work: WorkGuard
    ) throws(ImageError) {
        guard canvas == nil else { return }
        let output = try AnimationOutput(
            size: frames.plan.canvasSize, orientation: orientation, options: request.options, meter: request.meter,
            work: work)
        var first = firstCanvas
        if first == nil, frames.count == 1 { first = try handOverFirstCanvas(output.canvasFormat, work: work) }
        canvas = Indirect(try IncrementalCanvas(first, output: output, size: frames.plan.canvasSize, request))
        picture?.value.endPictures()
    }

    /// How pictures of an unfinished decode are turned; set when the file says so.
    package var orientation = Orientation.up

    /// The canvas as it shows the first frame, made of the rows that the first picture got; `nil` if that does not have them.
    package mutating func handOverFirstCanvas(
        _ format: PixelFormat, work: WorkGuard
    ) throws(ImageError) -> AnimationCanvas? {
        let meter = request.meter
        guard frames.count > 0,
            let bitmap = try picture?.value.handOverCanvas(format, meter: meter, work: work)
        else { return nil }
        return canvas(bitmap, rowCount: picture?.value.topRowCount ?? 0)
    }

    /// A canvas that shows the first frame.
    ///
    /// - Parameter rowCount: rows of it that came.
    package func canvas(_ bitmap: Bitmap, rowCount: Int) -> AnimationCanvas? {
        guard frames.count > 0 else { return nil }
        let drawn = DrawnFrame(rowCount: rowCount, damage: frames.damage(ofFrame: 0))
        return AnimationCanvas(bitmap, showing: 0, of: frames.plan, drawn: drawn, meter: request.meter)
    }

    /// Whether the rows of the frame that has begun are wanted.
    package var wantsRows: Bool { target != .nobody }

    /// Whether the bytes of the frame that has begun are wanted: to be kept, or to make its rows.
    package var wantsBytes: Bool {
        if case .frame = state { return wantsRows || request.keepsFrame(currentIndex) }
        return false
    }

    /// Consumes the next bytes of the frame that has begun, or is going to.
    ///
    /// - Parameter end: where the frame's bytes end in the file, as far as they came.
    package mutating func keep(_ bytes: Span<UInt8>, upTo end: Int, work: WorkGuard) throws(ImageError) {
        if request.keepsFrame(currentIndex) { try collected.append(bytes, work: work) }
        bytesEnd = end
    }

    /// Drops the bytes of a frame that does not begin.
    package mutating func dropBytes() { collected.removeAll() }

    /// Records damage after which no more rows of the frame that has begun can be decoded.
    ///
    /// - Throws: the error, unless damage is tolerated.
    package mutating func failRows(_ error: ImageError, work: inout WorkGuard) throws(ImageError) {
        try recordDamage(error)
        // A frame on the canvas is ended later, once it is recorded (`endFrame`).
        if target == .picture { try picture?.value.end(isWhole: false, work: work) }
        target = .nobody
    }

    /// Records damage of the frame that has begun whose rows still go on.
    ///
    /// - Throws: the error, unless damage is tolerated.
    package mutating func recordDamage(_ error: ImageError) throws(ImageError) {
        guard toleratesDamage, error.isDamage, case .frame(var current) = state else { throw error }
        current.damage = ImageError.earlier(current.damage, error)
        state = .frame(current)
    }

    /// Records that a frame is missing because it cannot be read at all.
    ///
    /// - Throws: the error, unless damage is tolerated.
    package mutating func skipFrame(_ error: ImageError) throws(ImageError) {
        guard toleratesDamage, error.isDamage else { throw error }
        missingCount += 1
        dropBytes()
        try add(FrameDamage(index: begunCount, isMissing: true, cause: error))
    }

    /// Records damage of the file that belongs to no frame.
    ///
    /// - Throws: the error, unless damage is tolerated.
    package mutating func record(_ error: ImageError) throws(ImageError) {
        guard toleratesDamage, error.isDamage else { throw error }
        damage = ImageError.earlier(damage, error)
    }

    private var toleratesDamage: Bool { request.options.strictness == .tolerant }

    private mutating func add(_ damage: FrameDamage) throws(ImageError) {
        self.damage = ImageError.earlier(self.damage, damage.cause)
        try frames.append(damage)
    }

    /// Ends the frame that has begun.
    package mutating func endFrame(work: inout WorkGuard) throws(ImageError) {
        guard case .frame(let current) = state else { return }
        let (index, wasOnCanvas) = (begunCount - 1, target == .canvas)
        (state, target) = (.between, .nobody)
        if isFirst {
            let isWhole = picture?.value.rowCount == current.planned.info.rect.height
            try picture?.value.end(isWhole: isWhole, work: work)
        }
        var added = current.planned
        if request.recordsFrame(index) {
            var bytes = FrameBytes.file(current.offset..<max(current.offset, bytesEnd))
            if request.keepsFrame(index) { bytes = try frames.keep(&collected, offset: current.offset) }
            added = try frames.append(current.planned, current.frame, bytes: bytes)
        }
        if let damage = current.damage {
            try add(FrameDamage(index: index, isMissing: false, cause: damage))
        }
        try canvas?.value.end(added, isWhole: wasOnCanvas, damage: current.damage, work: &work)
        endedCount += 1
        guard current.damage == nil else { return }
        wholeCount += 1
        if isFirst {
            isFirstWhole = true
            // A frame without data shows nothing, which is a picture all the same.
            if picture?.value.rowCount == 0 { showsFirstAgain = true }
        }
    }
}

extension DecodingRequest {
    /// Whether the place of a frame is recorded: not if nothing is composed afterwards.
    fileprivate func recordsFrame(_ index: Int) -> Bool {
        switch purpose {
        case .inspection, .oneShot: false
        case .frames, .incremental: index == 0 || !options.firstFrameOnly
        case .animation: true
        }
    }

    /// Whether the bytes of a frame have to be kept.
    fileprivate func keepsFrame(_ index: Int) -> Bool { purpose == .incremental && recordsFrame(index) }
}

// MARK: - Rows

extension AnimationEngine: FrameRows {
    package var frameSize: PixelSize {
        if case .frame(let current) = state { return current.planned.info.rect.size }
        return PixelSize(width: 0, height: 0)
    }

    /// Draws the row that comes as number `index` of the frame that has begun.
    package mutating func write(_ row: RawSpan, index: Int) {
        write(row, bytesPerRow: row.byteCount, from: index)
    }

    /// Draws rows that lie one after another, the first as number `index` of the frame that has begun.
    package mutating func write(_ rows: RawSpan, bytesPerRow: Int, from index: Int) {
        switch target {
        case .picture: picture?.value.write(rows, bytesPerRow: bytesPerRow, from: index)
        case .canvas: canvas?.value.write(rows, bytesPerRow: bytesPerRow, from: index)
        case .nobody: break
        }
    }

    /// Lets the row that comes as number `index` of the frame that has begun be made in the picture, if that is all there is to do.
    ///
    /// - Parameter fill: called with the row's bytes, laid out as the rows of the frame.
    /// - Returns: whether it was called.
    package mutating func placeRow(_ index: Int, _ fill: (inout MutableRawSpan) -> Void) -> Bool {
        guard target == .picture else { return false }
        return picture?.value.placeRow(index, fill) ?? false
    }

    /// Takes the pixels that a pass brings for one row of the frame that has begun.
    package mutating func write(_ pixels: RawSpan, at place: PassRow) {
        switch target {
        case .canvas: canvas?.value.write(pixels, at: place)
        // The first picture of an APNG, whose passes bring some pixels of a row, is made by `PNGStream`.
        case .picture, .nobody: break
        }
    }
}

// MARK: - Results

extension AnimationEngine {
    /// Makes the buffers this value's own, so that decoding does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        try picture?.value.makeUnique()
        try canvas?.value.makeUnique()
    }

    /// Ends the animation: no more frames come.
    ///
    /// - Parameters:
    ///   - damage: why it ends early; a frame that has begun is not whole then.
    ///   - keepsCanvas: whether the canvas is the picture of the file.
    package mutating func end(
        damage: ImageError?, keepsCanvas: Bool = false, work: WorkGuard
    ) throws(ImageError) {
        var work = work
        if let damage {
            if case .frame(var current) = state {
                current.damage = ImageError.earlier(current.damage, damage)
                state = .frame(current)
                try endFrame(work: &work)
            }
            self.damage = ImageError.earlier(self.damage, damage)
        }
        (state, target) = (.ended, .nobody)
        showsFirstAgain = showsFirstAgain || canvas != nil
        if !keepsCanvas { canvas = nil }
        picture?.value.endPictures()
        try picture?.value.end(isWhole: false, work: work)
    }

    /// Changes how pictures are turned, when the file says so after their rows came.
    package mutating func replan(_ plan: OutputPlan) { picture?.value.replan(plan) }

    /// Whether there is a picture to hand out: a row of the first frame is decoded, or a later frame has begun.
    @usableFromInline package var hasPicture: Bool {
        wholeCount > 0 || picture?.value.hasRows ?? (canvas != nil) || begunCount > 1
    }

    /// Whether ``end(damage:keepsCanvas:work:)`` was called.
    package var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether pictures are those of a frame after the first.
    package var showsCanvas: Bool { canvas != nil }

    /// The first picture, after the end.
    @usableFromInline
    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try picture?.value.sink.result(work: work) ?? .empty
    }

    /// What the canvas shows.
    package var canvasBitmap: Bitmap? { canvas?.value.canvasBitmap }

    /// The picture so far.
    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        if canvas != nil { return try canvas?.value.picture(work: work) ?? .empty }
        return try picture?.value.partialPicture(work: work) ?? .empty
    }

    /// Whether making a partial picture costs as much as making the whole.
    @usableFromInline package var hasCostlyPartialPictures: Bool {
        canvas?.value.hasCostlyPictures ?? picture?.value.sink.hasCostlyPartialPictures ?? false
    }

    /// What changed in the picture since the last call.
    ///
    /// - Parameter resultSize: width and height of the first picture.
    package mutating func drainChanges(resultSize: PixelSize?) -> PixelRect? {
        if showsFirstAgain, let resultSize {
            showsFirstAgain = false
            _ = picture?.value.drainChanges()
            return PixelRect(resultSize)
        }
        let first = picture?.value.drainChanges()
        guard let drawn = canvas?.value.drainChanges() else { return first }
        // The first picture may have had another size; all of the second is new.
        return drawn
    }

    /// Rows of the first frame that came.
    package var rowCount: Int { picture?.value.rowCount ?? 0 }

    /// Which rows and frames of the file are decoded; `nil` if all of them are.
    ///
    /// - Parameters:
    ///   - isEnded: whether ``end(damage:keepsCanvas:work:)`` was called.
    ///   - isComplete: whether the file was read to its end.
    ///   - announcedCount: frames that the file says it has; `nil` if it does not say so, or has but one.
    package func partialReport(isEnded: Bool, isComplete: Bool, announcedCount: Int?) -> PartialReport? {
        guard frames.hasCanvas, !isComplete || damage != nil else { return nil }
        let count = max(announcedCount ?? 0, begunCount + missingCount)
        let progress = PartialReport.Progress(done: wholeCount, total: count)
        let rows = picture?.value.decodedRows(isWhole: isFirstWhole) ?? []
        return PartialReport(
            rows: isEnded || canvas == nil ? rows : [], frames: announcedCount == nil ? nil : progress,
            frameDamages: isEnded ? frames.damages : [], cause: damage)
    }

    /// The frames so far as an animation that does not change.
    ///
    /// All snapshots share what was composed and cached; the last is handed out again while nothing came.
    package mutating func animation(
        _ info: ImageInfo, partial: PartialReport?, work: WorkGuard
    ) throws(ImageError) -> (any AnimatedImageProvider)? {
        guard request.purpose == .incremental, frames.count > 0 else { return nil }
        let key = SnapshotKey(frameCount: frames.count, info: info, partial: partial)
        if let snapshot, snapshot.value.key == key { return snapshot.value.animation }
        let animation = try composited(frames, info, partial: partial, state: snapshot?.value.state, work: work)
        snapshot = Indirect(Snapshot(animation: animation, state: animation.state, key: key))
        return animation
    }

    /// The frames of a file in memory, to be composed when they are asked for; `nil` if there are none.
    package func composited(
        reading data: ImageData, _ info: ImageInfo, partial: PartialReport?, work: WorkGuard
    ) throws(ImageError) -> CompositedAnimation? {
        guard frames.count > 0 else { return nil }
        return try composited(frames.reading(data), info, partial: partial, state: nil, work: work)
    }

    private func composited(
        _ frames: FrameList, _ info: ImageInfo, partial: PartialReport?, state: AnimationState?, work: WorkGuard
    ) throws(ImageError) -> CompositedAnimation {
        let output = try AnimationOutput(
            size: frames.plan.canvasSize, orientation: info.orientation,
            options: request.options.dividing(among: frames.count), meter: request.meter, work: work)
        var info = info
        (info.decodedSize, info.decodedFormat) = (output.plan.resultSize, output.plan.format)
        if case .ended = self.state { info.animation?.frameCount = frames.count }
        return CompositedAnimation(
            frames, info: info, partial: partial, output: output, options: request.options, meter: request.meter,
            state: state)
    }
}
