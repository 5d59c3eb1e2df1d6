// What coders of animations have in common: all frames in one call, and frames in any order.
//
//   one call:  file ──session──▶ first picture, where the frames are ──CompositedAnimation──▶ every frame, each once
//   animation: file ──session──▶ where the frames are ──CompositedAnimation──▶ a frame when it is asked for

/// A stream decoder of a format that has animations.
///
/// Members that ask the engine are inlined where the stream's type is known; elsewhere each would copy it.
@usableFromInline
package protocol AnimatedStreamDecoder: StreamDecoder {
    /// Gets the beginning, the bytes, the rows and the end of each frame.
    var engine: AnimationEngine { get set }

    /// Frames that have begun and whose rows are not those of the first picture.
    var otherFrameCount: Int { get }

    /// The canvas as it shows the first frame, made of the rows that were decoded already; `nil` if they are not here.
    mutating func handOverFirstCanvas(_ format: PixelFormat, work: WorkGuard) throws(ImageError) -> AnimationCanvas?
}

extension AnimatedStreamDecoder {
    @inlinable package var toleratedDamage: ImageError? { engine.damage }

    @inlinable package var otherFrameCount: Int { engine.begunCount - 1 }

    package mutating func handOverFirstCanvas(
        _ format: PixelFormat, work: WorkGuard
    ) throws(ImageError) -> AnimationCanvas? {
        try engine.handOverFirstCanvas(format, work: work)
    }

    @inlinable
    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap { try engine.finalPicture(work: work) }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try engine.partialPicture(work: work)
    }

    @inlinable package var hasCostlyPartialPictures: Bool { engine.hasCostlyPartialPictures }

    @inlinable package var hasPicture: Bool { engine.hasPicture }

    package mutating func drainChanges() -> PixelRect? { engine.drainChanges(resultSize: info?.decodedSize) }

    package mutating func animation(work: WorkGuard) throws(ImageError) -> (any AnimatedImageProvider)? {
        guard let info, info.animation != nil else { return nil }
        let partial = engine.isEnded ? partialReport(isEnded: true) : nil
        return try engine.animation(info, partial: partial, work: work)
    }
}

/// A coder of a format that has animations, which decodes by sessions.
package protocol AnimatedSessionCoder: SessionCoder, AnimatedImageCoder where Stream: AnimatedStreamDecoder {
    /// Whether headers say if a file is animated, be it without the number of frames.
    var headersTellAnimations: Bool { get }
}

extension AnimatedSessionCoder {
    /// Most do.
    package var headersTellAnimations: Bool { true }

    /// Decodes a whole file: the first picture, and every frame of an animation.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        var reading = try AnimationReading(makeSession(for: data, options), data)
        var frames: [ImageFrame] = []
        let partial = try reading.forEachFrame { (frame, _, _) throws(ImageError) in frames.append(frame) }
        var image = reading.image
        image.partial = partial
        if let loopCount = reading.loopCount {
            image.animation = RasterImage.Animation(frames: frames, loopCount: loopCount)
        }
        return image
    }

    /// Decodes all frames of a file in one call; see ``AnimatedImageCoder``.
    @discardableResult
    public func decodeFrames(
        of data: ImageData, options: DecodingOptions, _ body: (ImageFrame, Int, ImageInfo) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedFrames {
        var reading = try AnimationReading(makeSession(for: data, options), data)
        let partial = try reading.forEachFrame(body)
        if reading.loopCount == nil {
            let image = reading.image
            try body(ImageFrame(bitmap: image.bitmap, duration: .zero, partial: image.partial), 0, reading.info)
        }
        return DecodedFrames(info: reading.info, partial: partial)
    }

    private func makeSession(for data: ImageData, _ options: DecodingOptions) -> DecodingSession<Stream> {
        makeSession(options, options.firstFrameOnly ? .oneShot : .frames, inputByteCount: data.count)
    }

    /// Opens an animation; decodes no frame. A still picture is one of a single frame.
    public func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider {
        var session = makeSession(options, .animation, inputByteCount: data.count)
        let info = try session.indexAll(data)
        guard let animation = try session.composited(info, data) else {
            return StillAnimation(
                data, info: try session.describingFrames(info), coder: self, options: options)
        }
        return try options.admit(session.converted(animation))
    }
}

/// One call for all frames of a file: first the file is read to its end, and the first picture decoded; then the other
/// frames are.
private struct AnimationReading<Stream: AnimatedStreamDecoder> {
    private var session: DecodingSession<Stream>
    /// The first picture; empty if reading the file failed.
    private(set) var image: RasterImage
    /// What the headers say.
    let info: ImageInfo
    /// The frames, if it is an animation.
    private let composited: CompositedAnimation?
    /// What happens to the colours of frames.
    private let colors: ColorTreatment?
    /// Why reading the file ended: frames before that may be damaged.
    private let failure: ImageError?

