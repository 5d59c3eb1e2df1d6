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
    public func canDecode(_ header: Span<UInt8>) -> Bool {
        header.count >= 3 && header[0] == 0xFF && header[1] == 0xD8 && header[2] == 0xFF
    }

    /// Reads every segment; entropy-coded data are passed over.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in
            var decoder = JPEGDecoder(options: options, purpose: .inspection, donor: nil)
            do throws(ImageError) {
                try decoder.decodeAll(bytes)
            } catch {
                // Damage behind the headers is not an inspection's business.
                guard decoder.info != nil, case .truncated = error else { throw error }
            }
            guard let info = decoder.info else { throw .truncated(.jpeg, offset: bytes.count) }
            return info
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
        // The only reference travels inwards: a bitmap that somebody else holds is not reused.
        var donor: Bitmap? = bitmap
        bitmap = .empty
        let image = try decode(data, reusing: &donor, options: options)
        bitmap = image.bitmap
        return image.partial
    }

    private func decode(
        _ data: ImageData, reusing donor: inout Bitmap?, options: DecodingOptions
    ) throws(ImageError) -> Image {
        var decoder = JPEGDecoder(options: options, purpose: .oneShot, donor: donor.take())
        try data.withBytes { (bytes) throws(ImageError) in try decoder.decodeAll(bytes) }
        guard let image = try decoder.image() else { throw .truncated(.jpeg, offset: data.count) }
        return image
    }

    /// A decoder that has seen nothing yet.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        JPEGDecoder(options: options)
    }
}
