// The WebP decoder: a state machine over chunks. The pipeline, in order:
//
//   bytes ──▶ chunks (Container/) ──▶ ALPH (Alpha/) ──┐
//                                 └─▶ VP8, VP8L (Output/PayloadDecoder) ──┴──▶ rows (Output/FrameDecoder)
//         ──▶ pictures and frames (ImageCore's AnimationEngine)

package import ImageCodecsCore

/// One WebP file from its head to its frames; `DecodingSession` drives it.
///
/// Source: RFC 9649 "WebP Image Format" (2024).
package struct WebPStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .webP }

    /// A picture whose chunks are being read: a still, or what is in a frame.
    private struct Picture: Sendable {
        /// The head of the frame that it is; `nil` for a still.
        let head: FrameChunk?
        /// Where the frame's chunks begin in the file.
        let offset: Int
        /// Decodes its rows, if they are wanted now.
        var decoder: WebPFrameDecoder?
        var alphaChunkCount = 0
        /// The header of its bitstream, once that was read.
        var header: PictureHeader?
    }

    /// Which part of the file is being read.
    private enum Stage: Sendable {
        /// No chunk was read.
        case head
        /// The picture of a still is expected, or the next frame.
        case pictures
        /// In a picture.
        case picture(Picture)
        /// In a frame of which nothing more is read.
        case skippedFrame
        /// After the picture of a still.
        case metadata
    }

    package var engine: AnimationEngine
    private var reader = RIFFReader()
    private var part = Stage.head
    /// The extended header; `nil` for files of one picture without.
    private var extended: ExtendedHeader?
    private var animationHeader: AnimationHeader?
    private var metadataChunks: WebPMetadataChunks
    /// What the chunks say, but for what they say of an animation; known once the first picture begins.
    package private(set) var description: Indirect<ImageInfo>?
    /// What the rows of the first picture are delivered as.
    private var firstLayout: SampleLayout?
    /// The first byte of the current frame that was not kept.
    private var unkept = 0
    /// Whether the file was read to its end. Awaited even if only the first frame is wanted: its orientation may
    /// stand after it.
    package private(set) var isComplete = false

    /// - Parameters:
    ///   - request: what is wanted.
    ///   - reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) {
        engine = AnimationEngine(request, reusable: reusable)
        metadataChunks = WebPMetadataChunks(request)
    }

    private var options: DecodingOptions { engine.request.options }

    package var metadata: ImageMetadata { metadataChunks.metadata }

    /// Whether the file says that it is an animation; then only frames are looked at.
    private var isAnimation: Bool { extended?.flags.contains(.animation) ?? false }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete, let step = try nextStep(bytes, &position, offset, &work) {
            if case .stream(let chunk, let body, let isLast) = step {
                let used = try consume(
                    bytes.extracting(body), of: chunk, offset: offset + body.lowerBound, isLast: isLast,
                    isFinal: isFinal, &work)
                guard let used else { continue }
                position += used
                // If bytes are left, more have to come first.
                if !isLast, used < body.count || body.isEmpty { break }
            } else {
                try advance(step, bytes, position: position, offset: offset, &work)
            }
        }
        // Of a frame that is cut off the last bytes are decoded, too.
        try keepBytes(bytes, offset: offset, upTo: offset + (isFinal ? bytes.count : position), work)
        return position
    }

    /// The next step; a frame whose chunks do not fit into it is damaged, and read no further.
    private mutating func nextStep(
        _ bytes: Span<UInt8>, _ position: inout Int, _ offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> RIFFReader.Step? {
        do throws(ImageError) {
            return try reader.next(in: bytes, from: &position, offset: offset, work: &work)
        } catch {
            guard reader.frame != nil else { throw error }
            try failFrame(error, &work)
            reader.skipFrame()
            return try reader.next(in: bytes, from: &position, offset: offset, work: &work)
        }
    }

    private mutating func advance(
        _ step: RIFFReader.Step, _ bytes: Span<UInt8>, position: Int, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .file, .stream: break
        case .begins(let chunk):
            guard reader.frame != nil else { return try beginChunk(chunk, &work) }
            do throws(ImageError) {
                try beginInFrame(chunk)
            } catch {
                try failFrame(error, &work)
            }
        case .first(let chunk, let body): try read(chunk, bytes.extracting(body))
        case .frame(_, let body):
            let head = FrameChunk(bytes.extracting(body))
            unkept = offset + position
            part = .picture(Picture(head: head, offset: unkept, decoder: makeDecoder()))
        case .frameEnds(let chunk):
            try keepBytes(bytes, offset: offset, upTo: offset + position, work)
            try endFrame(chunk, &work)
        case .ends:
            guard description != nil else {
                throw .corrupt(.webP, .webpImageMissing, offset: offset + position, reason: "no picture")
            }
            isComplete = true
        }
    }

    /// Hands bytes that were read of the current frame to the engine.
    private mutating func keepBytes(
        _ bytes: Span<UInt8>, offset: Int, upTo end: Int, _ work: WorkGuard
    ) throws(ImageError) {
        guard case .picture(let picture) = part, picture.head != nil, unkept < end else { return }
        try engine.keep(bytes.extracting(unkept - offset..<end - offset), upTo: end, work: work)
        unkept = end
    }

    /// What decodes the next frame while it is read, if its rows are wanted now.
    private func makeDecoder() -> WebPFrameDecoder? {
        engine.drawsNext ? WebPFrameDecoder(threads: options.maxThreadCount, meter: engine.request.meter) : nil
    }

    /// Lets `body` change the picture that is being read, out of `self`, so that the buffers in it are not shared.
    private mutating func withPicture<R>(
        _ body: (inout Picture, inout AnimationEngine) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        guard case .picture(var picture) = part else { return nil }
        part = .pictures
        defer { part = .picture(picture) }
        return try body(&picture, &engine)
    }

    /// Records damage of the frame that is being read; the rest of the frame is not decoded.
    ///
    /// - Throws: the error, unless damage is tolerated.
    private mutating func failFrame(_ error: ImageError, _ work: inout WorkGuard) throws(ImageError) {
        guard error.isDamage else { throw error }
        guard case .picture(let picture) = part else { return }
        if picture.header == nil {
            try skip(picture, error, &work)
            part = .skippedFrame
        } else {
            try engine.failRows(error, work: &work)
            try withPicture { (picture, _) throws(ImageError) in picture.decoder = nil }
        }
    }
}

