// Which sub-frame each frame of an animation becomes: the search for what costs least.
//
//   pending frame, below it ──keep──▶    canvas as shown ─┐
//                           ──restore──▶ canvas below it ─┼─▶ change to the next frame ──▶ candidates ──▶ the cheapest
//                           ──clear──▶   rectangle empty ─┘
//
// What becomes of a frame afterwards is decided when the next is known, so that each is written one frame late.

package import ImageCodecsCore

/// Turns canvases, one after the other, into sub-frames.
///
/// Holds up to four canvases: what lies below the pending frame, what it shows, the next one, and the shown one with a hole.
package struct SubFramePlanner: Sendable {
    /// A frame that waits for the next.
    private struct Pending: Sendable {
        var frame: SubFrame
        var duration: Duration
        let method: Int?
    }

    /// A way to get to the next canvas.
    private struct Candidate: Sendable {
        let disposal: FrameInfo.Disposal
        /// The canvas that the disposal leaves.
        let base: Bitmap
        let frame: SubFrame
    }

    private let size: PixelSize
    private let abilities: FrameAbilities
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?
    private var pending: Pending?
    private var frameCount = 0
    /// What lies below the pending frame, and what it shows.
    private var below = Bitmap.empty
    private var shown = Bitmap.empty
    /// Bitmaps whose memory the next canvases take.
    private var spare: [Bitmap] = []

    /// The share of unchanged pixels in a rectangle below which leaving them out is not tried.
    private static let leastUnchangedShare = 1.0 / 16

    /// - Parameters:
    ///   - size: of the canvas.
    ///   - abilities: what frames can do.
    ///   - effort: with `fast`, frames are kept and nothing is tried.
    ///   - meter: counts the canvases.
    package init(size: PixelSize, _ abilities: FrameAbilities, effort: EncodingOptions.Effort, meter: MemoryMeter?) {
        self.size = size
        self.abilities = abilities
        self.effort = effort
        self.meter = meter
    }

    /// Bytes that it holds at most. Saturates.
    package static func byteCount(_ size: PixelSize) -> Int {
        (Bitmap.byteCount(size: size, format: .rgba) ?? .max).multipliedSaturated(by: 4)
    }

    /// A canvas for the next frame, whose pixels are not set.
    package mutating func makeCanvas() throws(ImageError) -> Bitmap {
        var reusable = spare.popLast() ?? .empty
        return try Bitmap(reusing: &reusable, size: size, format: .rgba, meter: meter)
    }

    /// Adds a frame, and writes the one before it.
    ///
    /// - Parameters:
    ///   - canvas: what is to be shown: made with ``makeCanvas()``, straight RGBA, transparent pixels zero.
    ///   - duration: how long.
    ///   - encoder: says what candidates cost, and writes.
    package mutating func add(
        _ canvas: consuming Bitmap, for duration: Duration, _ encoder: inout any AnimationEncoder,
        to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let next = canvas
        var candidates: [Candidate]
        if try encoder.show(next, for: duration, to: sink, work: &work) {
            spare.append(next)
            return
        }
        if try merge(next, duration, &work) {
            spare.append(next)
            return
        }
        if pending == nil {
            let empty = try Bitmap(cleared: size, format: .rgba, meter: meter, work: work)
            candidates = [try firstCandidate(next, on: empty, &work)]
        } else {
            candidates = try self.candidates(for: next, &work)
        }
        let (chosen, method) = try cheapest(of: candidates, &encoder, &work)
        if let pending {
            try write(pending, disposal: chosen.disposal, &encoder, to: sink, &work)
        }
        let base = chosen.base
        pending = Pending(frame: chosen.frame, duration: duration, method: method)
        let hole = candidates.first { $0.disposal == .clear && chosen.disposal != .clear }?.base
        candidates = []
        frameCount += 1
        keep(base, next)
        if let hole { spare.append(hole) }
    }

    /// Frames that are shown no longer than this are shown for a tenth of a second by most decoders.
    package static let shortestDuration = Duration.milliseconds(10)

    /// Shows the pending frame longer, if the next is the same and that can be.
    private mutating func merge(
        _ next: Bitmap, _ duration: Duration, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard abilities.mergesEqualFrames, duration > Self.shortestDuration, let pending,
            pending.duration > Self.shortestDuration,
            try CanvasChange.rows(from: shown, to: next, work: &work).isEmpty
        else { return false }
        self.pending?.duration = pending.duration.addingSaturated(duration)
        return true
    }

    /// Writes the last frame.
    package mutating func finish(
        _ encoder: inout any AnimationEncoder, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        guard let pending else { return }
        self.pending = nil
        try write(pending, disposal: .keep, &encoder, to: sink, &work)
        (below, shown, spare) = (.empty, .empty, [])
    }

    private func write(
        _ pending: Pending, disposal: FrameInfo.Disposal, _ encoder: inout any AnimationEncoder,
        to sink: EncodedBytesSink, _ work: inout WorkGuard
    ) throws(ImageError) {
        let planned = PlannedFrame(
            frame: pending.frame, duration: pending.duration, disposal: disposal, method: pending.method)
        try encoder.write(planned, to: sink, work: &work)
    }

    /// Goes on to the next frame: keeps two canvases, and the memory of those that are no longer needed.
    private mutating func keep(_ base: Bitmap, _ next: Bitmap) {
        for old in [below.moved(), shown.moved()] where !old.hasSameStorage(as: base) && !old.size.isEmpty {
            spare.append(old)
        }
        (below, shown) = (base, next)
    }
}

