// One picture: bytes of a file in, bytes of another out, as the options of an address say.
//
//   inspect ──▶ plan ──▶ decode at size ──▶ turn ──▶ crop ──▶ cut ──▶ blur, sharpen ──▶ canvas ──▶ mark ──▶ encode

import ImageCodecs
import ImagePipeline
import ImageProxyURL

/// Makes pictures for all requests, within one memory budget.
package struct PictureProcessing: Sendable {
    /// An image file and its format.
    package struct Output: Sendable {
        package let format: ImageFormat
        package let bytes: [UInt8]
    }

    /// Bounds of each picture.
    package var limits: DecodingLimits
    /// The longest side of a result.
    package var maxResultSide = 8_192
    /// The most frames of an animation that is written; of longer ones, and if this is 1 of all, the first is.
    package var maxFrameCount = 300
    /// 1...100, for formats that lose something.
    package var quality = 80
    /// Laid over pictures that ask for it.
    package var watermark: RasterImage?
    /// Shared by every decode and encode.
    package let budget: DecodingBudget

    /// Creates it.
    package init(limits: DecodingLimits = .untrusted, budget: DecodingBudget) {
        (self.limits, self.budget) = (limits, budget)
    }

    /// The picture that an address asks for.
    ///
    /// - Parameters:
    ///   - data: the file of the source.
    ///   - options: what is asked for.
    ///   - preferred: the format for a picture if the address names none; gets the source's, and whether there is transparency or movement.
    package func output(
        of data: ImageData, _ options: ProcessingOptions, preferred: @Sendable (PictureKind) -> ImageFormat
    ) async throws(ImageError) -> Output {
        var inspection = DecodingOptions()
        inspection.limits = limits
        inspection.firstFrameOnly = true
        inspection.appliesOrientation = options.turnsUpright
        let info = try ImageInfo(data, options: inspection)
        let isAnimated = info.animation != nil && maxFrameCount > 1
        let kind = PictureKind(
            source: info.format, hasAlpha: info.hasAlpha || info.animation != nil, isAnimated: isAnimated)
        let format = options.format?.imageFormat ?? preferred(kind)
        let keepsFrames = isAnimated && CoderRegistry.shared.canEncodeAnimation(to: format)

        let upright = options.turnsUpright && info.orientation.swapsAxes ? info.size.transposed : info.size
        let isTurned = !options.quarterTurns.isMultiple(of: 2)
        let plan = PicturePlan(isTurned ? upright.transposed : upright, options)
        try check(plan, options)

        let scaled = isTurned ? plan.scaled.transposed : plan.scaled
        let decoding = self.decoding(options, scaled, upright, keepsFrames)
        let image = try await RasterImage.decoded(from: data, options: decoding, budget: budget)
        let made = try await image.changed(budget: budget) { (image) throws(ImageError) in
            try changed(image, plan, options)
        }
        let encoding = self.encoding(options, format, keepsFrames)
        return Output(format: format, bytes: try await made.encoded(as: format, options: encoding, budget: budget))
    }

    /// Refuses results that are too large.
    private func check(_ plan: PicturePlan, _ options: ProcessingOptions) throws(ImageError) {
        let padding = Double(options.padding.max() ?? 0) * options.dpr * 2
        for size in [plan.scaled, plan.canvas] {
            let side = max(size.width, size.height) + Int(padding)
            // A picture that is only cropped is decoded as large as it is.
            let allowed =
                size == plan.scaled && plan.factorX <= 1 && plan.factorY <= 1 ? limits.maxDimension : maxResultSide
            guard side <= allowed else { throw .limitExceeded(.dimension, requested: side, allowed: allowed) }
        }
    }

    private func decoding(
        _ options: ProcessingOptions, _ scaled: PixelSize, _ upright: PixelSize, _ keepsFrames: Bool
    ) -> DecodingOptions {
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.limits.maxFrameCount = maxFrameCount
        decoding.firstFrameOnly = !keepsFrames
        decoding.appliesOrientation = options.turnsUpright
        if scaled.width < upright.width || scaled.height < upright.height {
            decoding.size = .fitting(
                PixelSize(width: min(scaled.width, upright.width), height: min(scaled.height, upright.height)), .stretch
            )
        }
        if options.stripsColorProfile { decoding.color = .converted(to: .sRGB) }
        return decoding
    }

    /// What happens to the pixels.
    private func changed(
        _ decoded: RasterImage, _ plan: PicturePlan, _ options: ProcessingOptions
    ) throws(ImageError) -> RasterImage {
        var image = decoded
        if options.quarterTurns > 0 { image = try image.rotated(Self.rotations[options.quarterTurns - 1]) }
        if image.size != plan.scaled { image = try image.scaled(to: plan.scaled) }
        image = try kept(
            plan.part, of: image, options.cropGravity ?? options.gravity, scale: (plan.factorX, plan.factorY))
        image = try kept(plan.result, of: image, options.gravity, scale: (options.dpr, options.dpr))
        if options.blur > 0 { image = try image.blurred(radius: options.blur * options.dpr) }
        if options.sharpen > 0 {
            image = try image.mappingBitmaps { (bitmap) throws(ImageError) in
                try bitmap.sharpened(radius: options.sharpen * options.dpr)
            }
        }
        image = try extended(image, plan, options)
        return try marked(image, options)
    }

    private static let rotations: [RasterImage.Rotation] = [.clockwise, .half, .counterclockwise]

    /// The part of a picture that a gravity names.
    private func kept(
        _ size: PixelSize, of image: RasterImage, _ gravity: Gravity, scale: (x: Double, y: Double)
    ) throws(ImageError) -> RasterImage {
        let size = PixelSize(width: min(size.width, image.width), height: min(size.height, image.height))
        guard size != image.size else { return image }
        let origin =
            gravity.kind == .smart
            ? try SmartCrop.origin(of: size, in: image) : gravity.origin(of: size, in: image.size, scale: scale)
        return try image.cropped(to: PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height))
    }

    /// The picture on its canvas and with its padding, laid over the background.
    private func extended(
        _ image: RasterImage, _ plan: PicturePlan, _ options: ProcessingOptions
    ) throws(ImageError) -> RasterImage {
        let padding = options.padding.map { Int((Double($0) * options.dpr).rounded()) }
        let size = PixelSize(
            width: plan.canvas.width + padding[1] + padding[3], height: plan.canvas.height + padding[0] + padding[2])
        let isFlattened = options.background != nil && image.bitmap.format.hasAlpha
        guard size != image.size || isFlattened else { return image }
        let gravity = options.extend ?? options.extendAspectRatio ?? .center
        let origin = gravity.origin(of: image.size, in: plan.canvas, scale: (options.dpr, options.dpr))
        return try image.mappingBitmaps { (bitmap) throws(ImageError) in
            try bitmap.placed(
                on: size, x: origin.x + padding[3], y: origin.y + padding[0], background: options.background)
        }
    }

    /// The picture with the watermark.
    private func marked(_ image: RasterImage, _ options: ProcessingOptions) throws(ImageError) -> RasterImage {
        guard let mark = options.watermark, var picture = watermark else { return image }
        let side =
            mark.scale > 0
            ? PixelSize(
                width: max(1, Int(mark.scale * Double(image.width))),
                height: max(1, Int(mark.scale * Double(image.height))))
            : PixelSize(
                width: max(1, Int(Double(picture.width) * options.dpr)),
                height: max(1, Int(Double(picture.height) * options.dpr)))
        let size = picture.size.fitted(in: side, fit: .fit, scalesUp: true)
        if size != picture.size, max(size.width, size.height) <= maxResultSide {
            picture = try picture.scaled(to: size)
        }
        let opacity = Int((mark.opacity * 255).rounded())
        return try image.mappingBitmaps { (bitmap) throws(ImageError) in
            var result = try bitmap.converted(to: bitmap.format.hasAlpha ? .rgbaPremultiplied : .rgb)
            for (x, y) in Self.places(of: mark, picture.size, in: bitmap.size, options.dpr) {
                try result.draw(picture.bitmap, x: x, y: y, opacity: opacity)
            }
            return result
        }
    }

    private static func places(
        of mark: Watermark, _ size: PixelSize, in whole: PixelSize, _ dpr: Double
    ) -> [(x: Int, y: Int)] {
        guard mark.isRepeated else {
            let inside = PixelSize(width: min(size.width, whole.width), height: min(size.height, whole.height))
            return [mark.gravity.origin(of: inside, in: whole, scale: (dpr, dpr))]
        }
        let (columns, rows) = (whole.width / max(8, size.width) + 1, whole.height / max(8, size.height) + 1)
        return (0..<rows).flatMap { row in
            (0..<columns).map { (x: $0 * max(8, size.width), y: row * max(8, size.height)) }
        }
    }

    private func encoding(_ options: ProcessingOptions, _ format: ImageFormat, _ keepsFrames: Bool) -> EncodingOptions {
        var encoding = EncodingOptions()
        encoding.firstFrameOnly = !keepsFrames
        let own = OutputFormat.allCases.first { $0.imageFormat == format }.flatMap { options.formatQuality[$0] } ?? 0
        if format == .jpeg || format == .webP {
            let quality = [own, options.quality, self.quality].first { $0 > 0 } ?? self.quality
            encoding.quality = Double(quality) / 100
        }
        if options.maxByteCount > 0 { encoding.maxFileByteCount = options.maxByteCount }
        encoding.background = options.background
        encoding.metadata = options.stripsMetadata ? (options.stripsColorProfile ? .none : .colors) : .all
        encoding.limits.maxTime = limits.maxTime
        encoding.limits.maxMemoryByteCount = limits.maxMemoryByteCount
        return encoding
    }
}

/// What the format of a result depends on.
package struct PictureKind: Hashable, Sendable {
    /// The format of the source.
    package var source: ImageFormat
    /// Whether it may have transparent pixels.
    package var hasAlpha: Bool
    /// Whether all frames are written, if the format can have several.
    package var isAnimated: Bool
}

extension OutputFormat {
    /// The format of the codecs.
    package var imageFormat: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .apng: .apng
        case .gif: .gif
        case .webp: .webP
        }
    }
}
