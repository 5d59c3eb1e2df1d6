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
        // A part that is cut out, and how a frame is turned, are in pixels of the whole picture.
        let reduced = pictureChange.changesPixels || pictureChange.frame != nil ? PictureReduction() : reduction
        var decoding = decoding
        // Plain formats have no place for what says how colours are meant.
        if format.isPlain, encoding.metadata != .none { decoding.convertsToSRGB = true }
        let described = try DescribedPicture(source, decoding: decoding, reduction: reduced)
        var byteCount = 0
        func counting(_ bytes: Span<UInt8>) throws(ImageError) {
            byteCount += bytes.count
            try sink(bytes)
        }
        var result = try budget.withBytes(blockingFor: estimatedByteCount(described, format)) { () throws(ImageError) in
            try run(described, to: format, counting)
        }
        (result.byteCount, result.inputByteCount) = (byteCount, described.byteCount)
        if encoding.metadata == .all, [.png, .apng].contains(described.info?.format),
            let warning = try UnknownChunks(described.input, limits: decoding.limits).warning
        {
            result.warnings.append(warning)
        }
        if let warning = described.growthWarning(format, byteCount, encoding, optionOf) {
            result.warnings.append(warning)
        }
        return result
    }

    private func run(
        _ described: DescribedPicture, to format: OutputFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        if let format = animationFormat(of: described, format) {
            return try writeAnimation(described, to: format, sink)
        }
        let losses = LossLog()
        let result = try write(described, to: format, losses, sink)
        var isConverted = described.options.convertsToSRGB
        if case .coded(let format) = format, let info = described.info {
            isConverted =
                conversion(described.options).convertingColors(info, to: format, described.options).convertsToSRGB
        }
        let warnings =
            described.warnings
            + [
                wantsAllFrames && pictureChange.frame == nil ? described.firstFrameWarning : nil,
                isConverted ? described.info?.metadata.profileWarning : nil,
                result.partial?.summary, result.reachedQuality.flatMap(lookWarning),
            ].compactMap { $0 }
            + format.warnings(losses)
        return Result(size: result.size, partial: result.partial, warnings: warnings)
    }

    /// A warning for people who asked for a look that no file of the format has.
    private func lookWarning(_ reached: Double) -> String? {
        guard let asked = encoding.targetQuality, reached < asked - 1.5 else { return nil }
        return "looks like \(reached.fixed(1)) where \(asked.fixed(1)) was asked for: no such file looks better"
    }

    /// Bytes of the input, if they are held, and of making the result.
    private func estimatedByteCount(_ picture: DescribedPicture, _ format: OutputFormat) -> Int {
        guard let info = picture.info else { return picture.heldByteCount }
        if let format = animationFormat(of: picture, format) {
            return picture.byteCount.addingSaturated(
                estimatedByteCount(ofAnimation: animationInfo(picture) ?? info, to: format))
        }
        if case .coded(let format) = format {
            return picture.heldByteCount.addingSaturated(
                conversion(picture.options).estimatedByteCount(
                    info, to: format, picture.options, fileByteCount: picture.byteCount - picture.heldByteCount))
        }
        // The bitmap, and the file, which is made as a whole.
        return picture.byteCount.addingSaturated(info.estimatedPeakByteCount)
            .addingSaturated(info.decodedByteCount.multipliedSaturated(by: 2))
    }

    /// How files are written, within the limits of decoding.
    private var limitedEncoding: EncodingOptions {
        var encoding = encoding
        encoding.limits = EncodingLimits(
            maxMemoryByteCount: decoding.limits.maxMemoryByteCount, maxTime: decoding.limits.maxTime)
        return encoding
    }

    private func conversion(_ options: DecodingOptions, _ losses: LossLog? = nil) -> ImageConversion {
        var encoding = limitedEncoding
        encoding.losses = losses
        var conversion = ImageConversion(encoding: encoding)
        conversion.decoding = options
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

    private func write(
        _ picture: DescribedPicture, to format: OutputFormat, _ losses: LossLog, _ sink: EncodedBytesSink
    ) throws(ImageError) -> (size: PixelSize, partial: PartialReport?, reachedQuality: Double?) {
        if let frame = pictureChange.frame {
            let (size, partial) = try write(frame, of: picture, to: format, losses, sink)
            return (size, partial, nil)
        }
        if case .coded(let format) = format {
            let result = try conversion(picture.options, losses).convert(
                picture.input, picture.info, to: format, picture.options, sink)
            return (result.size, result.partial, result.reachedQuality)
        }
        var image = try RasterImage(picture.input.whole(decoding.limits), options: picture.options)
        try change(&image)
        try encode(image, to: format, losses, sink)
        return (image.size, image.partial, nil)
    }

    /// Writes a picture that is held.
    private func encode(
        _ image: RasterImage, to format: OutputFormat, _ losses: LossLog, _ sink: EncodedBytesSink
    ) throws(ImageError) {
        var encoding = limitedEncoding
        encoding.losses = losses
        let bytes = try format.encode(image, pixelFormat: pixelFormat, options: encoding)
        if isLossless, format.isPlain, losses.count(of: .alpha) > 0 {
            throw .unsupported(PNMCoder.format, feature: "translucent pixels without loss")
        }
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
    }

    /// Writes one frame of an animation as a still picture.
    private func write(
        _ index: Int, of picture: DescribedPicture, to format: OutputFormat, _ losses: LossLog, _ sink: EncodedBytesSink
    ) throws(ImageError) -> (size: PixelSize, partial: PartialReport?) {
        let options = animationOptions(picture)
        let animation = try CoderRegistry.shared.makeAnimation(
            from: picture.input.whole(options.limits), options: options)
        let frame = try animation.frame(at: index)
        var metadata = animation.info.metadata
        metadata.follow(.geometry)
        var image = RasterImage(
            bitmap: frame.bitmap, orientation: options.appliesOrientation ? .up : animation.info.orientation,
            partial: frame.partial, metadata: metadata)
        image.isLossy = animation.info.isLossy
        try change(&image)
        try encode(image, to: format, losses, sink)
        return (image.size, image.partial)
    }
}

