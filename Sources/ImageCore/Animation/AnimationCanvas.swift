// The canvas that frames are drawn on: the one place with the rules of disposal.
//
//   shows frame k ──dispose k──▶ before k + 1 ──draw──▶ shows frame k + 1

/// A canvas, and what it shows.
///
/// Its pixels are premultiplied BGRA; straight RGBA if such pixels are wanted, for premultiplying loses colour.
///
/// A value: a copy is a checkpoint, and the first of two that is drawn on copies the pixels.
@usableFromInline
package struct AnimationCanvas: Sendable {
    /// The pixels; empty while a painter has them.
    package private(set) var bitmap: Bitmap
    /// The frame it shows; `nil` while it is between frames, and before the first.
    package private(set) var shown: Int?
    /// Identity of the frame that the canvas shows.
    private var identity: FrameIdentity?
    /// The first damaged frame that was drawn below the one shown and whose pixels are still on the canvas.
    private var earlierDamage: (index: Int, cause: ImageError)?
    /// How many rows of the shown frame were drawn, and its damage.
    private var drawn = DrawnFrame(rowCount: 0, damage: nil)
    /// The pixels below the shown frame, saved if the frame's disposal is `restore`; otherwise `nil`.
    private var saved: Bitmap?
    /// The pixels that changed since the last ``drainChanges()``; before the first call, since the canvas was made.
    private var changed: PixelRect?
    /// A row buffer, handed on from the painter of one frame to that of the next.
    private var spareRow: ScratchBuffer?
    private let size: PixelSize
    /// `bgraPremultiplied` or `rgba`.
    package let format: PixelFormat
    private let meter: MemoryMeter?

    /// A canvas whose pixels are not set; the first frame shown on it starts from an empty one.
    ///
    /// - Parameter reusable: a bitmap whose memory is reused if it fits and nobody else holds it; always taken.
    package init(
        size: PixelSize, format: PixelFormat, reusable: inout Bitmap, meter: MemoryMeter?
    ) throws(ImageError) {
        self.size = size
        self.format = format
        self.meter = meter
        changed = PixelRect(size)
        // A canvas outlives the call; borrowed memory is valid only during it.
        if reusable.isBorrowed { reusable = .empty }
        bitmap = try Bitmap(reusing: &reusable, size: size, format: format, meter: meter)
    }

    /// A canvas that shows frame `index`, which was composed before.
    ///
    /// - Parameter drawn: how much of the frame was drawn.
    init(
        _ bitmap: Bitmap, showing index: Int, of plan: CompositionPlan, drawn: DrawnFrame? = nil, meter: MemoryMeter?
    ) {
        size = bitmap.size
        format = bitmap.format
        self.meter = meter
        self.bitmap = bitmap
        changed = PixelRect(size)
        if let drawn { self.drawn = drawn }
        shown = index
        identity = plan[index].identity
    }

    /// Whether it shows frame `index` of `plan`, composed from the frames that `plan` has.
    package func shows(_ index: Int, of plan: CompositionPlan) -> Bool {
        shown == index && index < plan.count && plan[index].identity === identity
    }

    /// The most memory that a canvas takes, and a row of what is drawn on it. Saturates.
    ///
    /// - Parameter savesPixels: whether there are frames that have to be taken back.
    package static func byteCount(_ size: PixelSize, savesPixels: Bool) -> Int {
        let canvas = Bitmap.byteCount(size: size, format: .bgraPremultiplied) ?? .max
        return (savesPixels ? canvas.multipliedSaturated(by: 2) : canvas)
            .addingSaturated(size.width.multipliedSaturated(by: 4))
    }

    /// Releases the pixels if `other` holds the same ones, so that `other` becomes their only holder.
    ///
    /// - Returns: whether it released them; the caller must then give them back with ``adopt(_:)``.
    package mutating func yieldPixels(sharedWith other: Bitmap) -> Bool {
        guard bitmap.hasSameStorage(as: other) else { return false }
        bitmap = .empty
        return true
    }

    /// Gets back the pixels that ``yieldPixels(sharedWith:)`` released.
    package mutating func adopt(_ pixels: consuming Bitmap) { bitmap = pixels }

    /// Makes the buffers this value's own, so that drawing does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        try bitmap.makeUnique()
        try saved?.makeUnique()
    }

    /// Composes what lies below `frame`, the one at `index`, so that this frame can be drawn next.
    ///
    /// - Parameters:
    ///   - plan: a plan that has all frames before `frame`.
    ///   - mayBePartial: whether frames may be drawn in part, or be looked at while they are.
    ///   - draw: draws a frame that comes before; called with frames in order.
    /// - Returns: whether the canvas was emptied, rather than changed in the rectangles that were disposed of and drawn.
    @discardableResult
    package mutating func prepare(
        for frame: CompositionPlan.Frame, at index: Int, of plan: CompositionPlan, mayBePartial: Bool,
        work: inout WorkGuard,
        draw: (Int, inout AnimationCanvas, inout WorkGuard) throws(ImageError) -> Void
    ) throws(ImageError) -> Bool {
        let path = plan.path(to: frame, at: index, from: disposable(plan))
        if path.startsEmpty {
            let first = path.before.isEmpty ? frame : plan[path.before.lowerBound]
            try empty(clearing: mayBePartial || !first.covers(size), work)
        } else {
            try makeUnique()
            if let shown { try dispose(of: plan[shown], work) }
        }
        recordDamage(in: path, to: frame, plan)
        (shown, identity) = (nil, nil)
        for earlier in path.before {
            try work.spend(16)
            let passed = plan[earlier]
            switch passed.info.disposal {
            case .keep: try draw(earlier, &self, &work)
            case .clear: try clear(passed.visible, work)
            case .restore: break
            }
        }
        // A frame that covers the canvas may be drawn without composing what is below it; then there is nothing to save.
        if frame.info.disposal == .restore, !(path.startsEmpty && frame.covers(size)) {
            try save(frame.visible, work)
        } else {
            saved = nil
        }
        // Pixels that the frame lacks must be transparent, not those of the frame before.
        let isCleared = mayBePartial && !path.startsEmpty && frame.covers(size)
        if isCleared {
            changed = PixelRect(size)
            try bitmap.clearRows(0..<size.height, work: work)
        }
        return path.startsEmpty || isCleared
    }

    /// The frame shown, if it can be disposed of; `nil` if the pixels to restore were not saved.
    private func disposable(_ plan: CompositionPlan) -> Int? {
        guard let shown, shows(shown, of: plan), plan[shown].info.disposal != .restore || saved != nil else {
            return nil
        }
        return shown
    }

    /// Hands the pixels to a painter for frame `index`; ``finish(_:_:at:isShown:damage:)`` takes them back.
    package mutating func painter(
        _ frame: CompositionPlan.Frame, _ rows: SubFrameRows
    ) throws(ImageError) -> FramePainter {
        try FramePainter(
            on: bitmap.moved(), rect: frame.info.rect, visible: frame.visible,
            replaces: frame.info.isOpaque || frame.info.blending == .replace, rows, spareRow: spareRow.take(),
            meter: meter)
    }

    /// Takes the pixels back when a frame is drawn.
    ///
    /// - Parameters:
    ///   - frame: the frame, and where it comes.
    ///   - isShown: whether the canvas shows it now; `false` if it was drawn only because a later frame lies over it.
    ///   - damage: what ended the frame early.
    package mutating func finish(
        _ painter: consuming FramePainter, _ frame: CompositionPlan.Frame, at index: Int, isShown: Bool,
        damage: ImageError?
    ) {
        drawn = DrawnFrame(rowCount: painter.rowCount, damage: damage)
        (bitmap, spareRow) = painter.handOverMemory()
        recordChange(frame.visible)
        if isShown {
            (shown, identity) = (index, frame.identity)
        } else {
            record(damage, at: index)
        }
    }

    /// The pixels that changed since the last call; `nil` if none did.
    mutating func drainChanges() -> PixelRect? { changed.take() }

    private mutating func recordChange(_ rect: PixelRect) {
        if !rect.isEmpty { changed = changed?.union(rect) ?? rect }
    }

    /// What is wrong with the data of the frame that is shown.
    var shownDamage: ImageError? { shown == nil ? nil : drawn.damage }

    /// Which rows of the canvas are decoded while it shows `frame`; `nil` if all of them are.
    package func partialReport(_ frame: CompositionPlan.Frame) -> PartialReport? {
        if let earlierDamage, !frame.covers(size) { return PartialReport(rows: [], cause: earlierDamage.cause) }
        guard let damage = drawn.damage else { return nil }
        // Rows of the canvas above those that are missing, and below the frame.
        let missing =
            (frame.info.rect.y + drawn.rowCount).clamped(to: frame.visible.rows)..<frame.visible.rows.upperBound
        let rows = [0..<missing.lowerBound, missing.upperBound..<size.height].filter { !$0.isEmpty }
        return PartialReport(rows: missing.isEmpty ? [0..<size.height] : rows, cause: damage)
    }

    // MARK: Disposal

    /// A damaged frame that stays leaves damage on the canvas; one that is cleared or restored does not, nor one before the
    /// frame with which composing the canvas begins.
    private mutating func recordDamage(
        in path: CompositionPlan.Path, to frame: CompositionPlan.Frame, _ plan: CompositionPlan
    ) {
        if let earlierDamage, path.startsEmpty || earlierDamage.index < frame.baseStart { self.earlierDamage = nil }
        guard !path.startsEmpty, let shown, shown >= frame.baseStart, plan[shown].info.disposal == .keep else { return }
        record(drawn.damage, at: shown)
    }

    private mutating func record(_ damage: ImageError?, at index: Int) {
        guard let damage, earlierDamage == nil else { return }
        earlierDamage = (index, damage)
    }

    private mutating func dispose(of frame: CompositionPlan.Frame, _ work: WorkGuard) throws(ImageError) {
        switch frame.info.disposal {
        case .keep: break
        case .clear: try clear(frame.visible, work)
        case .restore:
            guard let saved else { return }
            recordChange(frame.visible)
            try bitmap.copyPixels(of: saved, from: PixelRect(saved.size), to: frame.visible, work: work)
        }
    }

    /// Empties the canvas.
    ///
    /// - Parameter clears: whether pixels are cleared; not needed if the frame drawn first covers them all.
    private mutating func empty(clearing clears: Bool, _ work: WorkGuard) throws(ImageError) {
        changed = PixelRect(size)
        if !bitmap.isUniquelyReferenced() {
            bitmap = .empty
            bitmap = try Bitmap(uninitialized: size, format: format, meter: meter)
        }
        if clears { try bitmap.clearRows(0..<size.height, work: work) }
    }

    private mutating func clear(_ rect: PixelRect, _ work: WorkGuard) throws(ImageError) {
        guard !rect.isEmpty else { return }
        recordChange(rect)
        if rect.width == size.width { return try bitmap.clearRows(rect.y..<rect.y + rect.height, work: work) }
        var work = work
        for y in rect.y..<rect.y + rect.height {
            try work.spend(rect.width)
            bitmap.clearPixels(rect.x..<rect.x + rect.width, ofRow: y)
        }
    }

    private mutating func save(_ rect: PixelRect, _ work: WorkGuard) throws(ImageError) {
        if saved?.size != rect.size || saved?.isUniquelyReferenced() != true {
            saved = nil
            saved = try Bitmap(uninitialized: rect.size, format: format, meter: meter)
        }
        guard !rect.isEmpty else { return }
        try saved?.copyPixels(of: bitmap, from: rect, to: PixelRect(rect.size), work: work)
    }

}

