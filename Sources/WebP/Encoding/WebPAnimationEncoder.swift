// From sub-frames to the bytes of an animated WebP file.
//
//   1. code        rows of a sub-frame -> bitstream                  WebPLossless: VP8LEncoder; with loss canvases: LossyFrameDrawer
//   2. head        place, duration, blending, disposal               FrameChunk, ImageCore: DurationRounding
//   3. collect     frames, for the head of the file says how long it is
//   4. describe    VP8X, ICCP, ANIM before them, EXIF, XMP after     RIFFWriter, WrittenMetadata
//
// Which sub-frames there are is found out by ImageEncoding's `SubFramePlanner`, which asks what they cost; with loss by the drawer, which
// knows what is shown.

package import ImageCodecsCore
package import ImageEncoding
import WebPLosslessCodec
import WebPLossyCodec

/// Writes one animation as a WebP file. Of an animation with loss, frames that are worth it are written without: error and bytes decide.
///
/// - Source: RFC 9649 §2.7.1.1 "Animation".
package struct WebPAnimationEncoder: AnimationEncoder {
    /// A frame with loss that waits for the next, which decides what becomes of it.
    private struct Pending: Sendable {
        let rect: PixelRect
        let blending: FrameInfo.Blending
        let coded: WrittenFrame
        var duration: Duration
    }

    private let animation: EncodedAnimation
    private let request: EncodingRequest
    private let metadata: WrittenMetadata
    /// ANMF chunks, one after the other.
    private var frames: ByteCollector
    private var rounding = DurationRounding(unitMilliseconds: 1)
    private var frameCount = 0
    /// Of frames that may lose something; `nil` if none may.
    private let lossy: VP8Encoder.Settings?
    /// Draws them, and the canvas with the last one.
    private var drawer: LossyFrameDrawer?
    private var shown = Bitmap.empty
    private var pending: Pending?
    /// Whether a frame has a pixel that is not opaque.
    private var hasAlpha = false

    /// Bytes of the frames that the estimate counts at most. Files that are longer are held as well, and the meter refuses what is
    /// more than the limit on memory.
    private static let largestEstimateOfFrames = 1 << 26
    /// VP8X and ANIM with their heads.
    private static let headersByteCount = 18 + 14

    /// - Throws: `limitExceeded(.dimension)` for a side of more than 16,384 pixels, of a lossy file 16,383; `invalidArgument` for
    ///   options that make no sense, and for more metadata than the file can hold.
    package init(_ animation: EncodedAnimation, _ request: EncodingRequest) throws(ImageError) {
        try VP8LEncoder.check(animation.picture.size)
        if request.options.writesLossyWebP(of: animation.picture.isLossy) {
            try LossyPictureEncoder.check(animation.picture.size)
            var settings = try request.options.lossySettings
            settings.fitsColors = false
            lossy = settings
        } else {
            _ = try request.options.losslessSettings
            lossy = nil
        }
        self.animation = animation
        self.request = request
        metadata = try WrittenMetadata(animation.picture.metadata, orientation: animation.picture.orientation)
        frames = ByteCollector(meter: request.meter)
        drawer = lossy.map { LossyFrameDrawer(animation.picture.size, $0, meter: request.meter) }
    }

    package var abilities: FrameAbilities {
        FrameAbilities(
            disposals: [.keep, .clear], offsetMultiple: 2, firstFrameCoversCanvas: true, mergesEqualFrames: true)
    }

    package var estimatedByteCount: Int {
        let size = animation.picture.size
        // Noise takes a little more than four bytes a pixel.
        let frame = (size.pixelCount ?? .max).multipliedSaturated(by: 5).addingSaturated(1 << 13)
        let all = min(frame.multipliedSaturated(by: animation.frameCount), Self.largestEstimateOfFrames)
        let coding =
            lossy.map { LossyFrameDrawer.byteCount(size, $0).addingSaturated(frame) }
            ?? VP8LEncoder.byteCount(size, request.options.effort).addingSaturated(frame)
        return coding.addingSaturated(size.width.multipliedSaturated(by: 4))
            // What collects them holds half as many again.
            .addingSaturated(all + all / 2)
    }

    package var fixedByteCount: Int {
        RIFFReader.fileHeaderByteCount.addingSaturated(Self.headersByteCount).addingSaturated(metadata.byteCount)
            .addingSaturated(2 * RIFFChunk.headerByteCount + FrameChunk.byteCount)
    }

    /// The colours of other frames are of no use.
    package mutating func survey(_ canvas: Bitmap, rows: Range<Int>, work: inout WorkGuard) throws(ImageError) {
        try work.spend(canvas.width.multipliedSaturated(by: canvas.height))
    }

    /// Nothing is handed out before the end.
    package mutating func begin(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {}

    package mutating func cost(
        of frame: SubFrame, work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        SubFrameCost(byteCount: try WrittenFrame(lossless: frame, .fast, meter: request.meter, &work).byteCount)
    }

    package mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let coded = try WrittenFrame(lossless: planned.frame, request.options.effort, meter: request.meter, &work)
        try append(coded, planned.frame.rect, planned.frame.blending, planned.disposal, planned.duration, &work)
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        if let pending { try append(pending, .keep, &work) }
        pending = nil
        shown = .empty
        request.options.losses?.record(excess: rounding.excess)
        for _ in min(frameCount, animation.frameCount)..<animation.frameCount {
            request.options.losses?.record(.frames)
        }
        var (start, end) = (RIFFWriter(), RIFFWriter())
        var flags = metadata.flags.union(.animation)
        if hasAlpha { flags.insert(.alpha) }
        start.append(.extended, ExtendedHeader(flags, canvasSize: animation.picture.size).body)
        metadata.appendProfile(to: &start)
        let plays = animation.plays(most: AnimationHeader.mostPlays, request)
        start.append(.animation, AnimationHeader(loopCount: plays).body)
        metadata.appendRest(to: &end)
        let head = try RIFFWriter.fileHead(
            chunksByteCount: start.bytes.count + frames.count + end.bytes.count)
        try (head + start.bytes).withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        try frames.withBytes { (bytes) throws(ImageError) in try sink(bytes) }
        frames.removeAll()
        guard !end.bytes.isEmpty else { return }
        try end.bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
    }
}

