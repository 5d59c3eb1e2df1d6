// The APNG decoder: PNG's stream, with three kinds of chunks read beside it. The pipeline, in order:
//
//   bytes ──▶ chunks (PNG) ──┬─▶ IHDR, PLTE, IDAT, ... ──▶ PNGStream ──▶ the default image
//                            └─▶ acTL, fcTL, fdAT ──▶ frames (FrameAssembly) ──▶ canvas (ImageCore's compositor)
//
// A file without acTL in front of its image data is a PNG, and every chunk of it goes to PNG's stream.

package import ImageCore
import PNG

/// One APNG or PNG file from its signature to its frames; `DecodingSession` drives it.
///
/// Source: PNG 3rd ed. §11.3.6 "Animation information".
package struct APNGStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .png }

    /// What is being read of the animation.
    enum Current: Sendable {
        /// Nothing, or chunks that are not part of it.
        case none
        /// fcTL was read, its data have not begun.
        case control(FrameControl)
        /// The default image, which is the first frame.
        case image(CompositionPlan.Frame)
        /// fdAT chunks; what decodes them, where their pixels are wanted now.
        case frame(CompositionPlan.Frame, FrameAssembly?)
    }

    package let request: DecodingRequest
    var still: PNGStream
    var control: AnimationControl?
    private var order = FrameDataStream()
    /// A frame control chunk in front of acTL.
    private var early: FrameControl?
    var current = Current.none
    /// Where the chunks of the frame that is being read lie.
    private var chunkRange = 0..<0
    /// Bytes of a sequence number that the next piece begins with.
    private var numberByteCount = 0
    var frames: APNGFrames?
    var facts: APNGFacts?
    /// What the description tells besides of the frame that is being read, as it was renewed last.
    var aheadByteCount = 0
    var keeper: FrameByteKeeper
    var live: LiveAnimation?
    var isPictureBack = false
    package var snapshots = AnimationSnapshots()
    var damage: ImageError?

    /// - Parameter donor: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, donor: consuming Bitmap? = nil) {
        self.request = request
        still = PNGStream(request, donor: donor)
        keeper = FrameByteKeeper(keeps: request.keepsFrames, meter: request.meter)
    }

    package var metadata: ImageMetadata { still.metadata }

    /// Whether IEND was read. Also where the first frame alone is wanted: behind it may stand how it has to be turned.
    package var isComplete: Bool { still.isComplete }

    /// Whether the picture wanted is a frame that is not the default image.
    var wantsOtherFrame: Bool {
        request.options.firstFrameOnly && control != nil && still.hasImageData && !isImageFrame
    }

    /// Whether the default image is the first frame; known when the image data begin.
    private var isImageFrame = false

    /// Reads as many whole units as there are.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        do throws(ImageError) {
            while !isComplete,
                let step = try still.reader.next(in: bytes, from: &position, offset: offset, work: &work)
            {
                try take(step, bytes, offset: offset, &work)
            }
        } catch {
            // Rows that wait come in front of what is wrong.
            try still.finishRows(&work)
            throw error
        }
        try still.finishRows(&work)
        return position
    }

    private mutating func take(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .begins(let chunk):
            if try beginsOwn(chunk, step, bytes, offset: offset, &work) { return }
        case .whole(let chunk, let body, let checksums):
            if try readOwn(chunk, bytes.extracting(body), checksums) { return }
        case .piece(let chunk, let body):
            if chunk.type == .frameData, control != nil {
                return try takeFrameData(bytes.extracting(body), chunk, offset + body.lowerBound, &work)
            }
            if chunk.type == .imageData, case .image = current {
                try noteBytes(body.count)
                try keeper.take(bytes.extracting(body), work: work)
            }
        case .ends(let chunk, let checksums):
            if chunk.type == .frameData, control != nil {
                guard checksums.agree || request.options.strictness == .tolerant else {
                    throw PNGStream.wrongChecksum(of: chunk)
                }
                return
            }
        }
        try still.advance(step, bytes, offset: offset, &work)
        if case .whole = step { try renew() }
    }
}

// MARK: - Chunks

extension APNGStream {
    /// Takes a chunk that begins; answers whether it is one of the animation's, or was handed on already.
    private mutating func beginsOwn(
        _ chunk: ChunkHeader, _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard control != nil else { return try beginsEarly(chunk) }
        try still.checkImageData(before: chunk, &work)
        if case .image = current, chunk.type != .imageData { try endFrame(&work) }
        switch chunk.type {
        case .animationControl where !still.hasImageData:
            throw .corrupt(.png, .apngAnimationControl, offset: chunk.offset, reason: "a second acTL")
        case .frameControl:
            try beginControl(chunk, &work)
            return true
        case .frameData:
            try beginFrameData(chunk, &work)
            return true
        case .imageData:
            try beginImageData(chunk, step, bytes, offset: offset, &work)
            return true
        case .imageEnd:
            try endFrames(chunk, &work)
            return false
        default: return false
        }
    }