// MARK: - Chunks

extension WebPStream {
    /// A frame cannot be read; its alpha, if that was decoded, counts as pixels of a frame.
    ///
    /// - Throws: the error, unless damage is tolerated.
    private mutating func skip(
        _ picture: Picture, _ error: ImageError, _ work: inout WorkGuard
    ) throws(ImageError) {
        if picture.alphaChunkCount > 0, picture.decoder != nil, let rect = picture.head?.rect {
            try work.countFramePixels(rect.size)
        }
        try engine.skipFrame(error)
    }

    /// A chunk of the file begins.
    private mutating func beginChunk(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        if case .head = part { return try beginFirst(chunk, &work) }
        switch chunk.type {
        case .lossy, .lossless, .alpha: try beginStill(chunk, &work)
        case .extended where isAnimation: try engine.record(Self.misplaced(chunk))
        case .animation where isAnimation && animationHeader == nil:
            reader.accept(chunk, .first(AnimationHeader.byteCount))
        case .frame where isAnimation: try beginFrame(chunk)
        default:
            guard extended != nil, try metadataChunks.wants(chunk) else { return }
            reader.accept(chunk, .first(chunk.byteCount))
        }
    }

    private mutating func beginFirst(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        part = .pictures
        switch chunk.type {
        case .lossy, .lossless: try beginStill(chunk, &work)
        case .extended: reader.accept(chunk, .first(ExtendedHeader.byteCount))
        default: throw Self.misplaced(chunk)
        }
    }

