// One picture made into another: what convert, thumbnail and the worker do with each.

import ImageCodecs
import ImagePipeline

/// How pictures are decoded, reduced, cut and encoded.
struct PictureConversion: Sendable {
    /// What is known of a picture that was written.
    struct Result: Sendable {
        let size: PixelSize
        /// What was missing in the input, if something was.
        let partial: PartialReport?
        /// Remarks that are no failures.
        var warnings: [String]
        /// Bytes of the result, and of what it was made of.
        var byteCount = 0
        var inputByteCount = 0

        /// The result as a file.
        func written(to path: String, _ format: OutputFormat) -> WrittenFile {
            WrittenFile(path: path, format: format, size: size, byteCount: byteCount, inputByteCount: inputByteCount)
        }
    }

    var decoding: DecodingOptions
    var reduction: PictureReduction
    var encoding = EncodingOptions()
    var pixelFormat = PixelFormat.rgba
    /// Whether people expect all frames of an animation, and are warned if there is only the first.
    var wantsAllFrames = false
    /// What is done with a picture after it was decoded; the size wanted is that of the result then.
    var pictureChange = PictureChange()
    /// Whether nothing may be lost; formats that always lose something are refused then.
    var isLossless = false
    /// What is done with a JPEG file that is made of another one without loss.
    var surgery = JPEGTransformation()
    /// What is pasted into it then.
    var pastedFiles: [PastedFile] = []

    /// Decodes and encodes one picture, when the budget has room for it.
    ///
    /// - Parameters:
    ///   - optionOf: how an option is called where the request comes from, for messages.
    ///   - sink: gets the file in pieces.
    func run(
        _ source: PictureSource, to format: OutputFormat, budget: DecodingBudget,
        optionOf: (String) -> String = { "--\($0)" }, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        if isLossless, format.isJPEG, keepsCoefficients, let file = try source.jpeg(limits: decoding.limits) {
            return try operate(on: file, budget: budget, optionOf, sink)
        }
        try format.check(encoding, isLossless: isLossless, optionOf: optionOf)
        let (input, options) = try open(source, format)
        var byteCount = 0
        func counting(_ bytes: Span<UInt8>) throws(ImageError) {
            byteCount += bytes.count
            try sink(bytes)
        }
        var result: Result
        let info: ImageInfo?
        if case .coded(let coded) = format, pictureChange.frame == nil {
            let plan = conversion.plan(input, to: coded, options)
            info = plan.info
            result = try budget.withBytes(blockingFor: plan.estimatedPeakByteCount) { () throws(ImageError) in
                let made = try plan.run(counting)
                let warnings = made.remarks.map(\.description) + [made.partial?.summary].compactMap { $0 }
                return Result(size: made.size, partial: made.partial, warnings: warnings)
            }
        } else {
            let described = try? input.inspect(options)
            info = described
            // The bitmap, and the file, which is made as a whole.
            let byteCount = input.byteCount.addingSaturated(described?.estimatedPeakByteCount ?? 0)
                .addingSaturated((described?.decodedByteCount ?? 0).multipliedSaturated(by: 2))
            result = try budget.withBytes(blockingFor: byteCount) { () throws(ImageError) in
                try write(input, options, described, to: format, counting)
            }
        }
        (result.byteCount, result.inputByteCount) = (byteCount, input.byteCount)
        if encoding.metadata == .all, [.png, .apng].contains(info?.format),
            let warning = try UnknownChunks(input, limits: decoding.limits).warning
        {
            result.warnings.append(warning)
        }
        if let warning = growthWarning(format, byteCount, of: input, info, optionOf) { result.warnings.append(warning) }
        return result
    }

    /// A picture, and how it is decoded.
    private func open(
        _ source: PictureSource, _ format: OutputFormat
    ) throws(ImageError) -> (ImageConversion.Input, DecodingOptions) {
        let input: ImageConversion.Input
        var options = decoding
        // Plain formats have no place for what says how colours are meant.
        if format.isPlain, encoding.metadata != .none { options.convertsToSRGB = true }
        options.firstFrameOnly = !wantsAllFrames || format.isPlain || pictureChange.frame != nil
        switch source {
        case .bytes(let data): input = .data(data)
        case .file(let file):
            if options.scaleFactor == 1 { options.scaleFactor = RasterImage.scale(promisedBy: file.path) }
            var reader = try FileReader(picture: file, limits: options.limits)
            input = try ImageConversion.Input(file.path, &reader)
        }
        // A part that is cut out, and how a frame is turned, are in pixels of the whole picture.
        let reduced = pictureChange.changesPixels || pictureChange.frame != nil ? PictureReduction() : reduction
        let whole = reduced.isShare ? try? input.inspect(options) : nil
        options.size = reduced.outputSize(for: whole, appliesOrientation: options.appliesOrientation)
        return (input, options)
    }

