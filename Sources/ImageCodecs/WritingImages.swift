// Pixels to an image file in one call.

extension Image {
    /// Writes the image to a file.
    ///
    /// - Parameters:
    ///   - path: created or replaced; `-` is standard output.
    ///   - format: the format to write; `nil` takes it from the extension of `path`, and where that says
    ///     nothing, from the image (see `CoderHelper.preferredFormat(for:)`).
    ///   - options: quality, background and size of the file.
    /// - Throws: `unsupported` when no coder of `CoderRegistry.shared` writes the format, `inputOutput` when
    ///   the file cannot be written; nothing is written when encoding fails.
    public func write(
        toFile path: String, format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) {
        let format = format ?? ImageFormat(pathExtensionOf: path)
        try ImageData(encoded(as: format, options: options)).write(toFile: path)
    }

    /// The bytes of an image file.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image (see
    ///     `CoderHelper.preferredFormat(for:)`), or PNG while no coder writes that.
    ///   - options: quality, background and size of the file.
    /// - Throws: `unsupported` when no coder of `CoderRegistry.shared` writes the format.
    public func encoded(
        as format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) -> [UInt8] {
        guard let format else { return try CoderRegistry.shared.encode(self, options: options) }
        return try CoderRegistry.shared.encode(self, to: format, options: options)
    }
}

extension ImageFormat {
    /// The format that the extension of a path promises: `out/cat.PNG` is ``png``; `nil` where there is no
    /// extension or nobody knows it.
    public init?(pathExtensionOf path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        self.init(fileExtension: String(name[name.index(after: dot)...]))
    }
}