// MARK: - Candidates

extension SubFramePlanner {
    private func firstCandidate(
        _ next: Bitmap, on empty: Bitmap, _ work: inout WorkGuard
    ) throws(ImageError) -> Candidate {
        let change = try CanvasChange(from: empty, to: next, work: &work)
        let rect = abilities.firstFrameCoversCanvas ? PixelRect(size) : place(change.rect)
        let content: SubFrame.Content = abilities.replaces ? .replacement : .changes(shortestRun: 1)
        return Candidate(
            disposal: .keep, base: empty, frame: SubFrame(rect, content, on: empty, wanted: next))
    }

    /// Every way that may be worth a look; at least one.
    private mutating func candidates(
        for next: Bitmap, _ work: inout WorkGuard
    ) throws(ImageError) -> [Candidate] {
        let kept = try CanvasChange(from: shown, to: next, work: &work)
        var found = candidates(.keep, shown, kept, next)
        // A frame that is shown on takes a pixel; nothing is less.
        if kept.changedCount == 0, !found.isEmpty { return [found[0]] }
        guard effort != .fast || found.isEmpty else { return [found[0]] }
        var changes = found.isEmpty ? [] : [kept]
        func isWorthIt(_ change: CanvasChange) -> Bool {
            changes.allSatisfy { other in
                change.changedCount < other.changedCount || change.rect.pixelCount < other.rect.pixelCount
            }
        }
        if mayRestore {
            let restored = try CanvasChange(from: below, to: next, work: &work)
            if isWorthIt(restored) {
                found += candidates(.restore, below, restored, next)
                changes.append(restored)
            }
        }
        let mayClear = found.isEmpty ? true : try isTransparent(next, &work)
        if abilities.disposals.contains(.clear), mayClear {
            if found.isEmpty { try extendPending(for: next, &work) }
            let hole = try clearedCanvas(&work)
            let cleared = try CanvasChange(from: hole, to: next, work: &work)
            if found.isEmpty || isWorthIt(cleared) {
                found += candidates(.clear, hole, cleared, next)
            } else {
                spare.append(hole)
            }
        }
        guard !found.isEmpty else { throw .invalidArgument("translucent pixels that this format cannot draw") }
        return found
    }

    /// Whether the pending frame can be taken back. What is below the first frame is nothing, which a hole is as well.
    private var mayRestore: Bool {
        guard frameCount > 1, abilities.disposals.contains(.restore) else { return false }
        return abilities.restoresAfterOver || pending?.frame.blending == .replace
    }

