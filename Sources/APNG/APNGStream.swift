// The APNG decoder: PNG's stream, with three kinds of chunks read beside it. The pipeline, in order:
//
//   bytes ──▶ chunks (PNG) ──┬─▶ IHDR, PLTE, IDAT, ... ──▶ PNGStream ──▶ the default image
//                            └─▶ acTL, fcTL, fdAT ──▶ frames (FrameAssembly) ──▶ canvas (ImageCore's AnimationEngine)
//
// A file without acTL before its image data is a PNG, and every chunk of it goes to PNG's stream.

package import ImageCodecsCore
import PNGCodec

/// One APNG or PNG file from its signature to its frames; `DecodingSession` drives it.
///
/// Source: PNG 3rd ed. §11.3.6 "Animation information".
package struct APNGStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .png }

    /// What is being read of the animation.
    private enum Part: Sendable {
        /// Nothing, or chunks that are not part of it.
        case none
        /// fcTL was read, its data have not begun.
        case control(FrameControl)
        /// The default image, which is the first frame.
        case image
        /// fdAT chunks; what decodes them, if their pixels are wanted now.
        case frame(Indirect<FrameAssembly>?)
        /// fdAT chunks that belong to no frame, or to one that cannot be read on.
        case skipped
    }

    package var engine: AnimationEngine
    private var still: PNGStream
    /// acTL; `nil` for a picture, and for an animation that is taken for its default image.
    private var control: AnimationControl?
    /// Whether the animation is given up, and a second acTL would change nothing.
    private var isGivenUp = false
    private var sequence = FrameSequence()
    /// A frame control chunk before acTL.
    private var early: FrameControl?
    private var part = Part.none
    private var coding: FrameCoding?
    /// Whether the default image is the first frame; known when the image data begin.
    private var isImageFrame = false
    /// Where the chunk ends that was read last of the frame.
    private var frameEnd = 0
    /// Bytes of a sequence number that the next piece begins with.
    private var numberByteCount = 0
    /// The memory that decoding the frames needs, known when the image data of an animation begin.
    private var estimate: Int?

    /// - Parameter reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) {
        engine = AnimationEngine(request)
        still = PNGStream.make(request, reusable: reusable)
    }

    private var options: DecodingOptions { engine.request.options }

    package var metadata: ImageMetadata { still.metadata }

    /// Whether IEND was read. Awaited even if only the first frame is wanted: metadata may stand after it.
    package var isComplete: Bool { still.isComplete }

    package mutating func recordTrailing(byteCount: Int) { still.recordTrailing(byteCount: byteCount) }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        do throws(ImageError) {
            while !isComplete,
                let step = try still.reader.next(in: bytes, from: &position, offset: offset, work: &work)
            {
                try advance(step, bytes, offset: offset, &work)
            }
        } catch {
            // Rows that wait come before what is wrong.
            try finishImageRows(&work)
            throw error
        }
        try finishImageRows(&work)
        return position
    }

    private mutating func advance(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let control else { return try advanceStill(step, bytes, offset: offset, &work) }
        switch step {
        case .begins(let chunk):
            if try begins(chunk, control, &work) { return }
        case .whole(let chunk, let body, let checksums) where chunk.type == .frameControl:
            return try readControl(chunk, bytes.extracting(body), checksums)
        case .piece(let chunk, let body) where chunk.type == .frameData:
            return try readFrameData(bytes.extracting(body), chunk, offset + body.lowerBound, &work)
        case .piece(let chunk, let body) where chunk.type == .imageData:
            if case .image = part { try engine.keep(bytes.extracting(body), upTo: chunk.end, work: work) }
        case .ends(let chunk, let checksums) where chunk.type == .frameData:
            if !checksums.agree, case .frame = part { try engine.recordDamage(PNGStream.wrongChecksum(of: chunk)) }
            return
        case .ends(let chunk, let checksums):
            guard !checksums.agree else { break }
            // What is wrong with its rows comes before a wrong checksum.
            try finishImageRows(&work)
            if case .image = part { try engine.recordDamage(PNGStream.wrongChecksum(of: chunk)) }
        case .whole, .piece: break
        }
        try advanceImage(step, bytes, offset: offset, &work)
    }

    /// Makes the rows of the default image that wait.
    private mutating func finishImageRows(_ work: inout WorkGuard) throws(ImageError) {
        do throws(ImageError) {
            try still.finishRows(&work)
        } catch {
            try failImage(error, work)
        }
    }

    /// Hands a step to PNG's stream; damaged image data end the default image, not the file.
    private mutating func advanceImage(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        do throws(ImageError) {
            try still.advance(step, bytes, offset: offset, &work)
        } catch {
            guard case .piece = step else { throw error }
            try failImage(error, work)
        }
    }

    private mutating func failImage(_ error: ImageError, _ work: WorkGuard) throws(ImageError) {
        guard control != nil, error.isDamage else { throw error }
        // Rows that wait come before what is wrong.
        var (error, work) = (error, work)
        do throws(ImageError) {
            try still.finishRows(&work)
        } catch let other {
            guard other.isDamage else { throw other }
            error = ImageError.earlier(error, other) ?? error
        }
        if case .image = part { try engine.recordDamage(error) } else { try engine.record(error) }
        try still.endImage(damage: error, work: work)
    }
}

