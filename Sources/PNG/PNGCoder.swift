// The PNG coder: what the registry asks.

public import ImageCore

/// Decodes PNG, also incrementally and scaled down, and encodes it.
///
/// Of an animated PNG it decodes the default image.
public struct PNGCoder: ProgressiveImageCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// PNG.
    public var decodableFormats: [ImageFormat] { [.png] }

    /// Whether `header` starts with PNG's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.png.match(header) == .whole }

    /// Reads the chunks in front of the image data and those behind them; the image data are passed over.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        var session = makeSession(options, .inspection, inputByteCount: data.count)
        return try session.inspectAll(data)
    }

    /// Decodes a whole file.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> Image {
        var session = makeSession(options, .oneShot, inputByteCount: data.count)
        return try session.decodeAll(data)
    }

    /// Decodes a whole file into the memory of `bitmap` where it fits; see `ImageCoder`.
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        var session = makeSession(options, .oneShot, inputByteCount: data.count, donor: bitmap.moved())
        return try session.decodeAll(data, into: &bitmap)
    }

    private func makeSession(
        _ options: DecodingOptions, _ purpose: DecodingPurpose, inputByteCount: Int = .max,
        donor: consuming Bitmap? = nil
    ) -> DecodingSession<PNGStream> {
        let request = DecodingRequest(options: options, purpose: purpose, inputByteCount: inputByteCount)
        return DecodingSession(request, PNGStream(request, donor: donor))
    }

    /// Whether `format` is PNG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .png }

    /// Writes the image's bitmap as a PNG file of the smallest colour type and depth that keep every pixel.
    ///
    /// - Throws: `unsupported` for another format, `invalidArgument` for an empty picture or when no size fits
    ///   `EncodingOptions.maxFileSize`, `limitExceeded` for a side of 2^31 pixels or more, `cancelled`.
    public func encode(
        _ image: Image, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        guard canEncode(to: format) else { throw .unsupported(format, feature: "encoding by the PNG coder") }
        return try PNGEncoder(options: options).encode(image)
    }

    /// A decoder that has seen nothing yet.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        PNGDecoder(options: options)
    }
}

extension PNGCoder: IncrementallyInspectingCoder {
    package func makeInspector(options: DecodingOptions, inputByteCount: Int) -> any IncrementalInspector {
        SessionInspector(makeSession(options, .inspection, inputByteCount: inputByteCount))
    }
}
