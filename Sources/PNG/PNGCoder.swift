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
    public func canDecode(_ header: Span<UInt8>) -> Bool {
        guard header.count >= PNGDecoder.signature.count else { return false }
        for index in PNGDecoder.signature.indices where header[index] != PNGDecoder.signature[index] { return false }
        return true
    }

    /// Reads the chunks in front of the image data, and looks behind it for an orientation.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in
            var decoder = PNGDecoder(options: options, purpose: .inspection)
            _ = try decoder.append(bytes)
            guard let info = decoder.info else {
                // Throws what is wrong with the headers, which tolerant decoding only notes.
                _ = try decoder.finish()
                throw .truncated(.png, offset: bytes.count)
            }
            return try decoder.inspectTail(of: bytes) ?? info
        }
    }

    /// Decodes a whole file.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> Image {
        var nothing: Bitmap?
        return try decode(data, reusing: &nothing, options: options)
    }

    /// Decodes a whole file into the memory of `bitmap` where it fits; see `ImageCoder`.
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        // Moved out, so that the decoder holds the only reference.
        var donor: Bitmap? = bitmap
        bitmap = .empty
        let image = try decode(data, reusing: &donor, options: options)
        bitmap = image.bitmap
        return image.partial
    }

    private func decode(
        _ data: ImageData, reusing donor: inout Bitmap?, options: DecodingOptions
    ) throws(ImageError) -> Image {
        var decoder = PNGDecoder(options: options, purpose: .oneShot, donor: donor.take())
        try data.withBytes { (bytes) throws(ImageError) in _ = try decoder.append(bytes) }
        _ = try decoder.finish()
        guard let image = try decoder.image() else { throw .truncated(.png, offset: data.count) }
        return image
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
