// The JPEG coder: what the registry asks.

public import ImageCore
import JPEGBaseline

/// Decodes JPEG, also incrementally and scaled down.
public struct JPEGCoder: ProgressiveImageCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// JPEG.
    public var decodableFormats: [ImageFormat] { [.jpeg] }

    /// Whether `header` starts with an SOI marker and the first byte of another.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.jpeg.match(header) == .whole }

    /// Reads every segment; entropy-coded data are passed over.
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
        // The only reference travels inwards: a bitmap that somebody else holds is not reused.
        var session = makeSession(options, .oneShot, inputByteCount: data.count, donor: bitmap.moved())
        return try session.decodeAll(data, into: &bitmap)
    }

    private func makeSession(
        _ options: DecodingOptions, _ purpose: DecodingPurpose, inputByteCount: Int = .max,
        donor: consuming Bitmap? = nil
    ) -> DecodingSession<JPEGStream> {
        JPEGDecoder.makeSession(
            DecodingRequest(options: options, purpose: purpose, inputByteCount: inputByteCount), donor: donor)
    }

    /// A decoder that has seen nothing yet.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        JPEGDecoder(options: options)
    }
}

extension JPEGCoder: IncrementallyInspectingCoder {
    package func makeInspector(options: DecodingOptions, inputByteCount: Int) -> any IncrementalInspector {
        SessionInspector(makeSession(options, .inspection, inputByteCount: inputByteCount))
    }
}