// MARK: - A file that may be an animation

extension APNGStream {
    private mutating func advanceStill(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .begins(let chunk) where isEarlyControl(chunk):
            // It counts if acTL comes after it, and is ignored otherwise.
            still.reader.accept(chunk, .whole)
        case .whole(let chunk, let body, let checksums) where isEarlyControl(chunk):
            guard early == nil, checksums.agree, let header = still.header else { return }
            early = try? FrameControl(bytes.extracting(body), chunk, canvas: header.size)
        case .whole(let chunk, let body, let checksums) where chunk.type == .animationControl && !still.hasImageData:
            if checksums.agree, !isGivenUp { try readAnimationControl(bytes.extracting(body), chunk) }
            try still.advance(step, bytes, offset: offset, &work)
        default: try still.advance(step, bytes, offset: offset, &work)
        }
    }

    private func isEarlyControl(_ chunk: ChunkHeader) -> Bool {
        chunk.type == .frameControl && chunk.length == FrameControl.byteCount && still.header != nil
            && !still.hasImageData
    }

    /// Reads acTL; a tolerant decode takes a file whose acTL is damaged for a PNG.
    private mutating func readAnimationControl(
        _ body: Span<UInt8>, _ chunk: ChunkHeader
    ) throws(ImageError) {
        do throws(ImageError) {
            let control = try AnimationControl(body, chunk)
            if !options.firstFrameOnly { try options.limits.check(frameCount: control.frameCount) }
            self.control = control
        } catch {
            guard options.strictness == .tolerant, error.isDamage else { throw error }
        }
        if let early, control != nil { try beginFrame(early, chunk) }
    }
}

// MARK: - Chunks of an animation

extension APNGStream {
    /// A chunk begins; answers whether it is the animation's alone, or was handed on already.
    private mutating func begins(
        _ chunk: ChunkHeader, _ control: AnimationControl, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        do throws(ImageError) {
            try still.checkImageData(before: chunk, &work)
        } catch {
            try failImage(error, work)
        }
        if case .image = part, chunk.type != .imageData { try endFrame(&work) }
        switch chunk.type {
        case .animationControl where !still.hasImageData:
            try engine.record(
                .corrupt(.png, .apngAnimationControl, offset: chunk.offset, reason: "a second acTL"))
            return true
        case .frameControl: try beginControl(chunk, &work)
        case .frameData: try beginFrameData(chunk, &work)
        case .imageData:
            if !still.hasImageData { try beginImage(chunk, &work) }
            if case .image = part { try engine.keep(Span(), upTo: chunk.end, work: work) }
            return false
        case .imageEnd:
            try endFrames(chunk, control, &work)
            return false
        default: return false
        }
        return true
    }

    private mutating func beginControl(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        try endFrame(&work)
        if case .control = part { try engine.skipFrame(noData(chunk)) }
        part = .skipped
        guard chunk.length == FrameControl.byteCount else {
            return try skipFrame(
                .corrupt(
                    .png, .apngFrameControl, offset: chunk.offset,
                    reason: "fcTL of \(chunk.length) bytes instead of 26"))
        }
        still.reader.accept(chunk, .whole)
    }

    private func noData(_ chunk: ChunkHeader) -> ImageError {
        .corrupt(
            .png, .apngFrameDataShort, offset: chunk.offset, reason: "\(chunk.type.name) after fcTL without data")
    }