extension PixelRect {
    /// The rows it covers.
    package var rows: Range<Int> { y..<y + height }
}

extension Int {
    /// The nearest place in a range, its end included.
    fileprivate func clamped(to range: Range<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension Bitmap {
    /// Copies a rectangle of another bitmap of the same format.
    ///
    /// - Precondition: both rectangles are of one size and within their bitmaps.
    package mutating func copyPixels(
        of other: Bitmap, from source: PixelRect, to target: PixelRect, work: WorkGuard
    ) throws(ImageError) {
        precondition(source.size == target.size && format == other.format, "another rectangle")
        guard !source.isEmpty else { return }
        var work = work
        let bytesPerPixel = format.bytesPerPixel
        let bytes = source.x * bytesPerPixel..<(source.x + source.width) * bytesPerPixel
        for row in 0..<source.height {
            try work.spend(bytes.count)
            other.withRowBytes(source.y + row) { pixels in
                withMutableRowBytes(target.y + row) {
                    $0.copy(pixels.extracting(bytes), at: target.x * bytesPerPixel)
                }
            }
        }
    }

    /// The bytes of some pixels of a row, for writing.
    ///
    /// - Precondition: they are within the bitmap.
    package mutating func withMutablePixels<R, E: Error>(
        _ columns: Range<Int>, ofRow y: Int, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        precondition(
            columns.lowerBound >= 0 && columns.upperBound <= width && y >= 0 && y < height, "outside the bitmap")
        let start = y * bytesPerRow
        let range =
            start + columns.lowerBound * format.bytesPerPixel..<start + columns.upperBound * format.bytesPerPixel
        return try withMutableBytes(range, body)
    }
}

/// How many rows of a frame were drawn, and why no more.
package struct DrawnFrame: Sendable {
    /// Rows of the frame, from the top.
    package let rowCount: Int
    /// What is wrong with it.
    package let damage: ImageError?
}
