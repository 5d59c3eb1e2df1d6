// From sub-frames to the bytes of an animated WebP file.
//
//   1. code        rows of a sub-frame -> bitstream                  WebPLossless: VP8LEncoder, LossyPictureEncoder
//   2. head        place, duration, blending, disposal               FrameChunk, ImageCore: DurationRounding
//   3. collect     frames, for the head of the file says how long it is
//   4. describe    VP8X, ICCP, ANIM before them, EXIF, XMP after     RIFFWriter, WrittenMetadata
//
// Which sub-frames there are is found out by ImageCore's `SubFramePlanner`, which asks what they cost.

package import ImageCodecsCore
package import ImageEncoding
import WebPLosslessCodec
import WebPLossyCodec

/// Writes one animation as a WebP file. Of an animation with loss, frames that take fewer bytes without are written so.
///
/// - Source: RFC 9649 §2.7.1.1 "Animation".
package struct WebPAnimationEncoder: AnimationEncoder {
    /// A sub-frame as it is coded.
    private struct CodedSubFrame {
        /// The chunks of its picture.
        let chunks: RIFFWriter
        /// Whether a pixel is not opaque.
        let hasAlpha: Bool
        /// What made a lossless one; the bitstream is counted as long as it lives.
        var encoder: VP8LEncoder?

        var byteCount: Int { chunks.bytes.count }
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
            lossy = try request.options.lossySettings
        } else {
            _ = try request.options.losslessSettings
            lossy = nil
        }
        self.animation = animation
        self.request = request
        metadata = try WrittenMetadata(animation.picture.metadata, orientation: animation.picture.orientation)
        frames = ByteCollector(meter: request.meter)
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
        // One way after the other, the first one's bytes held.
        let colors =
            lossy.map { LossyPictureEncoder.byteCount(size, $0, hasAlpha: true).addingSaturated(frame) } ?? 0
        let lossless = VP8LEncoder.byteCount(size, request.options.effort)
        return max(lossless.addingSaturated(lossy == nil ? 0 : frame), colors)
            .addingSaturated(size.width.multipliedSaturated(by: 4))
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
        SubFrameCost(byteCount: try coded(frame, .fast, &work).byteCount)
    }

    package mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let coded = try coded(planned.frame, request.options.effort, &work)
        // What is cleared is transparent, whatever frames have.
        hasAlpha = hasAlpha || coded.hasAlpha || planned.disposal == .clear
        let milliseconds = rounding.next(planned.duration)
        if Duration.milliseconds(milliseconds) != planned.duration { request.options.losses?.record(.durations) }
        let parts = rounding.parts(of: milliseconds, largest: FrameChunk.longestMilliseconds)
        for (number, milliseconds) in parts.enumerated() {
            if number > 0, planned.disposal == .keep {
                try appendNothing(milliseconds, &work)
            } else {
                // What leaves a hole is drawn over itself, which changes nothing: it replaces, or is opaque where it is anything.
                let disposal = number == parts.count - 1 ? planned.disposal : .keep
                let head = FrameChunk(planned.frame.rect, milliseconds: milliseconds, planned.frame.blending, disposal)
                try append(head, coded, work)
            }
        }
        frameCount += 1
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
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

// MARK: - Frames

extension WebPAnimationEncoder {
    /// The shorter of the ways that a frame may be coded in.
    private func coded(
        _ frame: SubFrame, _ effort: EncodingOptions.Effort, _ work: inout WorkGuard
    ) throws(ImageError) -> CodedSubFrame {
        guard let lossy else { return try losslesslyCoded(frame, effort, &work) }
        let withLoss = try lossilyCoded(frame, lossy, effort, &work)
        // What nobody takes time for mostly shows photographs.
        guard request.options.effort != .fast else { return withLoss }
        let without = try losslesslyCoded(frame, .fast, &work)
        guard without.byteCount < withLoss.byteCount else { return withLoss }
        return effort == .fast ? without : try losslesslyCoded(frame, effort, &work)
    }

    private func lossilyCoded(
        _ frame: SubFrame, _ settings: VP8Encoder.Settings, _ effort: EncodingOptions.Effort, _ work: inout WorkGuard
    ) throws(ImageError) -> CodedSubFrame {
        var settings = settings
        settings.effort = effort
        var encoder = try LossyPictureEncoder(frame.rect.size, settings, meter: request.meter)
        try forEachRow(of: frame, &work) { (row, work) throws(ImageError) in try encoder.add(row, &work) }
        let picture = try encoder.finish(&work)
        var chunks = RIFFWriter()
        chunks.append(picture)
        return CodedSubFrame(chunks: chunks, hasAlpha: picture.alpha != nil)
    }

    private func losslesslyCoded(
        _ frame: SubFrame, _ effort: EncodingOptions.Effort, _ work: inout WorkGuard
    ) throws(ImageError) -> CodedSubFrame {
        var encoder = VP8LEncoder(frame.rect.size, VP8LEncoder.Settings(effort: effort), meter: request.meter)
        try forEachRow(of: frame, &work) { (row, work) throws(ImageError) in try encoder.add(row, &work) }
        let bitstream = try encoder.finish(&work)
        var chunks = RIFFWriter()
        chunks.append(.lossless, bitstream)
        return CodedSubFrame(chunks: chunks, hasAlpha: encoder.hasAlpha, encoder: encoder)
    }

    private func forEachRow(
        of frame: SubFrame, _ work: inout WorkGuard,
        _ body: (RawSpan, inout WorkGuard) throws(ImageError) -> Void
    ) throws(ImageError) {
        var row = try ScratchBuffer(byteCount: 4 * frame.rect.width, meter: request.meter)
        for y in 0..<frame.rect.height {
            try work.spend(frame.rect.width)
            row.withMutableBytes { frame.copyRow(y, into: &$0) }
            try row.withBytes { (row) throws(ImageError) in try body(row, &work) }
        }
    }

    /// Appends a transparent pixel, so that what is shown is shown longer.
    private mutating func appendNothing(_ milliseconds: Int, _ work: inout WorkGuard) throws(ImageError) {
        let pixel = try Bitmap(
            cleared: PixelSize(width: 1, height: 1), format: .rgba, meter: request.meter, work: work)
        let rect = PixelRect(x: 0, y: 0, width: 1, height: 1)
        let frame = SubFrame(rect, .replacement, on: pixel, wanted: pixel)
        let coded = try losslesslyCoded(frame, .fast, &work)
        hasAlpha = true
        try append(FrameChunk(rect, milliseconds: milliseconds, .over, .keep), coded, work)
    }

    private mutating func append(
        _ head: FrameChunk, _ coded: CodedSubFrame, _ work: WorkGuard
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
