// What coders of animations have in common: all frames at once, and frames in any order.
//
//   one shot:  file ──session──▶ first picture, where the frames are ──CompositedAnimation──▶ every frame
//   animation: file ──session──▶ where the frames are ──CompositedAnimation──▶ a frame when it is asked for

/// A stream decoder of a format that has animations.
package protocol AnimatedStreamDecoder: StreamDecoder {
    associatedtype Source: SubFrameSource

    /// What the decode was asked for.
    var request: DecodingRequest { get }

    /// What was handed out of the animation.
    var snapshots: AnimationSnapshots { get set }

    /// The whole frames so far; `nil` where there is no animation.
    ///
    /// - Parameter data: the file, where it is in memory.
    func frames(of data: ImageData?) -> Source?

    /// What the headers say, with the memory that playing takes.
    func playingInfo(frameCount: Int) -> ImageInfo?
}

extension AnimatedStreamDecoder {
    package mutating func animation(work: WorkGuard) throws(ImageError) -> (any AnimatedImageProvider)? {
        guard request.purpose == .incremental, let source = frames(of: request.data),
            let info = playingInfo(frameCount: source.plan.count)
        else { return nil }
        return try request.options.admit(
            snapshots.next(source, info: info, orientation: metadata.orientation, request, work: work))
    }
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
        var work = WorkGuard(options)
        work.begin()
        if let image = try decodeFrames(data, options) { return image }
        return try decodeInOrder(data, work.remaining(of: options))
    }

    /// Decodes a file and every frame of its animation.
    ///
    /// - Returns: `nil` where something is damaged or refused; a frame may be damaged in front of what was.
    private func decodeFrames(_ data: ImageData, _ options: DecodingOptions) throws(ImageError) -> RasterImage? {
        var session = makeSession(options, .frames, inputByteCount: data.count)
        var image: RasterImage
        do throws(ImageError) {
            image = try session.decodeAll(data)
        } catch {
            guard error.isDamage || error.isAboutContents else { throw error }
            return nil
        }
        guard !image.isPartial else { return nil }
        guard let animation = try session.composited(data) else { return image }
        guard let frames = try session.decodeFrames(of: animation) else { return nil }
        if !frames.isEmpty {
            let loopCount = session.decoder.info?.animation?.loopCount ?? 1
            image.animation = RasterImage.Animation(frames: frames, loopCount: loopCount)
        }
        return image
    }

    /// Decodes a file with damage as it would be in pieces: what comes first in it is told, and nothing behind counts.
    private func decodeInOrder(_ data: ImageData, _ options: DecodingOptions) throws(ImageError) -> RasterImage {
        var (image, movie, work) = try readInOrder(data, options)
        guard let movie else { return image }
        work.begin()
        var frames: [ImageFrame] = []
        for index in 0..<movie.frameCount {
            var bitmap = Bitmap.empty
            let partial = try movie.compose(index, into: &bitmap, work: &work)
            frames.append(ImageFrame(bitmap: bitmap, duration: try movie.duration(at: index), partial: partial))
        }
        image.animation = RasterImage.Animation(frames: frames, loopCount: movie.loopCount)
        return image
    }

    /// The picture and the frames in front of the damage; what decoding in order held is given back.
    private func readInOrder(
        _ data: ImageData, _ options: DecodingOptions
    ) throws(ImageError) -> (RasterImage, CompositedAnimation<Stream.Source>?, WorkGuard) {
        var session = makeSession(options, .incremental, inputByteCount: data.count, data: data)
        let image = try session.decodeAll(data)
        let movie = session.decoder.info?.animation == nil ? nil : try session.composited(data)
        return (image, movie, session.work)
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

    /// Composes the frames of a file that was read.
    ///
    /// - Returns: `nil` where one is damaged.
    fileprivate func decodeFrames(
        of animation: CompositedAnimation<Decoder.Source>
    ) throws(ImageError) -> [ImageFrame]? {
        var work = work
        work.begin()
        var frames: [ImageFrame] = []
        for index in 0..<animation.frameCount {
            var bitmap = Bitmap.empty
            guard try animation.compose(index, into: &bitmap, work: &work) == nil else { return nil }
            frames.append(ImageFrame(bitmap: bitmap, duration: try animation.duration(at: index)))
        }
        return frames
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
