// The WebP decoder: a state machine over chunks. The pipeline, in order:
//
//   bytes ──▶ chunks (Container/) ──▶ ALPH (Alpha/) ──┐
//                                 └─▶ VP8, VP8L (Output/PayloadDecoder) ──┴──▶ rows (Output/FrameDecoder)
//         ──▶ the first picture: scaling, bitmap (Output/FirstPicture, ImageCore's RowSink)
//         ──▶ later frames: canvas (WebPFrames, ImageCore's compositor)

package import ImageCore

/// One WebP file from its head to its frames; `DecodingSession` drives it.
///
/// The first picture is decoded into the result while it is read. Of later frames it is noted where they are; they are
/// decoded when they are asked for, and in incremental decoding also while they come, to be shown.
///
/// Source: RFC 9649 "WebP Image Format" (2024).
package struct WebPStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .webP }

    /// A picture whose chunks are being read.
    struct CurrentPicture: Sendable {
        /// The head of the frame that it is; `nil` for a still.
        let head: FrameChunk?
        /// Decodes its rows, where they are wanted now.
        var decoder: FrameDecoder?
        var hasAlphaChunk = false
        /// Known when its bitstream begins.
        var image: (header: PictureHeader, rows: SampleLayout)?
        /// The frame that it is.
        var frame: CompositionPlan.Frame?
    }

    package let request: DecodingRequest
    var donor: Bitmap?
    private var reader = RIFFReader()
    /// Whether the file was read to its end. Also where the first frame alone is wanted: behind it may stand how it has to
    /// be turned.
    package private(set) var isComplete = false
    /// Whether a chunk was read.
    private var hasBegun = false
    /// The extended header; `nil` for files of one picture without.
    private(set) var extended: ExtendedHeader?
    private(set) var animationHeader: AnimationHeader?
    private var metadataChunks: MetadataChunks
    var facts: WebPFacts?
    /// The frames so far, of an animation.
    var frames: WebPFrames?
    private var keeper: FrameByteKeeper
    /// The first byte of the current frame that the keeper does not have; `nil` where it wants no more.
    private var keptEnd: Int?

    var current: CurrentPicture?
    var picture: FirstPicture?
    var isPictureWhole = false
    var live: LiveAnimation?
    /// Pixels of later frames that were decoded while they came, though they may never be seen.
    var drawnPixelCount = 0
    /// Pixels of planes of alpha that do not count.
    var supersededAlphaCount = 0
    /// Whether the last picture handed out was one of a later frame.
    var isPictureBack = false
    /// What the chunks say, without metadata.
    var description: ImageInfo?
    package var snapshots = AnimationSnapshots()
    var damage: ImageError?

    /// - Parameters:
    ///   - request: what is wanted.
    ///   - donor: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, donor: consuming Bitmap? = nil) {
        self.request = request
        self.donor = donor
        metadataChunks = MetadataChunks(request)
        keeper = FrameByteKeeper(keeps: request.keepsFrames, meter: request.meter)
    }

    package var metadata: ImageMetadata { metadataChunks.metadata }

    /// Whether the file says that it is an animation; then only frames are looked at.
    var isAnimation: Bool { extended?.flags.contains(.animation) ?? false }

    /// Frames that were read to their ends.
    var frameCount: Int { frames?.plan.count ?? 0 }

    /// Reads as many whole units as there are.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete, let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            if case .stream(let chunk, let body, let isLast) = step {
                let used = try take(
                    bytes.extracting(body), of: chunk, offset: offset + body.lowerBound, isLast: isLast,
                    isFinal: isFinal, &work)
                guard let used else { continue }
                position += used
                // Where bytes are left, more have to come first.
                if !isLast, used < body.count || body.isEmpty { break }
            } else {
                try take(step, bytes, offset: offset, position: position, &work)
            }
        }
        try keepBytes(bytes, offset: offset, upTo: offset + position, work)
        return position
    }

    private mutating func take(
        _ step: RIFFReader.Step, _ bytes: Span<UInt8>, offset: Int, position: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .file, .stream: break
        case .begins(let chunk):
            if reader.frame == nil { try begin(chunk) } else { try beginInFrame(chunk) }
        case .first(let chunk, let body): try read(chunk, bytes.extracting(body))
        case .frame(_, let body):
            beginFrame(FrameChunk(bytes.extracting(body)))
            keeper.begin(at: offset + position)
            // Where the first frame alone is wanted, nobody asks for the bytes of others.
            if frameCount == 0 || !request.options.firstFrameOnly { keptEnd = offset + position }
        case .frameEnds(let chunk):
            try keepBytes(bytes, offset: offset, upTo: offset + position, work)
            try endFrame(chunk, &work)
        case .ends:
            guard facts != nil else {
                throw .corrupt(.webP, .webpImageMissing, offset: offset + position, reason: "no picture")
            }
            isComplete = true
            try learn()
        }
    }

    /// Hands bytes that were read of the current frame to the keeper.
    private mutating func keepBytes(
        _ bytes: Span<UInt8>, offset: Int, upTo end: Int, _ work: WorkGuard
    ) throws(ImageError) {
        guard let start = keptEnd, start < end else { return }
        let piece = bytes.extracting(start - offset..<end - offset)
        if facts?.kept.note(keeper.count + piece.count) == true { try learn() }
        try keeper.take(piece, work: work)
        keptEnd = end
    }
}