    private static func misplaced(_ chunk: RIFFChunk) -> ImageError {
        .corrupt(.webP, .webpChunkOrder, offset: chunk.offset, reason: "\(chunk.type.name) stands where it must not")
    }

    /// Begins the picture of a still, or its alpha; pictures after the first are skipped.
    private mutating func beginStill(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        guard !isAnimation else { return try engine.record(Self.misplaced(chunk)) }
        if case .metadata = part { return }
        if case .pictures = part { part = .picture(Picture(head: nil, offset: 0, decoder: makeDecoder())) }
        guard chunk.type == .alpha else { return reader.accept(chunk, .stream) }
        guard let extended else { return }
        // As in libwebp the last one counts; each is a plane to decode, so their number is limited.
        guard alphaChunkCount < Self.largestAlphaChunkCount else { throw Self.misplaced(chunk) }
        let plan = try Self.plan(
            size: extended.canvasSize, hasAlpha: true, layout: .bgra, metadata.orientation, engine.request)
        try beginAlpha(chunk, size: extended.canvasSize, first: plan)
    }

    private static let largestAlphaChunkCount = 3

    /// ALPH chunks of the picture that is being read.
    private var alphaChunkCount: Int { if case .picture(let picture) = part { picture.alphaChunkCount } else { 0 } }

    /// - Parameter plan: how the picture will be delivered, if it is the first.
    private mutating func beginAlpha(
        _ chunk: RIFFChunk, size: PixelSize, first plan: OutputPlan?
    ) throws(ImageError) {
        // No lossy picture is larger; what follows will be refused, or has its own alpha.
        let isPossible = max(size.width, size.height) <= PictureHeader.largestLossySide
        if isPossible, let plan {
            var estimate = MemoryEstimate(plan, layout: .bgra)
            estimate.add(WebPFrameDecoder.byteCount(lossy: size, hasAlpha: true, threads: options.maxThreadCount))
            try engine.request.admit(estimate.byteCount)
        }
        let begins = try withPicture { (picture, _) throws(ImageError) in
            picture.alphaChunkCount += 1
            guard isPossible, picture.decoder != nil else { return false }
            try picture.decoder?.beginAlpha(size: size)
            return true
        }
        if begins == true { reader.accept(chunk, .stream) }
    }

    private mutating func beginFrame(_ chunk: RIFFChunk) throws(ImageError) {
        if animationHeader == nil { try engine.record(Self.misplaced(chunk)) }
        guard chunk.byteCount >= FrameChunk.byteCount else {
            return try engine.skipFrame(
                .corrupt(.webP, .webpChunkSize, offset: chunk.offset, reason: "ANMF of \(chunk.byteCount) bytes"))
        }
        reader.accept(chunk, .frame)
    }

    /// A chunk in a frame begins.
    private mutating func beginInFrame(_ chunk: RIFFChunk) throws(ImageError) {
        guard case .picture(let picture) = part, let head = picture.head, let extended else { return }
        switch chunk.type {
        case .alpha:
            guard picture.alphaChunkCount == 0, picture.header == nil else { throw Self.misplaced(chunk) }
            try Self.check(head.rect, chunk, canvas: extended.canvasSize)
            var first: OutputPlan?
            if description == nil {
                first = try Self.plan(
                    size: extended.canvasSize, hasAlpha: true, layout: .bgra, metadata.orientation, engine.request)
            }
            try beginAlpha(chunk, size: head.rect.size, first: first)
        case .lossless where picture.alphaChunkCount > 0: throw Self.misplaced(chunk)
        case .lossless, .lossy:
            guard picture.header == nil else { throw Self.misplaced(chunk) }
            reader.accept(chunk, .stream)
        case .extended, .animation, .frame: throw Self.misplaced(chunk)
        default: break
        }
    }

    /// Refuses a frame that leaves the canvas.
    private static func check(_ rect: PixelRect, _ chunk: RIFFChunk, canvas: PixelSize) throws(ImageError) {
        guard rect.x + rect.width <= canvas.width, rect.y + rect.height <= canvas.height else {
            throw .corrupt(
                .webP, .webpFrameRectangle, offset: chunk.offset, reason: "a frame of \(rect) on a canvas of \(canvas)")
        }
    }

