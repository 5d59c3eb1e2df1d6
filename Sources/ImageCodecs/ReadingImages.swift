// Any image file or any bytes to pixels, or to what their headers say, in one call.

extension RasterImage {
    /// Decodes the image file at `path`; the format is recognised by its first bytes.
    ///
    /// A file that starts like no image is not read any further. No file, pipe or device is read
    /// beyond `DecodingLimits.maxInputByteCount`.
    ///
    /// If `options` leave `DecodingOptions.scaleFactor` at 1, a marker in the file's name sets
    /// `RasterImage.scale`: `cat@2x.png` has two pixels to the point (see `RasterImage.scale(promisedBy:)`).
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - options: size, pixel format, strictness and limits of the decode.
    /// - Throws: `inputOutput` when the file cannot be read, `limitExceeded(.input)` when it is too long, else what
    ///   ``init(_:options:)-(ImageData,_)`` throws.
    public init(contentsOfFile path: String, options: DecodingOptions = .default) throws(ImageError) {
        let options = options.scaled(by: path)
        var reader = try FileReader(imageFile: path, limits: options.limits)
        try self.init(reader.readToEnd(), options: options)
    }

    /// Decodes the bytes of an image file: an array, a slice of one, or any other sequence, which is copied.
    ///
    /// - Throws: see ``init(_:options:)-(ImageData,_)``.
    public init(_ bytes: some Sequence<UInt8>, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(bytes), options: options)
    }

    /// Decodes the bytes of an image file.
    ///
    /// - Throws: `unknownFormat` when no coder of `CoderRegistry.shared` recognises the bytes; `unsupported`,
    ///   `corrupt` or `truncated` with format and byte offset; `limitExceeded` before anything larger than
    ///   `DecodingOptions.limits` is allocated; `cancelled` when the surrounding task is.
    public init(_ data: ImageData, options: DecodingOptions = .default) throws(ImageError) {
        self = try CoderRegistry.shared.decode(data, options: options)
    }
}

extension ImageInfo {
    /// Reads the headers of the image file at `path`; no pixel is allocated or decoded.
    ///
    /// A file that starts like no image is not read any further. No file, pipe or device is read
    /// beyond `DecodingLimits.maxInputByteCount`.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - options: what a later decode would be asked for: `ImageInfo.decodedByteCount` and
    ///     `ImageInfo.estimatedPeakByteCount` are those of a decode with these options.
    /// - Throws: `inputOutput` when the file cannot be read, `limitExceeded(.input)` when it is too long, else as for
    ///   `RasterImage.init(_:options:)`.
    public init(contentsOfFile path: String, options: DecodingOptions = .default) throws(ImageError) {
        var reader = try FileReader(imageFile: path, limits: options.limits)
        self = try reader.inspect(options: options)
    }

    /// Reads the headers of an image file in memory: an array, a slice of one, or any other sequence, which is copied.
    ///
    /// - Throws: see ``init(contentsOfFile:options:)``.
    public init(_ bytes: some Sequence<UInt8>, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(bytes), options: options)
    }

    /// Reads the headers of an image file in memory; see ``init(contentsOfFile:options:)``.
    public init(_ data: ImageData, options: DecodingOptions = .default) throws(ImageError) {
        self = try CoderRegistry.shared.inspect(data, options: options)
    }
}

extension DecodingOptions {
    /// The same, with the scale that a file's name states if there is no other.
    package func scaled(by path: String) -> DecodingOptions {
        guard scaleFactor == 1 else { return self }
        var options = self
        options.scaleFactor = RasterImage.scale(promisedBy: path)
        return options
    }
}