    /// The ways to draw a change.
    private func candidates(
        _ disposal: FrameInfo.Disposal, _ base: Bitmap, _ change: CanvasChange, _ next: Bitmap
    ) -> [Candidate] {
        let rect = place(change.rect)
        var contents: [SubFrame.Content] = []
        if abilities.replaces {
            contents.append(.replacement)
        } else if change.isOpaque, rect == change.rect, abilities.redrawsUnchanged {
            contents.append(.opaque)
        }
        let unchanged = rect.pixelCount - change.changedCount
        let isSparse = Double(unchanged) >= Self.leastUnchangedShare * Double(rect.pixelCount)
        if abilities.laysOver, change.changesAreOpaque, isSparse || contents.isEmpty {
            contents += runs.map { .changes(shortestRun: $0) }
        }
        if effort == .fast, contents.count > 1 { contents = [contents[unchanged > change.changedCount ? 1 : 0]] }
        return contents.map {
            Candidate(disposal: disposal, base: base, frame: SubFrame(rect, $0, on: base, wanted: next))
        }
    }

    /// How long runs of unchanged pixels are that are tried.
    private var runs: [Int] {
        guard abilities.redrawsUnchanged else { return [1] }
        return effort == .best
            ? [SubFrame.Content.usualRun, 1, 4 * SubFrame.Content.usualRun] : [SubFrame.Content.usualRun]
    }

    /// A changed rectangle where frames can lie; one pixel if nothing changed.
    private func place(_ rect: PixelRect) -> PixelRect {
        guard !rect.isEmpty else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
        return rect.aligned(to: abilities.offsetMultiple)
    }

    private mutating func cheapest(
        of candidates: [Candidate], _ encoder: inout any AnimationEncoder, _ work: inout WorkGuard
    ) throws(ImageError) -> (Candidate, method: Int?) {
        guard candidates.count > 1, effort != .fast else { return (candidates[0], nil) }
        var best: (candidate: Candidate, cost: SubFrameCost)?
        for candidate in candidates {
            let cost = try encoder.cost(of: candidate.frame, work: &work)
            if best.map({ cost.byteCount < $0.cost.byteCount }) ?? true { best = (candidate, cost) }
        }
        return (best?.candidate ?? candidates[0], best?.cost.method)
    }

    // MARK: Clearing

    /// Whether the next canvas has a pixel within the pending frame that is not opaque, so that a hole may be of use.
    private func isTransparent(_ next: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> Bool {
        guard let rect = pending?.frame.rect else { return false }
        return try CanvasChange.isTransparent(next, in: rect, work: &work)
    }

    /// The canvas as shown, with a hole in the place of the pending frame.
    private mutating func clearedCanvas(_ work: inout WorkGuard) throws(ImageError) -> Bitmap {
        guard let rect = pending?.frame.rect else { return shown }
        var hole = try makeCanvas()
        for y in 0..<size.height {
            try work.spend(size.width)
            shown.withRowBytes(y) { row in hole.withMutableRowBytes(y) { $0.copy(row) } }
            if rect.rows.contains(y) { hole.clearPixels(rect.x..<rect.x + rect.width, ofRow: y) }
        }
        return hole
    }

    /// Makes the pending frame so large that clearing it clears all that cannot be drawn over: for formats whose frames cannot
    /// replace.
    private mutating func extendPending(for next: Bitmap, _ work: inout WorkGuard) throws(ImageError) {
        guard let pending else { return }
        var rect = pending.frame.rect
        for y in 0..<size.height {
            try work.spend(size.width)
            shown.withRowBytes(y) { shown in
                next.withRowBytes(y) { next in
                    for x in 0..<size.width {
                        let pixel = next.nativeUInt32(at: 4 * x)
                        guard pixel < 0xFF00_0000, pixel != shown.nativeUInt32(at: 4 * x) else { continue }
                        rect = rect.union(PixelRect(x: x, y: y, width: 1, height: 1))
                    }
                }
            }
        }
        self.pending?.frame = pending.frame.extended(to: rect.aligned(to: abilities.offsetMultiple))
    }
}

extension Duration {
    /// The sum; of durations that are too long, the longest.
    fileprivate func addingSaturated(_ other: Duration) -> Duration {
        let longest = Duration.seconds(1 << 40)
        return min(self, longest) + min(other, longest)
    }
}

extension PixelRect {
    /// How many pixels there are in it; the sides are those of a bitmap in memory.
    fileprivate var pixelCount: Int { width * height }
}