    /// Takes a chunk of a file of which it is not known yet whether it is animated; answers whether it was handed on.
    private mutating func beginsEarly(_ chunk: ChunkHeader) throws(ImageError) -> Bool {
        guard still.header != nil, !still.hasImageData else { return false }
        switch chunk.type {
        case .frameControl where chunk.length == FrameControl.byteCount:
            // It counts if acTL comes behind it, and is nobody's business otherwise.
            still.reader.take(chunk, .whole)
            return true
        default: return false
        }
    }

    /// Reads acTL and fcTL; answers whether the chunk is the animation's alone.
    private mutating func readOwn(
        _ chunk: ChunkHeader, _ body: Span<UInt8>, _ checksums: ChunkChecksums
    ) throws(ImageError) -> Bool {
        switch chunk.type {
        case .animationControl where control == nil && !still.hasImageData && checksums.agree:
            guard let control = try animationControl(body, chunk) else { return false }
            let limits = request.options.limits
            if !request.options.firstFrameOnly { try limits.check(frameCount: control.frameCount) }
            self.control = control
            if let early { try begin(early, chunk) }
            return false
        case .frameControl where control != nil:
            guard checksums.agree else { throw PNGStream.wrongChecksum(of: chunk) }
            guard let header = still.header else { return true }
            try begin(FrameControl(body, chunk, canvas: header.size), chunk)
            return true
        case .frameControl where !still.hasImageData && chunk.length == FrameControl.byteCount:
            if early == nil, checksums.agree, let header = still.header {
                early = try? FrameControl(body, chunk, canvas: header.size)
            }
            return true
        default: return false
        }
    }

    /// Reads acTL; a tolerant decode takes a file whose acTL is damaged for a PNG.
    private func animationControl(
        _ body: Span<UInt8>, _ chunk: ChunkHeader
    ) throws(ImageError) -> AnimationControl? {
        do throws(ImageError) {
            return try AnimationControl(body, chunk)
        } catch {
            guard request.options.strictness == .tolerant else { throw error }
            return nil
        }
    }

    /// Takes a frame control chunk in its turn.
    private mutating func begin(_ frame: FrameControl, _ chunk: ChunkHeader) throws(ImageError) {
        try order.take(frame.sequenceNumber, chunk)
        current = .control(frame)
    }

    private mutating func beginControl(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        try endFrame(&work)
        if case .control = current { throw noData(chunk) }
        guard chunk.length == FrameControl.byteCount else {
            throw .corrupt(
                .png, .apngFrameControl, offset: chunk.offset, reason: "fcTL of \(chunk.length) bytes instead of 26")
        }
        still.reader.take(chunk, .whole)
    }

    private func noData(_ chunk: ChunkHeader) -> ImageError {
        .corrupt(.png, .apngFrameDataShort, offset: chunk.offset, reason: "\(chunk.type.name) behind fcTL without data")
    }

    /// The image data: the first frame where fcTL stands in front of them.
    private mutating func beginImageData(
        _ chunk: ChunkHeader, _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        if !still.hasImageData, let header = still.header, let layout = still.layout {
            facts = APNGFacts(header, request)
            frames = APNGFrames(header, layout, paletteCount: still.checkedPaletteCount, request: request)
            if case .control(let control) = current {
                guard control.rect == PixelRect(header.size) else {
                    throw .corrupt(
                        .png, .apngFrameControl, offset: chunk.offset,
                        reason: "a first frame of \(control.rect) pixels for image data of \(header.size)")
                }
                isImageFrame = true
                current = .image(try begin(control))
                chunkRange = chunk.offset..<chunk.offset
                keeper.begin(at: chunk.bodyOffset)
            } else if request.options.firstFrameOnly {
                still.decodesImageData = false
            }
        }
        try still.advance(step, bytes, offset: offset, &work)
        if case .image = current {
            chunkRange = chunkRange.lowerBound..<chunk.end
            facts?.note(chunk)
        }
        try renew()
    }