    /// Reads a chunk of which the first bytes were wanted.
    private mutating func read(_ chunk: RIFFChunk, _ body: Span<UInt8>) throws(ImageError) {
        switch chunk.type {
        case .extended:
            let header = try ExtendedHeader(body, chunk)
            try options.limits.check(size: header.canvasSize)
            extended = header
        case .animation: animationHeader = try AnimationHeader(body, chunk)
        default:
            let orientation = metadata.orientation
            try metadataChunks.read(chunk, body)
            description?.value.metadata = metadataChunks.metadata
            if metadata.orientation != orientation { try turnLate() }
        }
    }

    /// Metadata turn the picture: so the result is turned, and fitted into its box, at the end.
    private mutating func turnLate() throws(ImageError) {
        engine.orientation = metadata.orientation
        guard let firstLayout, var info = description?.value else { return }
        let plan = try Self.plan(
            size: info.size, hasAlpha: info.hasAlpha, layout: firstLayout, metadata.orientation, engine.request)
        engine.replan(plan)
        (info.orientation, info.decodedSize, info.decodedFormat) = (metadata.orientation, plan.resultSize, plan.format)
        description?.value = info
    }

    /// Ends a frame of which all chunks were read.
    private mutating func endFrame(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        let ended = part
        part = .pictures
        guard case .picture(let picture) = ended else { return }
        if picture.header != nil { return try engine.endFrame(work: &work) }
        // As libwebp has it: a frame with nothing in it is none.
        guard picture.alphaChunkCount > 0 else { return engine.dropBytes() }
        try skip(
            picture, .corrupt(.webP, .webpImageMissing, offset: chunk.offset, reason: "a frame without a picture"),
            &work)
    }
}

// MARK: - Pictures

extension WebPStream {
    /// Consumes what there is of the payload of ALPH, `VP8 ` or VP8L.
    ///
    /// - Returns: how many bytes are not needed again: all of the last; `nil` if the payload is passed over.
    private mutating func consume(
        _ payload: Span<UInt8>, of chunk: RIFFChunk, offset: Int, isLast: Bool, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        do throws(ImageError) {
            guard let kind = PictureHeader.kind(of: chunk.type) else {
                let used = try withPicture { (picture, _) throws(ImageError) in
                    try picture.decoder?.decodeAlpha(payload, offset: offset, isFinal: isLast, work: &work) ?? 0
                }
                if isLast { reader.skipRest(of: chunk) }
                return isLast ? payload.count : used ?? 0
            }
            guard try beginImage(kind, payload, chunk, isLast: isLast, &work) else { return 0 }
            return try decode(payload, of: chunk, offset: offset, isLast: isLast, isFinal: isFinal, &work)
        } catch {
            guard reader.frame != nil else { throw error }
            try failFrame(error, &work)
            reader.skipRest(of: chunk)
            return nil
        }
    }

    /// Begins a picture when the first bytes of its bitstream are there.
    ///
    /// - Returns: whether they are.
    private mutating func beginImage(
        _ kind: PictureHeader.Kind, _ payload: Span<UInt8>, _ chunk: RIFFChunk, isLast: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard case .picture(let picture) = part, picture.header == nil else { return true }
        guard payload.count >= PictureHeader.byteCount(kind) else {
            guard !isLast else { throw PictureHeader.short(chunk) }
            return false
        }
        let header = try PictureHeader(kind, payload, chunk)
        let rect = try rectangle(of: header, picture, chunk)
        let canvas = extended?.canvasSize ?? header.size
        try options.limits.check(size: canvas)
        let rows = Self.rows(header, picture)
        let isFirst = description == nil
        let plan = isFirst ? try beginFile(header, picture, rect, rows, canvas: canvas) : nil
        // After a still only metadata follow: a chunk that does not fit is then the end of the file, not damage.
        if isFirst, !isAnimation { reader.endsAtOverrun = true }
        let info = FrameInfo(
            rect: rect, duration: picture.head?.duration ?? .zero, disposal: picture.head?.disposal ?? .keep,
            blending: picture.head?.blending ?? .replace, isOpaque: !rows.hasAlpha)
        try engine.beginFrame(
            info, WebPFrame(layout: rows), at: picture.offset, picture: plan, isAnimation: isAnimation, work: &work)
        try withPicture { (picture, engine) throws(ImageError) in
            picture.header = header
            if engine.wantsRows { try picture.decoder?.beginPicture(header) } else { picture.decoder = nil }
        }
        return true
    }

