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
        let warnings: [String]
    }

    var decoding: DecodingOptions
    var reduction: PictureReduction
    var encoding = EncodingOptions()
    var pixelFormat = PixelFormat.rgba
    /// Whether people expect all frames of an animation, and are warned if there is only the first.
    var wantsAllFrames = false
    /// Whether nothing may be lost; formats that always lose something are refused then.
    var isLossless = false

    /// Decodes and encodes one picture, when the budget has room for it.
    ///
    /// - Parameters:
    ///   - optionOf: how an option is called where the request comes from, for messages.
    ///   - sink: gets the file in pieces.
    func run(
        _ source: PictureSource, to format: OutputFormat, budget: DecodingBudget,
        optionOf: (String) -> String = { "--\($0)" }, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        try format.check(quality: encoding.quality.map { $0 * 100 }, isLossless: isLossless, optionOf: optionOf)
        let described = try DescribedPicture(source, decoding: decoding, reduction: reduction)
        return try budget.withBytes(blockingFor: estimatedByteCount(described, format)) { () throws(ImageError) in
            if let format = animationFormat(of: described, format) {
                return try writeAnimation(described, to: format, sink)
            }
            let losses = LossLog()
            let result = try write(described, to: format, losses, sink)
            let warnings =
                described.warnings
                + [wantsAllFrames ? described.firstFrameWarning : nil, result.partial?.summary].compactMap { $0 }
                + losses.warnings()
            return Result(size: result.size, partial: result.partial, warnings: warnings)
        }
    }

    /// Bytes of the input, if they are held, and of making the result.
    private func estimatedByteCount(_ picture: DescribedPicture, _ format: OutputFormat) -> Int {
        guard let info = picture.info else { return picture.heldByteCount }
        if let format = animationFormat(of: picture, format) {
            return picture.heldByteCount.addingSaturated(estimatedByteCount(ofAnimation: info, to: format))
        }
        if case .coded(let format) = format {
            return picture.heldByteCount
                .addingSaturated(conversion(picture.options).estimatedByteCount(info, to: format, picture.options))
        }
        // The bitmap, and the file, which is made as a whole.
        return picture.heldByteCount.addingSaturated(info.estimatedPeakByteCount)
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
        if reduction.mayCut {
            let reduction = reduction
            conversion.change = { (image) throws(ImageError) in try reduction.cut(&image) }
        }
        return conversion
    }

    private func write(
        _ picture: DescribedPicture, to format: OutputFormat, _ losses: LossLog, _ sink: EncodedBytesSink
    ) throws(ImageError) -> (size: PixelSize, partial: PartialReport?) {
        if case .coded(let format) = format {
            let result = try conversion(picture.options, losses).convert(
                picture.input, picture.info, to: format, picture.options, sink)
            return (result.size, result.partial)
        }
        var image = try RasterImage(picture.input.whole(decoding.limits), options: picture.options)
        try reduction.cut(&image)
        let bytes = try format.encode(image, pixelFormat: pixelFormat, options: encoding)
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        return (image.size, image.partial)
    }
}

// MARK: - Animations

extension PictureConversion {
    /// The format that all frames of a picture are written in; `nil` if only one picture is written.
    private func animationFormat(of picture: DescribedPicture, _ format: OutputFormat) -> ImageFormat? {
        guard wantsAllFrames, case .coded(let format) = format, picture.info?.animation != nil,
            CoderRegistry.shared.canEncodeAnimation(to: format)
        else { return nil }
        return format
    }

    /// Bytes of a frame at a time, and of writing them.
    private func estimatedByteCount(ofAnimation info: ImageInfo, to format: ImageFormat) -> Int {
        var options = encoding
        options.maxFileByteCount = nil
        let session = try? CoderRegistry.shared.makeAnimationEncodingSession(
            to: format, size: info.decodedSize, pixelFormat: .rgba, frameCount: 1, options: options)
        return info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount)
            .addingSaturated(session?.estimatedPeakByteCount ?? 0)
            .addingSaturated(encoding.maxFileByteCount ?? 0)
    }

    private func writeAnimation(
        _ picture: DescribedPicture, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        var options = picture.options
        options.firstFrameOnly = false
        options.pixelFormat = .rgba
        let animation = try CoderRegistry.shared.makeAnimation(
            from: picture.input.whole(options.limits), options: options)
        let orientation = options.appliesOrientation ? .up : animation.info.orientation
        let log = LossLog()
        var encoding = limitedEncoding
        encoding.losses = log
        let size = try CoderRegistry.shared.encode(
            animation, to: format, options: encoding, orientation: orientation, sink)
        let losses = try AnimationLosses(animation, writing: format, log)
        return Result(
            size: size, partial: animation.partial,
            warnings: picture.warnings + losses.warnings + [animation.partial?.summary].compactMap { $0 })
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
    /// `nil` if it cannot be read: decoding then reports what is wrong.
    let info: ImageInfo?

    /// Files from this size on are read twice instead of held.
    private static let largeFileByteCount = 1 << 22

    init(
        _ source: PictureSource, decoding: DecodingOptions, reduction: PictureReduction
    ) throws(ImageError) {
        var options = decoding
        switch source {
        case .bytes(let data): input = .data(data)
        case .file(let file):
            if options.scaleFactor == 1 { options.scaleFactor = RasterImage.scale(promisedBy: file.path) }
            var reader = try FileReader(picture: file, limits: options.limits)
            let isLarge = file.path != "-" && reader.regularFileSize ?? 0 >= Self.largeFileByteCount
            input = isLarge ? .file(file.path) : .data(try reader.readToEnd())
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

    private static func inspect(
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
}