// MARK: - Chunks

extension WebPStream {
    /// Takes a chunk of the file that begins.
    private mutating func begin(_ chunk: RIFFChunk) throws(ImageError) {
        guard hasBegun else { return try beginFirst(chunk) }
        switch chunk.type {
        case .extended where isAnimation: throw Self.misplaced(chunk)
        case .lossy, .lossless: try beginStillImage(chunk)
        case .alpha: try beginStillAlpha(chunk)
        case .animation where isAnimation && animationHeader == nil:
            reader.take(chunk, .first(AnimationHeader.byteCount))
        case .frame where isAnimation: try beginFrameChunk(chunk)
        default:
            guard extended != nil, try metadataChunks.wants(chunk) else { return }
            // Its bytes are held before it is known what they say.
            try learn()
            reader.take(chunk, .first(chunk.byteCount))
        }
    }

    private mutating func beginFirst(_ chunk: RIFFChunk) throws(ImageError) {
        hasBegun = true
        switch chunk.type {
        case .lossy, .lossless: try beginStillImage(chunk)
        case .extended: reader.take(chunk, .first(ExtendedHeader.byteCount))
        default: throw Self.misplaced(chunk)
        }
    }

    private static func misplaced(_ chunk: RIFFChunk) -> ImageError {
        .corrupt(.webP, .webpChunkOrder, offset: chunk.offset, reason: "\(chunk.type.name) stands where it must not")
    }

    /// A picture outside of any frame; the first counts.
    private mutating func beginStillImage(_ chunk: RIFFChunk) throws(ImageError) {
        guard !isAnimation else { throw Self.misplaced(chunk) }
        guard facts == nil else { return }
        if current == nil { current = CurrentPicture(head: nil, decoder: decoder(ofFrame: 0)) }
        reader.take(chunk, .stream)
    }

    /// The alpha of such a picture.
    private mutating func beginStillAlpha(_ chunk: RIFFChunk) throws(ImageError) {
        guard !isAnimation else { throw Self.misplaced(chunk) }
        guard facts == nil, let extended else { return }
        // The last counts, as libwebp has it; but each is a plane that was decoded, of which there cannot be any number.
        if current?.hasAlphaChunk == true, !spendPlane(extended.canvasSize, upTo: chunk.bodyOffset) {
            throw Self.misplaced(chunk)
        }
        if current == nil { current = CurrentPicture(head: nil, decoder: decoder(ofFrame: 0)) }
        try beginAlpha(chunk, size: extended.canvasSize)
    }