    /// How files are written, within the limits of decoding.
    private var limitedEncoding: EncodingOptions {
        var encoding = encoding
        encoding.limits = EncodingLimits(
            maxMemoryByteCount: decoding.limits.maxMemoryByteCount, maxTime: decoding.limits.maxTime)
        return encoding
    }

    private var conversion: ImageConversion {
        var conversion = ImageConversion(encoding: limitedEncoding)
        conversion.decoding = decoding
        if reduction.mayCut || pictureChange.changesPixels {
            conversion.change = { [self] (image) throws(ImageError) in try change(&image) }
        }
        return conversion
    }

    /// Changes a decoded picture, and brings it to its size if that was left to do.
    private func change(_ image: inout RasterImage) throws(ImageError) {
        if pictureChange.changesPixels || pictureChange.frame != nil {
            try pictureChange.apply(to: &image)
            image = try image.scaled(to: reduction.size(of: image.size))
        }
        try reduction.cut(&image)
    }

    /// A warning for people whose file gets longer although it was short by loss.
    ///
    /// - Parameter optionOf: how an option is called where the request comes from.
    private func growthWarning(
        _ format: OutputFormat, _ writtenByteCount: Int, of input: ImageConversion.Input, _ info: ImageInfo?,
        _ optionOf: (String) -> String
    ) -> String? {
        guard case .coded(.webP) = format, writtenByteCount > input.byteCount, let info, info.isLossy else {
            return nil
        }
        let growth = "\(writtenByteCount) bytes where the \(info.format.name) file has \(input.byteCount)"
        return encoding.keepsPixels || encoding.webp.isNearLossless
            ? "\(growth): webp is written without loss (\(optionOf("lossy")) takes fewer bytes)"
            : "\(growth) (a lower \(optionOf("quality")) takes fewer)"
    }
}

// MARK: - What no coder writes, and single frames

extension PictureConversion {
    private func write(
        _ input: ImageConversion.Input, _ options: DecodingOptions, _ info: ImageInfo?, to format: OutputFormat,
        _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        var image = try decode(input, options)
        try change(&image)
        let losses = LossLog()
        var encoding = limitedEncoding
        encoding.losses = losses
        let bytes = try format.encode(image, pixelFormat: pixelFormat, options: encoding)
        if isLossless, format.isPlain, losses.count(of: .alpha) > 0 {
            throw .unsupported(PNMCoder.format, feature: "translucent pixels without loss")
        }
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        let warnings =
            (info?.warnings ?? [])
            + [
                wantsAllFrames && pictureChange.frame == nil ? info?.firstFrameWords : nil,
                options.convertsToSRGB ? info?.metadata.profileProblem : nil, image.partial?.summary,
            ].compactMap { $0 } + format.remarks(losses).map(\.description)
        return Result(size: image.size, partial: image.partial, warnings: warnings)
    }

    /// The picture, or the frame that is wanted as one.
    private func decode(
        _ input: ImageConversion.Input, _ options: DecodingOptions
    ) throws(ImageError) -> RasterImage {
        var options = options
        let file = try input.whole(options.limits)
        guard let index = pictureChange.frame else { return try RasterImage(file, options: options) }
        options.firstFrameOnly = false
        options.pixelFormat = .rgba
        let animation = try CoderRegistry.shared.makeAnimation(from: file, options: options)
        let frame = try animation.frame(at: index)
        var metadata = animation.info.metadata
        metadata.follow(.geometry)
        var image = RasterImage(
            bitmap: frame.bitmap, orientation: options.appliesOrientation ? .up : animation.info.orientation,
            partial: frame.partial, metadata: metadata)
        image.isLossy = animation.info.isLossy
        return image
    }
}

/// Where a picture to convert comes from.
enum PictureSource: Sendable {
    case file(InputFile)
    case bytes(ImageData)
}