// MARK: - Animations

extension PictureConversion {
    /// The format that all frames of a picture are written in; `nil` if only one picture is written.
    private func animationFormat(of picture: DescribedPicture, _ format: OutputFormat) -> ImageFormat? {
        guard wantsAllFrames, pictureChange.frame == nil, case .coded(let format) = format,
            picture.info?.animation != nil,
            CoderRegistry.shared.canEncodeAnimation(to: format)
        else { return nil }
        return format
    }

    /// How all frames of a picture are decoded.
    private func animationOptions(_ picture: DescribedPicture) -> DecodingOptions {
        var options = picture.options
        options.firstFrameOnly = false
        options.pixelFormat = .rgba
        return options
    }

    /// What decoding all frames takes, as the headers say.
    private func animationInfo(_ picture: DescribedPicture) -> ImageInfo? {
        try? DescribedPicture.inspect(picture.input, animationOptions(picture))
    }

    /// Bytes of a frame at a time, and of writing them. Writing may be refused: the estimate is not.
    private func estimatedByteCount(ofAnimation info: ImageInfo, to format: ImageFormat) -> Int {
        var options = encoding
        options.maxFileByteCount = nil
        options.limits = .unlimited
        let session = try? CoderRegistry.shared.makeAnimationEncodingSession(
            to: format, size: info.decodedSize, pixelFormat: .rgba,
            frameCount: max(1, info.animation?.frameCount ?? 1), options: options)
        // A file that has to be short is held, with half as much room again.
        let file = encoding.maxFileByteCount ?? 0
        return info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount)
            .addingSaturated(session?.estimatedPeakByteCount ?? 0)
            .addingSaturated(file).addingSaturated(file / 2)
    }

    private func writeAnimation(
        _ picture: DescribedPicture, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        guard !reduction.mayCut else {
            throw .invalidArgument("animations are not cut to fill a box; choose another fit, or the first frame alone")
        }
        guard !pictureChange.changesPixels else {
            throw .invalidArgument("animations are not cut, turned or mirrored; --frame writes one frame alone")
        }
        var options = animationOptions(picture)
        if let info = picture.info { options = conversion(options).convertingColors(info, to: format, options) }
        // Frames are decoded with eight bits a sample.
        if isLossless, (picture.info?.bitDepth ?? 8) > 8 {
            throw .unsupported(format, feature: "frames of 16 bits a sample without loss")
        }
        let data = try picture.input.whole(options.limits)
        let animation = try CoderRegistry.shared.makeAnimation(from: data, options: options)
        let orientation = options.appliesOrientation ? .up : animation.info.orientation
        let log = LossLog()
        var encoding = limitedEncoding
        encoding.losses = log
        let (size, partial) = try CoderRegistry.shared.encodeReporting(
            animation, to: format, options: encoding, orientation: orientation, sink)
        let losses = try AnimationLosses(animation, of: data, writing: format, log)
        let isPNG = format == .png || format == .apng
        let interlace = isPNG && encoding.png.isInterlaced ? "animations are not interlaced" : nil
        let isWebPChanged = format == .webP && encoding.webp.isNearLossless
        let samples = isWebPChanged ? "samples are only changed in stills" : nil
        let colors = isPNG && encoding.png.colorCount != nil ? "colours are only taken away from stills" : nil
        return Result(
            size: size, partial: partial,
            warnings: picture.warnings + losses.warnings
                + [
                    interlace, colors, samples, partial?.summary,
                ].compactMap { $0 })
    }
}