    private mutating func beginFrameData(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        guard still.hasImageData else {
            throw .corrupt(.png, .apngFrameData, offset: chunk.offset, reason: "fdAT in front of the image data")
        }
        guard chunk.length >= FrameDataStream.numberByteCount else {
            throw .corrupt(
                .png, .apngFrameData, offset: chunk.offset,
                reason: "fdAT of \(chunk.length) bytes has no sequence number")
        }
        switch current {
        case .control(let control):
            let frame = try begin(control)
            chunkRange = chunk.offset..<chunk.end
            keeper.begin(at: chunk.bodyOffset)
            current = .frame(frame, nil)
            try renew()
            current = .frame(frame, try beginDecoding(frame, &work))
        case .frame: chunkRange = chunkRange.lowerBound..<chunk.end
        case .none, .image:
            throw .corrupt(.png, .apngFrameData, offset: chunk.offset, reason: "fdAT without fcTL before it")
        }
        facts?.note(chunk)
        try renew()
        numberByteCount = FrameDataStream.numberByteCount
        still.reader.take(chunk, wantsFrameData ? .pieces(leading: numberByteCount) : .start(numberByteCount))
    }

    /// Whether the data of the frame that is being read are decoded now, or kept. Where the first frame alone is wanted,
    /// nobody asks for the data of others, however the file is read.
    private var wantsFrameData: Bool {
        if case .frame(_, .some) = current { return true }
        guard request.purpose == .incremental else { return false }
        return !request.options.firstFrameOnly || frames?.plan.count == 0
    }

    /// Plans a frame.
    private mutating func begin(_ control: FrameControl) throws(ImageError) -> CompositionPlan.Frame {
        let count = frames?.plan.count ?? 0
        let stated = self.control?.frameCount ?? 0
        guard count < stated else {
            throw .corrupt(
                .png, .apngFrameCount, offset: chunkRange.upperBound, reason: "more frames than the \(stated) of acTL")
        }
        let info = FrameInfo(
            rect: control.rect, duration: control.duration, disposal: control.disposal, blending: control.blending,
            isOpaque: !(still.layout?.hasAlpha ?? true))
        facts?.begin(info)
        guard let frame = frames?.plan.planned(info) else { throw .invalidArgument("a frame without a header") }
        return frame
    }

    /// Makes what decodes a frame while it is read, where its pixels are wanted now.
    private mutating func beginDecoding(
        _ frame: CompositionPlan.Frame, _ work: inout WorkGuard
    ) throws(ImageError) -> FrameAssembly? {
        let isWanted =
            request.options.firstFrameOnly
            ? wantsOtherFrame && request.purpose.decodesPixels && frames?.plan.count == 0
            : request.purpose == .incremental
        guard isWanted, let frames else { return nil }
        if live == nil {
            live = try LiveAnimation(
                size: frames.plan.canvasSize, orientation: still.metadata.orientation, options: request.options,
                meter: request.meter, work: work)
        }
        try live?.begin(frame, frames.rows, behind: frames, work: &work)
        return try frames.assembly(size: frame.info.rect.size)
    }

    private mutating func takeFrameData(
        _ piece: Span<UInt8>, _ chunk: ChunkHeader, _ offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        if numberByteCount > 0 { try order.take(piece.bigEndianUInt32(at: 0), chunk) }
        let data = piece.extracting(droppingFirst: numberByteCount)
        let offset = offset + numberByteCount
        numberByteCount = 0
        try noteBytes(data.count)
        try keeper.take(data, work: work)
        guard case .frame(let frame, var assembly?) = current, var drawn = live.take() else { return }
        // Out of `self` for the call, so that the buffers in them are not shared.
        current = .none
        defer { (current, live) = (.frame(frame, assembly), drawn) }
        try assembly.decode(data, offset: offset, into: &drawn, work: &work)
        try assembly.finishRows(into: &drawn, work: &work)
    }

    /// Ends the frame that is being read, if there is one.
    private mutating func endFrame(_ work: inout WorkGuard) throws(ImageError) {
        let frame: CompositionPlan.Frame
        switch current {
        case .none, .control: return
        case .image(let first): frame = first
        case .frame(let next, let assembly):
            frame = next
            try assembly?.end(offset: chunkRange.upperBound)
        }
        if let kept = try frames?.take(&keeper, work: work) {
            let added = try frames?.append(frame, kept.isKept ? kept : .file(chunkRange))
            if let added { try live?.end(added, work: &work) }
        }
        current = .none
        facts?.endFrame()
        try renew()
    }

    /// IEND: every frame has to be there.
    private mutating func endFrames(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        if case .control = current, still.hasImageData { throw noData(chunk) }
        try endFrame(&work)
        guard let frames, let control, frames.plan.count < control.frameCount else { return }
        throw .corrupt(
            .png, .apngFrameCount, offset: chunk.offset,
            reason: "\(frames.plan.count) frames instead of the \(control.frameCount) of acTL")
    }
}
