// One picture made into another: what convert, thumbnail and the worker do with each.

import ImageCodecs
import ImagePipeline

/// How pictures are decoded, reduced, cut and encoded.
struct PictureConversion: Sendable {
    /// What of a file's metadata goes with the picture.
    enum KeptMetadata: String, CaseIterable, Sendable {
        case all, colors, none
    }

    /// A picture ready to be written.
    struct Result: Sendable {
        let bytes: [UInt8]
        let size: PixelSize
        /// What was missing in the input, if something was.
        let partial: PartialReport?
    }

    var decoding: DecodingOptions
    var reduction: PictureReduction
    var encoding = EncodingOptions()
    var pixelFormat = PixelFormat.rgba
    var keptMetadata = KeptMetadata.all
    /// Whether people expect all frames of an animation, and are warned that there is only the first.
    var warnsAboutOtherFrames = false

    /// Decodes and encodes one picture, when the budget has room for it.
    func run(
        _ input: InputPicture, to format: OutputFormat, budget: DecodingBudget
    ) throws(ImageError) -> Result {
        try budget.withBytes(blockingFor: input.estimatedByteCount) { () throws(ImageError) in
            var image = try input.decode()
            try reduction.cut(&image)
            if keptMetadata == .colors { image.metadata = image.metadata.colors }
            var encoding = encoding
            encoding.writesMetadata = keptMetadata != .none
            let bytes = try format.encode(image, pixelFormat: pixelFormat, options: encoding)
            return Result(
                bytes: bytes, size: try size(of: bytes, image, format), partial: image.partial)
        }
    }

    /// Remarks about a picture that was converted.
    func warnings(about input: InputPicture, _ result: Result) -> [String] {
        input.warnings
            + [warnsAboutOtherFrames ? input.firstFrameWarning : nil, result.partial?.summary].compactMap { $0 }
    }

    /// The size of what was written: an encoder may have made the picture smaller to meet a number of bytes.
    private func size(
        of bytes: [UInt8], _ image: RasterImage, _ format: OutputFormat
    ) throws(ImageError) -> PixelSize {
        guard encoding.maxFileByteCount != nil, case .coded = format else { return image.size }
        var options = DecodingOptions()
        options.limits = .unlimited
        return try CoderRegistry.shared.readHeaders(of: ImageData(bytes), options: options).size
    }
}