    /// Where a picture lies: with the size that its bitstream says it has.
    private func rectangle(
        of header: PictureHeader, _ picture: Picture, _ chunk: RIFFChunk
    ) throws(ImageError) -> PixelRect {
        guard let extended else { return PixelRect(header.size) }
        guard let head = picture.head else {
            guard header.size == extended.canvasSize else {
                throw .corrupt(
                    .webP, .webpCanvasSize, offset: chunk.offset,
                    reason: "a picture of \(header.size) pixels on a canvas of \(extended.canvasSize)")
            }
            return PixelRect(header.size)
        }
        let rect = PixelRect(x: head.rect.x, y: head.rect.y, width: header.size.width, height: header.size.height)
        try Self.check(rect, chunk, canvas: extended.canvasSize)
        guard picture.alphaChunkCount == 0 || header.size == head.rect.size else {
            throw .corrupt(
                .webP, .webpFrameRectangle, offset: chunk.offset,
                reason: "a picture of \(header.size) pixels with alpha for \(head.rect.size)")
        }
        return rect
    }

    /// What the rows of a picture hold.
    ///
    /// Deviation: RFC 9649 section 3.4 calls the flag alpha_is_used of a lossless picture a hint. It is believed, of stills
    /// and of frames alike, as most decoders do: without it alpha is 255, whatever the pixels hold.
    private static func rows(_ header: PictureHeader, _ picture: Picture) -> SampleLayout {
        let hasAlphaChunk = picture.alphaChunkCount > 0
        return switch header.kind {
        case .lossy: hasAlphaChunk ? .bgra : .pixels(.bgrx)
        case .lossless: header.hasAlpha || hasAlphaChunk ? .bgra : .bgrx
        }
    }

    /// Static as what it serves: a method that does not change the stream would be called with a copy of it.
    private static func plan(
        size: PixelSize, hasAlpha: Bool, layout: SampleLayout, _ orientation: Orientation, _ request: DecodingRequest
    ) throws(ImageError) -> OutputPlan {
        try OutputPlan(
            size: size, hasAlpha: hasAlpha, nearestFormat: layout.nearestFormat, orientation: orientation,
            options: request.options)
    }

    /// The first picture: what the header says of the file is known.
    ///
    /// - Returns: how the picture is delivered.
    private mutating func beginFile(
        _ header: PictureHeader, _ picture: Picture, _ rect: PixelRect, _ rows: SampleLayout, canvas: PixelSize
    ) throws(ImageError) -> OutputPlan {
        let saysAlpha = header.kind == .lossy && !isAnimation && (extended?.flags.contains(.alpha) ?? false)
        let layout = FirstPicture.layout(rows, rect, canvas: canvas)
        let hasAlpha = layout.hasAlpha || saysAlpha
        let plan = try Self.plan(
            size: canvas, hasAlpha: hasAlpha, layout: layout, metadata.orientation, engine.request)
        let mayTurn = extended?.flags.contains(.exif) ?? false
        let ofPicture = try Self.pictureEstimate(
            plan, layout, hasAlpha: hasAlpha, rect, mayTurn: mayTurn, engine.request)
        var estimate = ofPicture
        estimate.add(
            WebPFrameDecoder.byteCount(
                header, hasAlphaChunk: picture.alphaChunkCount > 0, threads: options.maxThreadCount))
        try engine.request.admit(estimate.byteCount)
        if isAnimation, !options.firstFrameOnly {
            estimate = ofPicture
            estimate.add(WebPFrameDecoder.largestByteCount(canvas, threads: options.maxThreadCount))
            try estimate.addFrames(canvas: canvas, savesPixels: false, options: options)
        }
        var info = ImageInfo(
            format: .webP, size: canvas, hasAlpha: hasAlpha, bitDepth: 8,
            colorDescription: header.kind == .lossless ? "RGB, lossless" : "Y'CbCr 4:2:0",
            orientation: metadata.orientation, decodedSize: plan.resultSize, decodedFormat: plan.format,
            estimatedPeakByteCount: estimate.byteCount)
        info.isLossy = header.kind == .lossy
        info.metadata = metadataChunks.metadata
        description = Indirect(info)
        firstLayout = layout
        engine.beginCanvas(canvas)
        engine.orientation = metadata.orientation
        return plan
    }