    private mutating func beginAlpha(_ chunk: RIFFChunk, size: PixelSize) throws(ImageError) {
        current?.hasAlphaChunk = true
        // No lossy picture is larger; what follows will be refused, or has its own alpha.
        let isPossible = max(size.width, size.height) <= PictureHeader.largestLossySide
        guard isPossible else { return }
        try admitAlpha(size: size)
        if !mayDraw(size, upTo: chunk.bodyOffset) { current?.decoder = nil }
        guard current?.decoder != nil else { return }
        try current?.decoder?.beginAlpha(size: size)
        reader.take(chunk, .stream)
    }

    /// Refuses a plane for which there is not memory enough, before anything of it is decoded.
    private mutating func admitAlpha(size: PixelSize) throws(ImageError) {
        guard facts == nil else {
            facts?.beginAlpha(size: size)
            return try learn()
        }
        guard let extended else { return }
        let plan = try OutputPlan(
            size: extended.canvasSize, hasAlpha: true, nearestFormat: .rgba, orientation: metadata.orientation,
            options: request.options)
        try request.admit(
            peakByteCount: plan.peakByteCount(layout: .bgra, order: .topToBottom)
                .addingSaturated(AlphaPlane.byteCount(size)))
    }

    private mutating func beginFrameChunk(_ chunk: RIFFChunk) throws(ImageError) {
        guard animationHeader != nil else { throw Self.misplaced(chunk) }
        guard chunk.byteCount >= FrameChunk.byteCount else {
            throw .corrupt(
                .webP, .webpChunkSize, offset: chunk.offset, reason: "ANMF of \(chunk.byteCount) bytes")
        }
        reader.take(chunk, .frame)
    }

    private mutating func beginFrame(_ head: FrameChunk) {
        current = CurrentPicture(head: head, decoder: decoder(ofFrame: frameCount))
    }

    /// Takes a chunk in a frame that begins.
    private mutating func beginInFrame(_ chunk: RIFFChunk) throws(ImageError) {
        guard let picture = current, let head = picture.head, let extended else { return }
        switch chunk.type {
        case .alpha:
            guard !picture.hasAlphaChunk, picture.image == nil else { throw Self.misplaced(chunk) }
            try Self.check(head.rect, chunk, canvas: extended.canvasSize)
            try beginAlpha(chunk, size: head.rect.size)
        case .lossless where picture.hasAlphaChunk: throw Self.misplaced(chunk)
        case .lossless, .lossy:
            guard picture.image == nil else { throw Self.misplaced(chunk) }
            reader.take(chunk, .stream)
        case .extended, .animation, .frame: throw Self.misplaced(chunk)
        default: break
        }
    }