    private mutating func readControl(
        _ chunk: ChunkHeader, _ body: Span<UInt8>, _ checksums: ChunkChecksums
    ) throws(ImageError) {
        guard let header = still.header else { return }
        guard checksums.agree else { return try engine.skipFrame(PNGStream.wrongChecksum(of: chunk)) }
        let control: FrameControl
        do throws(ImageError) {
            control = try FrameControl(body, chunk, canvas: header.size)
        } catch {
            return try skipFrame(error)
        }
        try beginFrame(control, chunk)
    }

    /// A frame whose control chunk is not valid is missing.
    private mutating func skipFrame(_ error: ImageError) throws(ImageError) {
        if still.hasImageData { try engine.skipFrame(error) } else { try giveUp(error) }
    }

    /// The control chunk of the default image does not go with it: what is left is a picture that is not animated.
    ///
    /// - Throws: the error, unless damage is tolerated.
    private mutating func giveUp(_ error: ImageError) throws(ImageError) {
        try engine.record(error)
        still.recordDamage(error)
        (control, early, part, isGivenUp) = (nil, nil, .none, true)
    }

    /// Checks the sequence number of a frame control chunk; its data are expected next.
    private mutating func beginFrame(_ control: FrameControl, _ chunk: ChunkHeader) throws(ImageError) {
        if let error = sequence.advance(to: control.sequenceNumber, chunk) { try engine.skipFrame(error) }
        part = .control(control)
    }

    /// The image data begin: the first frame, if fcTL comes before them.
    private mutating func beginImage(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        guard let header = still.header else { return }
        coding = FrameCoding(still, options)
        engine.beginCanvas(header.size)
        engine.orientation = still.metadata.orientation
        defer { estimate = Self.framesEstimate(header, options, isStill: options.firstFrameOnly && isImageFrame) }
        guard case .control(let control) = part else {
            if options.firstFrameOnly { still.imageUse = .none }
            return
        }
        guard control.rect == PixelRect(header.size) else {
            return try giveUp(
                .corrupt(
                    .png, .apngFrameControl, offset: chunk.offset,
                    reason: "a first frame of \(control.rect) pixels for image data of \(header.size)"))
        }
        isImageFrame = true
        if still.imageUse == .picture, engine.wantsCanvas {
            still.imageUse = .pictureAndCanvas(try canvasFormat(header.size))
        }
        try beginFrame(control, chunk, mayBeDrawn: false, &work)
        try work.beginFrame(0, control.rect)
        part = .image
    }

    private func canvasFormat(_ size: PixelSize) throws(ImageError) -> PixelFormat {
        try AnimationOutput.canvasFormat(size: size, orientation: engine.orientation, options: options)
    }

    /// What decoding an animation takes besides its default image.
    ///
    /// - Parameter isStill: whether that is all that is wanted.
    private static func framesEstimate(_ header: ImageHeader, _ options: DecodingOptions, isStill: Bool) -> Int {
        guard !isStill else { return 0 }
        var estimate = MemoryEstimate(byteCount: FrameAssembly.byteCount(header, size: header.size))
        let order: RowOrder = header.isInterlaced ? .passes : .topToBottom
        try? estimate.addFrames(canvas: header.size, savesPixels: true, order: order, options: options)
        return estimate.byteCount
    }

    private mutating func beginFrame(
        _ control: FrameControl, _ chunk: ChunkHeader, mayBeDrawn: Bool, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let coding, let stated = self.control?.frameCount else { return }
        if engine.begunCount >= stated {
            try engine.record(
                .corrupt(
                    .png, .apngFrameCount, offset: frameEnd, reason: "more frames than the \(stated) of acTL"))
        }
        let info = FrameInfo(
            rect: control.rect, duration: control.duration, disposal: control.disposal, blending: control.blending,
            isOpaque: !coding.layout.hasAlpha)
        let isKept = engine.request.purpose == .incremental
        var firstCanvas: AnimationCanvas?
        if mayBeDrawn, engine.begunCount == 1, engine.drawsNext, let size = still.header?.size {
            firstCanvas = try handOverFirstCanvas(canvasFormat(size), work: work)
        }
        try engine.beginFrame(
            info, APNGFrame(coding: coding), at: isKept ? chunk.bodyOffset : chunk.offset, mayBeDrawn: mayBeDrawn,
            firstCanvas: firstCanvas, work: &work)
    }

