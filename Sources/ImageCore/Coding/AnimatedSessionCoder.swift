// What coders of animations have in common: all frames at once, and frames in any order.
//
//   one shot:  file ──session──▶ first picture, where the frames are ──CompositedAnimation──▶ every frame
//   animation: file ──session──▶ where the frames are ──CompositedAnimation──▶ a frame when it is asked for

/// A stream decoder of a format that has animations.
package protocol AnimatedStreamDecoder: StreamDecoder {
    associatedtype Source: SubFrameSource

    /// The whole frames so far; `nil` where there is no animation.
    ///
    /// - Parameter data: the file, where it is in memory.
    func frames(of data: ImageData?) -> Source?

    /// What the headers say, with the memory that playing takes.
    func playingInfo(frameCount: Int) -> ImageInfo?
}

/// A coder of a format that has animations, which decodes by sessions.
package protocol AnimatedSessionCoder: SessionCoder, AnimatedImageCoder where Stream: AnimatedStreamDecoder {}

extension AnimatedSessionCoder {
    /// Decodes a whole file: the first picture, and every frame of an animation.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        guard !options.firstFrameOnly else {
            var session = makeSession(options, .oneShot, inputByteCount: data.count)
            return try session.decodeAll(data)
        }
        var session = makeSession(options, .frames, inputByteCount: data.count)
        var image: RasterImage
        do throws(ImageError) {
            image = try session.decodeAll(data)
        } catch {
            guard error.isDamage || error.isAboutContents else { throw error }
            // What comes first in the file is told: a frame may be damaged in front of where the session stopped.
            session = makeSession(options, .incremental, inputByteCount: data.count)
            image = try session.decodeAll(data)
            // Tolerance ended in front of it.
            if let movie = try session.animation() { image.animation = try RasterImage.Animation(framesOf: movie) }
            return image
        }
        guard let animation = try session.decodeFrames(of: data) else { return image }
        let loopCount = session.decoder.info?.animation?.loopCount ?? 1
        if let partial = animation.partial {
            // Nothing behind the damage counts, metadata neither.
            session = makeSession(options, .frames, inputByteCount: data.count)
            image = try session.decodeAll(data, before: partial.cause?.offset ?? data.count)
            image.partial = image.partial ?? partial
            image.partial?.frames = partial.frames
            image.partial?.cause = partial.cause
        }
        if !animation.frames.isEmpty {
            image.animation = RasterImage.Animation(frames: animation.frames, loopCount: loopCount)
        }
        return image
    }

    /// Opens an animation; decodes no frame. A still picture is one of a single frame.
    public func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider {
        var session = makeSession(options, .animation, inputByteCount: data.count)
        let info = try session.indexAll(data)
        guard let animation = try session.composited(data) else {
            return StillAnimation(data, info: info, coder: self, options: options)
        }
        return try options.admit(animation)
    }
}

extension DecodingSession {
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
    /// The frames of a file that was read, to be composed when they are asked for.
    fileprivate func composited(
        _ data: ImageData
    ) throws(ImageError) -> CompositedAnimation<Decoder.Source>? {
        guard let source = decoder.frames(of: data), let info = decoder.playingInfo(frameCount: source.plan.count)
        else {
            return nil
        }
        if request.purpose == .animation { try request.admit(info) }
        let output = try AnimationOutput(
            size: source.plan.canvasSize, orientation: decoder.metadata.orientation,
            options: request.options.dividing(among: source.plan.count), meter: request.meter, work: work)
        return CompositedAnimation(
            source, info: info, output: output, options: request.options, meter: request.meter,
            state: AnimationState(request.options, output.plan))
    }

    /// Composes every whole frame of a file that was read.
    ///
    /// - Returns: the frames up to the first that is damaged, and its damage; `nil` where there is no animation.
    fileprivate func decodeFrames(
        of data: ImageData
    ) throws(ImageError) -> (frames: [ImageFrame], partial: PartialReport?)? {
        guard let animation = try composited(data) else { return nil }
        var work = work
        work.begin()
        var frames: [ImageFrame] = []
        for index in 0..<animation.frameCount {
            var bitmap = Bitmap.empty
            if let partial = try animation.compose(index, into: &bitmap, work: &work) {
                let total = max(animation.frameCount, decoder.info?.animation?.frameCount ?? 0)
                let progress = PartialReport.Progress(done: index, total: total)
                return (frames, PartialReport(rows: wholeRows, frames: progress, cause: partial.cause))
            }
            frames.append(ImageFrame(bitmap: bitmap, duration: try animation.duration(at: index)))
        }
        return (frames, nil)
    }

    /// Every row of the first picture.
    private var wholeRows: [Range<Int>] { decoder.info.map { [0..<$0.size.height] } ?? [] }
}

extension RasterImage.Animation {
    /// Every frame of an animation.
    fileprivate init(framesOf movie: any AnimatedImageProvider) throws(ImageError) {
        self.init(frames: [], loopCount: movie.loopCount)
        for index in 0..<movie.frameCount { frames.append(try movie.frame(at: index)) }
    }
}

extension ImageError {
    /// Whether something in the file is refused, a limit on its contents or what is not supported, which another decode
    /// of it comes to at the same place.
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
