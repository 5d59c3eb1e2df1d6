// Pixels to an image file in one call.

import ImageEncoding

extension RasterImage {
    /// Writes the image to a file.
    ///
    /// - Parameters:
    ///   - path: created or replaced, at once or not at all (see `ImageData.write(toFile:)`); `-` is standard output.
    ///   - format: the format to write; `nil` chooses it by the extension of `path`, and if there is no
    ///     extension, from the image: the one that suits it, or (animated) PNG while no coder writes that (see
    ///     `ImageFormat.preferred(for:)`).
    ///   - options: quality, effort, background, metadata and size of the file.
    /// - Throws: `invalidArgument` when `format` is `nil` and nobody knows the extension; `unsupported` when no coder
    ///   of `CoderRegistry.shared` writes the format; `inputOutput` when the file cannot be written. When encoding fails, a
    ///   file stays what it was; a pipe, a device or standard output has got what was written until then.
    public func write(
        toFile path: String, format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) {
        var format = format
        if format == nil { format = try Self.format(forFile: path) }
        let registry = CoderRegistry.shared
        let chosen = format ?? registry.formatToWrite(self)
        let options = format == nil ? registry.qualityUsed(options, writing: chosen) : options
        // Refused before anything at `path` is touched.
        guard CoderRegistry.shared.canEncode(to: chosen) else {
            throw .cannotEncode(chosen, writable: CoderRegistry.shared.encodableFormats)
        }
        try FileReplacement.write(to: path) { (file) throws(ImageError) in
            try CoderRegistry.shared.encode(self, to: chosen, options: options) { (bytes) throws(ImageError) in
                try file.write(bytes)
            }
        }
    }

    /// The format that the extension of a path asks for; `nil` without an extension.
    static func format(forFile path: String) throws(ImageError) -> ImageFormat? {
        guard let fileExtension = ImageFormat.pathExtension(of: path) else { return nil }
        guard let format = ImageFormat(fileExtension: fileExtension) else {
            throw .invalidArgument("no format has the file extension .\(fileExtension): name the format to write")
        }
        return format
    }

    /// The bytes of an image file.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image (see
    ///     `ImageFormat.preferred(for:)`), or (animated) PNG while no coder writes that.
    ///   - options: quality, effort, background, metadata and size of the file.
    /// - Throws: `unsupported` when no coder of `CoderRegistry.shared` writes the format.
    public func encoded(
        as format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) -> [UInt8] {
        guard let format else { return try CoderRegistry.shared.encode(self, options: options) }
        return try CoderRegistry.shared.encode(self, to: format, options: options)
    }

    /// The bytes of an image file of this quality.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image, which may be one that loses nothing.
    ///   - quality: 0...1; see `EncodingOptions.quality`.
    /// - Throws: `unsupported` when no coder of `CoderRegistry.shared` writes the format, `invalidArgument` for a quality and a named
    ///   format that loses nothing.
    public func encoded(as format: ImageFormat? = nil, quality: Double) throws(ImageError) -> [UInt8] {
        try encoded(as: format, options: EncodingOptions(quality: quality))
    }
}

extension ImageFormat {
    /// The format that the extension of a path names: `out/cat.PNG` is `ImageFormat.png`; `nil` if there is no
    /// extension or nobody knows it.
    public init?(pathExtensionOf path: String) {
        guard let fileExtension = Self.pathExtension(of: path) else { return nil }
        self.init(fileExtension: fileExtension)
    }

    /// What stands after the last dot of a file's name, if anything does; a leading dot is part of the name.
    package static func pathExtension(of path: String) -> String? {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let fileExtension = name[name.index(after: dot)...]
        return fileExtension.isEmpty ? nil : String(fileExtension)
    }
}