    private mutating func beginFrameData(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        do throws(ImageError) {
            try checkOrder(chunk)
        } catch {
            part = .skipped
            return try engine.record(error)
        }
        switch part {
        case .control(let control):
            part = .skipped
            try beginFrame(control, chunk, mayBeDrawn: engine.request.purpose == .incremental || wantsOtherFrame, &work)
            let size = control.rect.size
            let assembly = engine.wantsRows ? try coding?.assembly(size: size, meter: engine.request.meter) : nil
            part = .frame(assembly.map { Indirect($0) })
        case .frame: break
        case .none, .image, .skipped: break
        }
        frameEnd = chunk.end
        numberByteCount = FrameSequence.numberByteCount
        still.reader.accept(chunk, engine.wantsBytes ? .pieces(leading: numberByteCount) : .start(numberByteCount))
    }

    /// Throws for fdAT that is too short, or before the image data, or without fcTL before it.
    private func checkOrder(_ chunk: ChunkHeader) throws(ImageError) {
        func wrong(_ reason: String) -> ImageError {
            .corrupt(.png, .apngFrameData, offset: chunk.offset, reason: reason)
        }
        guard still.hasImageData else { throw wrong("fdAT before the image data") }
        guard chunk.length >= FrameSequence.numberByteCount else {
            throw wrong("fdAT of \(chunk.length) bytes has no sequence number")
        }
        switch part {
        case .none, .image: throw wrong("fdAT without fcTL before it")
        case .control, .frame, .skipped: break
        }
    }

    private mutating func readFrameData(
        _ piece: Span<UInt8>, _ chunk: ChunkHeader, _ offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        if numberByteCount > 0, let error = sequence.advance(to: piece.bigEndianUInt32(at: 0), chunk) {
            try skipRest(error, &work)
        }
        let data = piece.extracting(droppingFirst: numberByteCount)
        let offset = offset + numberByteCount
        numberByteCount = 0
        guard case .frame(var assembly) = part else { return }
        try engine.keep(data, upTo: chunk.end, work: work)
        guard engine.wantsRows else { return }
        // Out of `self` for the call, so that the buffers in it are not shared.
        part = .none
        defer { part = .frame(assembly) }
        do throws(ImageError) {
            try assembly?.value.decode(data, offset: offset, into: &engine, work: &work)
            try assembly?.value.finishRows(into: &engine, work: &work)
        } catch {
            let end = try assembly?.value.finishDamaged(error, into: &engine, work: &work)
            assembly = nil
            if end?.isWhole == true {
                try engine.recordDamage(error)
            } else {
                try engine.failRows(end?.damage ?? error, work: &work)
            }
        }
    }

    /// Records that data of a frame are missing, ends the frame, and skips the rest of its data.
    private mutating func skipRest(_ error: ImageError, _ work: inout WorkGuard) throws(ImageError) {
        if case .frame = part {
            try engine.failRows(error, work: &work)
            try engine.endFrame(work: &work)
        } else {
            try engine.record(error)
        }
        part = .skipped
    }

    /// Ends the frame that is being read, if there is one.
    private mutating func endFrame(_ work: inout WorkGuard) throws(ImageError) {
        switch part {
        case .none, .control, .skipped: return
        case .image: break
        case .frame(let assembly):
            guard engine.wantsRows else { break }
            do throws(ImageError) {
                try assembly?.value.end(offset: frameEnd)
            } catch {
                if assembly?.value.isWhole == true {
                    try engine.recordDamage(error)
                } else {
                    try engine.failRows(error, work: &work)
                }
            }
        }
        part = .none
        try engine.endFrame(work: &work)
    }

    /// IEND: every frame has to be there.
    private mutating func endFrames(
        _ chunk: ChunkHeader, _ control: AnimationControl, _ work: inout WorkGuard
    ) throws(ImageError) {
        if case .control = part, still.hasImageData { try engine.skipFrame(noData(chunk)) }
        try endFrame(&work)
        guard engine.begunCount < control.frameCount else { return }
        try engine.record(
            .corrupt(
                .png, .apngFrameCount, offset: chunk.offset,
                reason: "\(engine.begunCount) frames instead of the \(control.frameCount) of acTL"))
    }
}

