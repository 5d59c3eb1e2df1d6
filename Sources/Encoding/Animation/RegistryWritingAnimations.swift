// Animations by the first coder that writes them.

public import ImageCodecsCore

extension CoderRegistry {
    /// Whether any coder writes animations as this format, with all their frames.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool { firstAnimationCoder(writing: format) != nil }

    /// Encodes all frames of an animation with the first coder that writes animations as `format`, and hands out the bytes as
    /// they come.
    ///
    /// The frames are asked for twice, in their order: to see which colours they have, and to be written. They are written as the
    /// animation delivers them; `DecodingOptions.pixelFormat` `PixelFormat.rgba` keeps the colours of translucent pixels as
    /// they are, which premultiplying rounds.
    ///
    /// - Parameters:
    ///   - animation: what is written, with its metadata and its number of plays.
    ///   - format: the format to write.
    ///   - options: effort, background, metadata, number of plays, size of canvas and file. With
    ///     `EncodingOptions.firstFrameOnly` the first frame is written as a still picture.
    ///   - orientation: how the frames still have to be turned for viewing; `up` if they were when they were decoded.
    ///   - sink: gets the file in pieces, none of them empty. What it throws ends the encoding.
    /// - Returns: Width and height of the canvas in the file.
    /// - Throws: `unsupported` if no coder writes animations as `format`, and what decoding, encoding and `sink` throw.
    @discardableResult
    public func encode(
        _ animation: any AnimatedImageProvider, to format: ImageFormat, options: EncodingOptions = .default,
        orientation: Orientation = .up, _ sink: EncodedBytesSink
    ) throws(ImageError) -> PixelSize {
        try encodeReporting(animation, to: format, options: options, orientation: orientation, sink).size
    }

    /// As ``encode(_:to:options:orientation:_:)``.
    ///
    /// - Returns: width and height of the canvas in the file, and what of the animation was missing; `nil` if every frame that
    ///   was written was whole.
    package func encodeReporting(
        _ animation: any AnimatedImageProvider, to format: ImageFormat, options: EncodingOptions,
        orientation: Orientation = .up, _ sink: EncodedBytesSink
    ) throws(ImageError) -> (size: PixelSize, partial: PartialReport?) {
        var source = AnimationSource(animation, orientation: orientation)
        if options.firstFrameOnly {
            let image = try source.firstFrame()
            var session = try makeEncodingSession(
                to: format, EncodedPicture(image), from: .bitmap, options: options)
            try session.encode(image.bitmap, to: sink)
            return (session.writtenSize, source.partial)
        }
        let size = try AnimationEncodingSession.encode(
            &source, to: format, by: animationCoder(writing: format), options: options, sink)
        return (size, source.partial)
    }

    /// Begins to write an animation whose frames will come one after the other, with the first coder that writes animations as
    /// `format`.
    ///
    /// - Parameters:
    ///   - format: the format to write.
    ///   - size: width and height of the canvas in pixels.
    ///   - pixelFormat: what frames hold.
    ///   - frameCount: how many there will be, at least 1.
    ///   - loopCount: total number of plays, 0 for ever; `EncodingOptions.loopCount` beats it.
    ///   - orientation: how frames have to be turned for viewing; written with the animation.
    ///   - metadata: what the options let through of it is written.
    ///   - options: effort, background, metadata and size of the canvas.
    /// - Throws: `unsupported` if no coder writes animations as the format; `invalidArgument` for an empty canvas, no frames, a
    ///   limit on the file's bytes (only an animation that can be read again can be made to fit), or other options that make no
    ///   sense; `limitExceeded` if the format cannot hold the canvas, or if `EncodingOptions.limits` do not allow it.
    public func makeAnimationEncodingSession(
        to format: ImageFormat, size: PixelSize, pixelFormat: PixelFormat, frameCount: Int, loopCount: Int = 0,
        orientation: Orientation = .up, metadata: ImageMetadata = ImageMetadata(), options: EncodingOptions = .default
    ) throws(ImageError) -> AnimationEncodingSession {
        guard options.maxFileByteCount == nil else {
            throw .invalidArgument("frames that come one by one cannot be made to fit into a number of bytes")
        }
        return try AnimationEncodingSession(
            animationCoder(writing: format), to: format,
            EncodedPicture(size: size, format: pixelFormat, orientation: orientation, metadata: metadata),
            frameCount: frameCount, loopCount: loopCount, options: options)
    }

    private func animationCoder(writing format: ImageFormat) throws(ImageError) -> any AnimationEncodingCoder {
        guard let coder = firstAnimationCoder(writing: format) else {
            throw .cannotEncodeAnimation(format, writable: encodableAnimationFormats)
        }
        return coder
    }

    private func firstAnimationCoder(writing format: ImageFormat) -> (any AnimationEncodingCoder)? {
        for case let coder as any AnimationEncodingCoder in coders where coder.canEncodeAnimation(to: format) {
            return coder
        }
        return nil
    }

    /// The formats of `ImageFormat.all` that some coder writes animations as.
    package var encodableAnimationFormats: [ImageFormat] { ImageFormat.all.filter { canEncodeAnimation(to: $0) } }
}