    /// Refuses a frame that leaves the canvas.
    static func check(_ rect: PixelRect, _ chunk: RIFFChunk, canvas: PixelSize) throws(ImageError) {
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
            try request.options.limits.check(size: header.canvasSize)
            extended = header
        case .animation: animationHeader = try AnimationHeader(body, chunk)
        default:
            let orientation = metadata.orientation
            try metadataChunks.read(chunk, body)
            try learn()
            if metadata.orientation != orientation, let plan = try facts?.plan(metadata.orientation) {
                picture?.replan(plan)
            }
        }
    }

    /// Takes what there is of the payload of ALPH, `VP8 ` or VP8L.
    ///
    /// - Returns: how many bytes are not needed again: all of the last; `nil` where the payload is passed over.
    private mutating func take(
        _ payload: Span<UInt8>, of chunk: RIFFChunk, offset: Int, isLast: Bool, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        var used = 0
        if let kind = PictureHeader.kind(of: chunk.type) {
            if current?.image == nil {
                guard try beginImage(kind, payload, chunk, isLast: isLast, &work) else { return 0 }
            }
            guard current?.decoder != nil else {
                reader.skipRest(of: chunk)
                return nil
            }
            let receivedCount = offset + payload.count - chunk.bodyOffset
            if facts?.noteReceived(kind, byteCount: receivedCount) == true { try learn() }
            used = try decode(payload, of: chunk, offset: offset, isFinal: isLast || isFinal, &work)
            if isLast { try endImage(chunk, &work) }
        } else {
            used = try current?.decoder?.decodeAlpha(payload, offset: offset, isFinal: isLast, work: &work) ?? 0
        }
        if isLast { reader.skipRest(of: chunk) }
        return isLast ? payload.count : used
    }

    /// Ends a frame of which all chunks were read.
    private mutating func endFrame(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        guard let picture = current else { return }
        current = nil
        // As libwebp has it: a frame with nothing in it is none.
        guard picture.image != nil || picture.hasAlphaChunk else {
            keeper.cancel()
            facts?.kept.cancelFrame()
            keptEnd = nil
            return
        }
        guard let frame = picture.frame, let rows = picture.image?.rows else {
            throw .corrupt(.webP, .webpImageMissing, offset: chunk.offset, reason: "a frame without a picture")
        }
        facts?.kept.endFrame()
        keptEnd = nil
        if let bytes = try frames?.take(&keeper, work: work) {
            let added = try frames?.append(frame, WebPFrames.Record(layout: rows, bytes: bytes))
            if let added { try live?.end(added, work: &work) }
        }
        try learn()
    }

    /// Takes note that the first picture begins: behind that of a still nothing is needed.
    ///
    /// - Parameter headByteCount: bytes up to where it is known what it is.
    mutating func noteFirst(headByteCount: Int) {
        metadataChunks.headByteCount = headByteCount
        if !isAnimation { reader.endsAtOverrun = true }
    }

    /// Renews the description, and refuses to go on where it promises more memory than there may be.
    mutating func learn() throws(ImageError) {
        guard let info = try renewedDescription(), let facts else { return }
        // An inspection is not refused for frames that nobody may want.
        var admitted = info
        if request.purpose == .inspection {
            admitted.peakByteCount = try facts.firstByteCount().addingSaturated(heldByteCount(facts))
        }
        try request.admit(admitted)
        description = info
    }

    /// What is held besides pictures and frames.
    private func heldByteCount(_ facts: WebPFacts) -> Int {
        metadataChunks.peakByteCount(unitByteCount: facts.heldByteCount, inputByteCount: request.inputByteCount)
    }

    /// What the chunks so far say, without metadata.
    mutating func renewedDescription() throws(ImageError) -> ImageInfo? {
        guard var facts else { return nil }
        facts.orientation = metadata.orientation
        self.facts = facts
        var info = try facts.info(isComplete: isComplete || damage != nil, loopCount: animationHeader?.loopCount ?? 1)
        let (held, needed) = (heldByteCount(facts), try facts.peakByteCount(isTold: false))
        let told = try facts.peakByteCount(isTold: true).addingSaturated(held)
        info.peakByteCount = request.told(told, needed: needed.addingSaturated(held))
        return info
    }

    /// What came of a frame without an end is in the promise too, and no more.
    package mutating func noteEnd(_ error: ImageError) {
        if keptEnd != nil, let count = keeper.count(before: error) {
            facts?.kept.endEarly(max(keeper.count, count))
        }
        guard description != nil, var info = try? renewedDescription() else { return }
        info.peakByteCount = request.toldAtEnd(info.peakByteCount)
        description = info
    }

    /// What the chunks say, with metadata.
    package var info: ImageInfo? {
        guard var info = description else { return nil }
        info.metadata = metadata
        return info
    }

    /// The same for an animation that is played.
    package func playingInfo(frameCount: Int) -> ImageInfo? {
        guard var info, let facts, let peak = try? facts.playingByteCount(frameCount: frameCount) else { return nil }
        info.peakByteCount = peak.addingSaturated(heldByteCount(facts))
        if let plan = try? facts.output(frameCount: frameCount) {
            (info.decodedSize, info.decodedFormat) = (plan.resultSize, plan.format)
        }
        info.animation?.frameCount = isComplete || damage != nil ? frameCount : nil
        return info
    }
}