// MARK: - Frames with loss

extension WebPAnimationEncoder {
    package mutating func show(
        _ canvas: Bitmap, for duration: Duration, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard var drawer = drawer.take() else { return false }
        defer { self.drawer = drawer }
        guard let pending = pending.take() else {
            let first = try drawer.drawing(of: canvas, on: nil, &work)
            if let first { try wait(first, duration, &drawer, &work) }
            return true
        }
        guard let kept = try drawer.drawing(of: canvas, on: shown, &work) else {
            try goOn(pending, duration, &work)
            return true
        }
        var (best, disposal) = (kept, FrameInfo.Disposal.keep)
        if request.options.effort != .fast, try CanvasChange.isTransparent(canvas, in: pending.rect, work: &work) {
            let hole = try drawer.canvas(shown, without: pending.rect, &work)
            if let cleared = try drawer.drawing(of: canvas, on: hole, &work), cleared.price < best.price {
                (best, disposal) = (cleared, .clear)
            }
        }
        try append(pending, disposal, &work)
        try wait(best, duration, &drawer, &work)
        return true
    }

    private mutating func wait(
        _ drawing: LossyDrawing, _ duration: Duration, _ drawer: inout LossyFrameDrawer, _ work: inout WorkGuard
    ) throws(ImageError) {
        var drawing = drawing
        try drawing.finish(request.options.effort, meter: request.meter, &work)
        drawer.accept(drawing)
        shown = drawing.shown
        pending = Pending(rect: drawing.rect, blending: drawing.blending, coded: drawing.coded, duration: duration)
    }

    /// Shows the pending frame longer.
    private mutating func goOn(_ frame: Pending, _ duration: Duration, _ work: inout WorkGuard) throws(ImageError) {
        let shortest = SubFramePlanner.shortestDuration
        guard duration > shortest, frame.duration > shortest else {
            try append(frame, .keep, &work)
            let (rect, coded) = try nothing(&work)
            pending = Pending(rect: rect, blending: .over, coded: coded, duration: duration)
            return
        }
        pending = frame
        // Longer than any file can say.
        let longest = Duration.seconds(1 << 40)
        pending?.duration = min(frame.duration, longest) + min(duration, longest)
    }

    private mutating func append(
        _ frame: Pending, _ disposal: FrameInfo.Disposal, _ work: inout WorkGuard
    ) throws(ImageError) {
        try append(frame.coded, frame.rect, frame.blending, disposal, frame.duration, &work)
    }
}

// MARK: - Chunks

extension WebPAnimationEncoder {
    private mutating func append(
        _ coded: WrittenFrame, _ rect: PixelRect, _ blending: FrameInfo.Blending, _ disposal: FrameInfo.Disposal,
        _ duration: Duration, _ work: inout WorkGuard
    ) throws(ImageError) {
        // What is cleared is transparent, whatever frames have.
        hasAlpha = hasAlpha || coded.hasAlpha || disposal == .clear
        let milliseconds = rounding.next(duration)
        if Duration.milliseconds(milliseconds) != duration { request.options.losses?.record(.durations) }
        let parts = rounding.parts(of: milliseconds, largest: FrameChunk.longestMilliseconds)
        for (number, milliseconds) in parts.enumerated() {
            if number > 0, disposal == .keep {
                let (rect, coded) = try nothing(&work)
                hasAlpha = true
                try append(FrameChunk(rect, milliseconds: milliseconds, .over, .keep), coded, work)
            } else {
                // What leaves a hole is drawn over itself, which changes nothing: it replaces, or is opaque where it is anything.
                let disposal = number == parts.count - 1 ? disposal : .keep
                try append(FrameChunk(rect, milliseconds: milliseconds, blending, disposal), coded, work)
            }
        }
        frameCount += 1
    }

    /// A transparent pixel, laid over the canvas so that what is shown is shown longer.
    private func nothing(_ work: inout WorkGuard) throws(ImageError) -> (PixelRect, WrittenFrame) {
        let pixel = try Bitmap(
            cleared: PixelSize(width: 1, height: 1), format: .rgba, meter: request.meter, work: work)
        let rect = PixelRect(x: 0, y: 0, width: 1, height: 1)
        let frame = SubFrame(rect, .replacement, on: pixel, wanted: pixel)
        return (rect, try WrittenFrame(lossless: frame, .fast, meter: request.meter, &work))
    }

    private mutating func append(
        _ head: FrameChunk, _ coded: WrittenFrame, _ work: WorkGuard
    ) throws(ImageError) {
        var chunk = RIFFWriter()
        chunk.appendHead(.frame, byteCount: FrameChunk.byteCount + coded.byteCount)
        let start = chunk.bytes + head.bytes
        // No longer than the file may get.
        try RIFFWriter.check(
            chunksByteCount: Self.headersByteCount.addingSaturated(metadata.byteCount).addingSaturated(
                frames.count + start.count + coded.byteCount))
        try start.withSpan { (bytes) throws(ImageError) in try frames.append(bytes, work: work) }
        try coded.chunks.bytes.withSpan { (bytes) throws(ImageError) in try frames.append(bytes, work: work) }
    }
}