    init(_ session: consuming DecodingSession<Stream>, _ data: ImageData) throws(ImageError) {
        self.session = consume session
        var (image, failure) = (RasterImage(bitmap: .empty), ImageError?.none)
        do throws(ImageError) {
            image = try self.session.decodeAll(data)
        } catch {
            guard error.isDamage || error.isAboutContents, self.session.decoder.otherFrameCount > 0 else { throw error }
            failure = error
            // The frame that is not whole may be damaged before that, too.
            try self.session.endDamaged(error)
        }
        guard var info = self.session.decoder.info else { throw .truncated(Stream.format, offset: data.count) }
        composited = try self.session.composited(info, data)
        if composited == nil {
            // No frames to hand out before the failure.
            if let failure { throw failure }
            info.animation = nil
        }
        colors = try self.session.colors(info.decodedFormat)
        info = try self.session.describingFrames(composited?.info ?? info)
        (self.image, self.info, self.failure) = (image, info, failure)
    }

    /// Total number of plays; `nil` for a still picture.
    var loopCount: Int? { composited == nil ? nil : info.animation?.loopCount ?? 1 }

    /// Decodes each frame of an animation once.
    ///
    /// - Returns: what of the file is missing.
    mutating func forEachFrame(
        _ body: (ImageFrame, Int, ImageInfo) throws(ImageError) -> Void
    ) throws(ImageError) -> PartialReport? {
        guard let composited else { return image.partial }
        var work = session.work
        work.begin()
        if let canvas = try session.handOverFirstCanvas(composited.canvasFormat) { composited.startFrom(canvas) }
        var damages: [FrameDamage] = []
        for index in 0..<composited.frameCount {
            var bitmap = Bitmap.empty
            let (partial, damage) = try composited.compose(index, into: &bitmap, work: &work)
            if let damage { damages.append(FrameDamage(index: index, isMissing: false, cause: damage)) }
            try colors?.convert(&bitmap, meter: session.request.meter, work: work)
            let duration = try composited.duration(at: index)
            try body(ImageFrame(bitmap: bitmap, duration: duration, partial: partial), index, info)
        }
        if let failure { throw failure }
        return report(damages, frameCount: composited.frameCount)
    }

    /// What reading the file has shown to be missing, and what decoding its frames has.
    private func report(_ damages: [FrameDamage], frameCount: Int) -> PartialReport? {
        guard image.partial != nil || !damages.isEmpty else { return nil }
        var report = image.partial ?? PartialReport(rows: [0..<info.size.height])
        let missing = report.frameDamages.filter(\.isMissing)
        // A missing frame sorts before the frame that has its index.
        report.frameDamages = (missing + damages).enumerated().sorted {
            ($0.element.index, $0.element.isMissing ? 0 : 1, $0.offset)
                < ($1.element.index, $1.element.isMissing ? 0 : 1, $1.offset)
        }.map(\.element)
        let total = report.frames?.total ?? frameCount
        report.frames = PartialReport.Progress(done: frameCount - damages.count, total: total)
        for damage in damages { report.cause = ImageError.earlier(report.cause, damage.cause) }
        return report
    }
}

extension DecodingSession {
    /// What the headers say of frames in the colours wanted.
    fileprivate func describingFrames(_ info: ImageInfo) throws(ImageError) -> ImageInfo {
        var result = request.options.describingColors(info) ?? info
        try colors(info.decodedFormat)?.describe(&result.metadata)
        return result
    }

    /// Finds the frames of a file in memory.
    fileprivate mutating func indexAll(_ data: ImageData) throws(ImageError) -> ImageInfo {
        do throws(ImageError) {
            return try inspectToTheEnd(data)
        } catch {
            guard error.isDamage, request.options.strictness == .tolerant, decoder.info != nil else { throw error }
            try endDamaged(error)
            guard let info = decoder.info else { throw error }
            return info
        }
    }
}

extension DecodingSession where Decoder: AnimatedStreamDecoder {
    /// The frames of a file that was read, to be composed when they are asked for; `nil` for a still picture.
    ///
    /// - Parameter info: what the decoder says of the file.
    fileprivate func composited(_ info: ImageInfo, _ data: ImageData) throws(ImageError) -> CompositedAnimation? {
        guard info.animation != nil else { return nil }
        return try decoder.engine.composited(
            reading: data, info, partial: decoder.partialReport(isEnded: true), work: work)
    }
}

extension ImageError {
    /// Whether something in the file is refused, a limit on its contents or what is not supported: damage before it comes
    /// first.
    fileprivate var isAboutContents: Bool {
        switch self {
        case .unsupported: true
        case .limitExceeded(.frames, _, _), .limitExceeded(.dimension, _, _), .limitExceeded(.pixels, _, _),
            .limitExceeded(.metadata, _, _):
            true
        default: false
        }
    }
}
