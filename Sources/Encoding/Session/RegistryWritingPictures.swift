// Pictures by the first coder that writes them.

public import ImageCodecsCore

extension CoderRegistry {
    /// Encodes with the first coder that writes `format`, and hands out the bytes as they come.
    ///
    /// - Parameters:
    ///   - image: what is written; an animation with its frames if the format's coder writes those, else its first frame.
    ///   - format: the format to write.
    ///   - options: quality, effort, background, metadata and size of the file.
    ///   - sink: gets the file in pieces, none of them empty. What it throws ends the encoding.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions = .default,
        _ sink: EncodedBytesSink
    ) throws(ImageError) {
        let coder = try coder(writing: format)
        guard let coder = coder.encodingRows else {
            try options.refuseTargetQuality(writing: format)
            let bytes = try coder.encode(image, to: format, options: options)
            return try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        }
        try EncodingSession.encode(image, to: format, by: coder, options: options, sink)
    }

    /// Begins to write a picture whose rows will come one after the other, with the first coder that writes `format`.
    ///
    /// - Parameters:
    ///   - format: the format to write.
    ///   - size: width and height in pixels.
    ///   - pixelFormat: what rows hold.
    ///   - orientation: how the rows have to be turned for viewing; written with the picture.
    ///   - metadata: what the options let through of it is written.
    ///   - options: quality, effort, background, metadata and size of the file.
    /// - Throws: `unsupported` if no coder writes the format; `invalidArgument` for an empty picture or options that make no
    ///   sense; `limitExceeded` if the format cannot hold the picture, or if `EncodingOptions.limits` do not allow it.
    public func makeEncodingSession(
        to format: ImageFormat, size: PixelSize, pixelFormat: PixelFormat, orientation: Orientation = .up,
        metadata: ImageMetadata = ImageMetadata(), options: EncodingOptions = .default
    ) throws(ImageError) -> EncodingSession {
        try makeEncodingSession(
            to: format,
            EncodedPicture(size: size, format: pixelFormat, orientation: orientation, metadata: metadata), from: .rows,
            options: options)
    }

    /// The same for a picture that may come as a bitmap, which is not held twice then.
    package func makeEncodingSession(
        to format: ImageFormat, _ picture: EncodedPicture, from origin: EncodingSession.Source,
        options: EncodingOptions
    ) throws(ImageError) -> EncodingSession {
        let coder = try coder(writing: format)
        if let coder = coder.encodingRows {
            return try EncodingSession(coder, to: format, picture, from: origin, options: options)
        }
        try options.refuseTargetQuality(writing: format)
        return try EncodingSession(
            ForeignEncodingCoder(foreign: coder, options: options), to: format, picture, from: origin,
            options: ForeignEncodingCoder.sessionOptions(options))
    }

    /// Encodes in the format that suits the image (see `ImageFormat.preferred(for:)`), or in PNG while
    /// no coder writes that format. `EncodingOptions.quality` is for formats that use it.
    public func encode(_ image: RasterImage, options: EncodingOptions = .default) throws(ImageError) -> [UInt8] {
        let format = formatToWrite(image)
        return try encode(image, to: format, options: qualityUsed(options, writing: format))
    }

    /// Whether a quality means something for `format` with these options; if it does not, encoding with one is refused.
    ///
    /// Of a coder that takes whole images only this is not known: it is asked to encode.
    public func usesQuality(writing format: ImageFormat, options: EncodingOptions = .default) -> Bool {
        guard let coder = coders.first(where: { $0.canEncode(to: format) }) else { return false }
        guard let coder = coder.encodingRows else { return true }
        return coder.traits(writing: format, options).quality != .meaningless
    }

    /// What the coder that writes `format` does with these options; `nil` if there is none, or if it takes whole images only.
    package func traits(
        writing format: ImageFormat, options: EncodingOptions = .default
    ) -> EncoderTraits? {
        coders.first { $0.canEncode(to: format) }?.encodingRows?.traits(writing: format, options)
    }

    /// Whether a target quality means something for `format` with these options; if it does not, encoding with one is refused.
    package func usesTargetQuality(writing format: ImageFormat, options: EncodingOptions) -> Bool {
        let coder = coders.first { $0.canEncode(to: format) }?.encodingRows
        return coder.map { !$0.lookOptions(options, writing: format).isEmpty } ?? false
    }

    /// The options without a quality, or a target for it, that means nothing for `format`, which the caller did not name.
    package func qualityUsed(_ options: EncodingOptions, writing format: ImageFormat) -> EncodingOptions {
        var options = options
        if options.quality != nil, !usesQuality(writing: format, options: options) { options.quality = nil }
        if options.targetQuality != nil, !usesTargetQuality(writing: format, options: options) {
            options.targetQuality = nil
        }
        return options
    }
}