// MARK: - Results

extension APNGStream {
    /// Whether the picture wanted is a frame that is not the default image.
    private var wantsOtherFrame: Bool {
        options.firstFrameOnly && control != nil && still.hasImageData && !isImageFrame
    }

    /// What ``info`` says: that of a still picture is there already.
    package var description: Indirect<ImageInfo>? { control == nil ? still.description : info.map { Indirect($0) } }

    /// What the headers say; known once the image data begin.
    package var info: ImageInfo? {
        guard var info = still.info else { return nil }
        guard let control else { return info }
        info.format = .apng
        info.hasUndecodedAnimation = false
        info.animation = ImageInfo.Animation(frameCount: control.frameCount, loopCount: control.playCount)
        info.estimatedPeakByteCount = info.estimatedPeakByteCount.addingSaturated(estimate ?? 0)
        if wantsOtherFrame, let plan = otherPlan {
            (info.decodedSize, info.decodedFormat) = (plan.resultSize, plan.format)
        }
        return info
    }

    /// How a first frame is delivered that is not the default image.
    private var otherPlan: OutputPlan? {
        guard let header = still.header else { return nil }
        return try? AnimationOutput.plan(size: header.size, orientation: still.metadata.orientation, options: options)
    }

    package mutating func makeUnique() throws(ImageError) {
        try still.makeUnique()
        try engine.makeUnique()
        guard case .frame(var assembly?) = part else { return }
        part = .none
        defer { part = .frame(assembly) }
        try assembly.value.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        try engine.end(damage: damage, keepsCanvas: wantsOtherFrame, work: work)
        // What is wrong with a frame is not wrong with the default image.
        let isOfImage = control == nil || !still.isImageWhole
        try still.end(damage: isOfImage ? damage : nil, work: work)
        part = .none
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard wantsOtherFrame, let size = still.header?.size, let canvas = engine.canvasBitmap else {
            return try still.finalPicture(work: work)
        }
        let output = try AnimationOutput(
            size: size, orientation: metadata.orientation, options: options, meter: engine.request.meter, work: work)
        var (reusable, work) = (Bitmap.empty, work)
        return try output.picture(of: canvas, reusable: &reusable, work: &work)
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        if engine.showsCanvas { return try engine.partialPicture(work: work) }
        return try still.partialPicture(work: work)
    }

    package var hasCostlyPartialPictures: Bool {
        engine.showsCanvas ? engine.hasCostlyPartialPictures : still.hasCostlyPartialPictures
    }

    package var hasPicture: Bool {
        if wantsOtherFrame { return engine.hasPicture }
        return still.hasPicture || (control != nil && engine.begunCount > 1)
    }

    package mutating func drainChanges() -> PixelRect? {
        let ofImage = still.drainChanges()
        let ofFrames = engine.drainChanges(resultSize: still.info?.decodedSize)
        return ofFrames ?? ofImage
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        let ofImage = still.partialReport(isEnded: isEnded)
        guard control != nil, let height = still.header?.size.height, still.hasImageData else { return ofImage }
        let ofFrames = engine.partialReport(
            isEnded: isEnded, isComplete: isComplete, announcedCount: control?.frameCount)
        guard var report = ofFrames ?? ofImage else { return nil }
        report.frames =
            report.frames ?? PartialReport.Progress(done: engine.endedCount, total: control?.frameCount ?? 0)
        report.passes = ofImage?.passes
        report.cause = ImageError.earlier(ofImage?.cause, report.cause)
        report.rows = ofImage?.rows ?? [0..<height]
        if wantsOtherFrame { report.rows = engine.isFirstWhole ? [0..<height] : [] }
        if engine.showsCanvas, !isEnded, !wantsOtherFrame { report.rows = [] }
        return report
    }

    package var otherFrameCount: Int { engine.begunCount - (isImageFrame ? 1 : 0) }

    package mutating func handOverFirstCanvas(
        _ format: PixelFormat, work: WorkGuard
    ) throws(ImageError) -> AnimationCanvas? {
        guard isImageFrame, let bitmap = try still.handOverCanvas(format, work: work) else { return nil }
        return engine.canvas(bitmap, rowCount: still.canvasRowCount)
    }
}
