// Calls without options: decoding and encoding as the defaults have it.

extension ImageCoder {
    /// Reads the headers, as ``inspect(_:options:)`` does with ``DecodingOptions/default``.
    public func inspect(_ data: ImageData) throws(ImageError) -> ImageInfo { try inspect(data, options: .default) }

    /// Decodes a whole file, as ``decode(_:options:)`` does with ``DecodingOptions/default``.
    public func decode(_ data: ImageData) throws(ImageError) -> RasterImage { try decode(data, options: .default) }

    /// Decodes a whole file into `bitmap`, as ``decode(_:into:options:)`` does with ``DecodingOptions/default``.
    @discardableResult
    public func decode(_ data: ImageData, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        try decode(data, into: &bitmap, options: .default)
    }

    /// Writes `image` as a file of `format`, as ``encode(_:to:options:)`` does with ``EncodingOptions/default``.
    public func encode(_ image: RasterImage, to format: ImageFormat) throws(ImageError) -> [UInt8] {
        try encode(image, to: format, options: .default)
    }
}

extension IncrementalImageCoder {
    /// Makes the decoder of one file, as ``makeIncrementalDecoder(options:)`` does with ``DecodingOptions/default``.
    public func makeIncrementalDecoder() -> any IncrementalImageDecoder { makeIncrementalDecoder(options: .default) }
}

extension AnimatedImageCoder {
    /// Opens an animation, as ``makeAnimation(from:options:)`` does with ``DecodingOptions/default``.
    public func makeAnimation(from data: ImageData) throws(ImageError) -> any AnimatedImageProvider {
        try makeAnimation(from: data, options: .default)
    }
}