    /// What the result of the first picture takes, and what makes it of rows. Metadata that turn it come after it.
    private static func pictureEstimate(
        _ plan: OutputPlan, _ layout: SampleLayout, hasAlpha: Bool, _ rect: PixelRect, mayTurn: Bool,
        _ request: DecodingRequest
    ) throws(ImageError) -> MemoryEstimate {
        var estimate = MemoryEstimate(plan, layout: layout)
        if mayTurn, request.options.appliesOrientation, plan.orientation == .up {
            let turned = try Self.plan(
                size: plan.sourceSize, hasAlpha: hasAlpha, layout: layout, .right, request)
            estimate = MemoryEstimate(plan, mayBeTurnedTo: turned, layout: layout)
        }
        if rect != PixelRect(plan.sourceSize) {
            estimate.add(FirstPicture.byteCount(canvas: plan.sourceSize, rect: rect))
        }
        return estimate
    }

    /// Decodes what there is of a picture.
    ///
    /// - Returns: how many bytes are not needed again; `nil` if the payload is passed over.
    private mutating func decode(
        _ payload: Span<UInt8>, of chunk: RIFFChunk, offset: Int, isLast: Bool, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        let used =
            try withPicture { (picture, engine) throws(ImageError) -> Int? in
                guard picture.decoder != nil, engine.wantsRows else { return nil }
                let used = try picture.decoder?.decode(
                    payload, offset: offset, isFinal: isLast || isFinal, byteCount: chunk.byteCount, work: &work,
                    place: { y, fill in engine.placeRow(y, fill) }, take: { row, y in engine.write(row, index: y) })
                guard isLast else { return used }
                try picture.decoder?.end(chunk)
                // Nothing of it is needed any more; a still's would be held up to the end of the file.
                picture.decoder = nil
                return payload.count
            } ?? nil
        if isLast, !isAnimation {
            part = .metadata
            try engine.endFrame(work: &work)
        }
        if isLast || used == nil { reader.skipRest(of: chunk) }
        return used
    }
}

// MARK: - Results

extension WebPStream {
    /// What the chunks say; known once the first picture begins.
    package var info: ImageInfo? {
        guard var info = description?.value else { return nil }
        guard isAnimation else { return info }
        info.animation = ImageInfo.Animation(
            frameCount: isComplete || engine.isEnded ? engine.begunCount : nil,
            loopCount: animationHeader?.loopCount ?? 1)
        return info
    }

    package mutating func makeUnique() throws(ImageError) {
        try engine.makeUnique()
        try withPicture { (picture, _) throws(ImageError) in try picture.decoder?.makeUnique() }
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        // The head of a frame came, and its picture did not.
        if let damage, case .picture(let picture) = part, picture.head != nil, picture.header == nil {
            try? engine.skipFrame(damage)
        }
        part = .metadata
        try engine.end(damage: damage, work: work)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        // Asked here too: for the usual answer the engine need not be copied.
        guard !isComplete || engine.damage != nil else { return nil }
        return engine.partialReport(
            isEnded: isEnded, isComplete: isComplete, announcedCount: isAnimation ? engine.begunCount : nil)
    }
}