/// Where a picture to convert comes from.
enum PictureSource: Sendable {
    case file(InputFile)
    case bytes(ImageData)
}

/// A picture to convert, and what stands around its pixels.
private struct DescribedPicture {
    let input: ImageConversion.Input
    let options: DecodingOptions
    /// Bytes of the input, held or not.
    let byteCount: Int
    /// `nil` if it cannot be read: decoding then reports what is wrong.
    let info: ImageInfo?

    /// Files from this size on are read twice instead of held.
    private static let largeFileByteCount = 1 << 22

    init(
        _ source: PictureSource, decoding: DecodingOptions, reduction: PictureReduction
    ) throws(ImageError) {
        var options = decoding
        switch source {
        case .bytes(let data): (input, byteCount) = (.data(data), data.count)
        case .file(let file):
            if options.scaleFactor == 1 { options.scaleFactor = RasterImage.scale(promisedBy: file.path) }
            var reader = try FileReader(picture: file, limits: options.limits)
            let isLarge = file.path != "-" && reader.regularFileSize ?? 0 >= Self.largeFileByteCount
            if isLarge {
                (input, byteCount) = (.file(file.path), reader.regularFileSize ?? 0)
            } else {
                let data = try reader.readToEnd()
                (input, byteCount) = (.data(data), data.count)
            }
        }
        if reduction.isShare {
            let whole = try? Self.inspect(input, options)
            options.size = reduction.outputSize(for: whole, appliesOrientation: options.appliesOrientation)
        } else {
            options.size = reduction.outputSize(for: nil, appliesOrientation: options.appliesOrientation)
        }
        self.options = options
        // What a decode needs depends on the size.
        info = try? Self.inspect(input, options)
    }

    static func inspect(
        _ input: ImageConversion.Input, _ options: DecodingOptions
    ) throws(ImageError) -> ImageInfo {
        let options = ImageConversion.inspection(options)
        switch input {
        case .data(let data): return try ImageInfo(data, options: options)
        case .file(let path):
            var reader = try FileReader(imageFile: path, limits: options.limits)
            return try reader.inspect(options: options)
        }
    }

    /// Bytes of the input, if they are held.
    var heldByteCount: Int {
        if case .data(let data) = input { data.count } else { 0 }
    }

    /// Remarks that are no failures.
    var warnings: [String] { info?.warnings ?? [] }

    /// A warning for people whose picture is the first of several frames.
    var firstFrameWarning: String? { info?.firstFrameWarning }

    /// A warning for people whose file gets longer although it was short by loss.
    ///
    /// - Parameter optionOf: how an option is called where the request comes from.
    func growthWarning(
        _ format: OutputFormat, _ writtenByteCount: Int, _ encoding: EncodingOptions, _ optionOf: (String) -> String
    ) -> String? {
        guard case .coded(.webP) = format, writtenByteCount > byteCount, let info, info.isLossy else { return nil }
        let growth = "\(writtenByteCount) bytes where the \(info.format.name) file has \(byteCount)"
        return encoding.keepsPixels || encoding.webp.isNearLossless
            ? "\(growth): webp is written without loss (\(optionOf("lossy")) takes fewer bytes)"
            : "\(growth) (a lower \(optionOf("quality")) takes fewer)"
    }
}
