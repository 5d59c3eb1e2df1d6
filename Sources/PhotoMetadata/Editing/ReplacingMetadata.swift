// Files written anew with other metadata, their pixels not touched.

public import ImageCodecsCore

/// A coder that can write a file anew with other metadata; nothing is decoded.
public protocol MetadataReplacingCoder: ImageCoder {
    /// Writes a file anew with other metadata.
    ///
    /// Whatever is the same in the file and in `metadata` stays in the file as it is, byte for byte; what is `nil` or empty is removed.
    /// Pictures, frames and what the coder does not know stay. EXIF and XMP blocks that readers pass over, second and damaged
    /// ones, do not, nor do such texts of PNG files: what was removed from the one that is read may be in them.
    ///
    /// - Parameters:
    ///   - file: a whole file of this coder's format.
    ///   - metadata: what the file is to say. The orientation counts as well: what it is decides how viewers turn the picture,
    ///     whatever EXIF says. So start with `ImageInfo.metadata`, not with that of a decoded picture, which was turned already.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat`, `unsupported`, `corrupt`, `truncated` and `limitExceeded` as `ImageCoder.inspect(_:options:)`
    ///   does; `invalidArgument` for more than a file of this format can hold.
    func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits
    ) throws(ImageError) -> ImageData
}

/// A coder of this package, which writes a file anew whose metadata were read already.
package protocol MetadataRewritingCoder: MetadataReplacingCoder {
    /// Writes a file anew; see ``MetadataReplacingCoder``.
    ///
    /// - Parameter difference: from all metadata of the file, as ``storedMetadata(of:limits:)`` gives them.
    func rewriting(
        _ file: ImageData, _ difference: MetadataDifference, limits: DecodingLimits
    ) throws(ImageError) -> ImageData
}

extension MetadataRewritingCoder {
    /// Reads what a file says, and writes it anew where `metadata` say otherwise.
    package func rewriting(
        _ file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits
    ) throws(ImageError) -> ImageData {
        let before = try storedMetadata(of: file, limits: limits)
        return try rewriting(file, MetadataDifference(from: before, to: metadata), limits: limits)
    }
}

extension ImageCoder {
    /// All metadata of a file, as stored.
    package func storedMetadata(of file: ImageData, limits: DecodingLimits) throws(ImageError) -> ImageMetadata {
        try inspect(file, options: .allMetadata(limits)).metadata
    }
}

extension DecodingOptions {
    /// For an inspection that keeps all metadata of a file, wherever they stand and however damaged it is.
    package static func allMetadata(_ limits: DecodingLimits) -> Self {
        var options = Self()
        options.limits = limits
        options.strictness = .tolerant
        options.inspectsAllMetadata = true
        options.rowReceiver = .placeholder
        options.firstFrameOnly = true
        return options
    }
}

extension CoderRegistry: MetadataReplacingCoder {
    /// Writes a file anew with other metadata, with the first coder that can; see ``MetadataReplacingCoder``.
    ///
    /// - Throws: also `unsupported` for formats whose metadata no coder replaces.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        try replacing(in: file, limits) { (coder, limits) throws(ImageError) in
            try coder.replacingMetadata(of: file, with: metadata, limits: limits)
        }
    }

    /// Asks the first coder that writes such files anew.
    private func replacing(
        in file: ImageData, _ limits: DecodingLimits,
        _ body: (any MetadataReplacingCoder, DecodingLimits) throws(ImageError) -> ImageData
    ) throws(ImageError) -> ImageData {
        var options = DecodingOptions()
        options.limits = limits
        return try ask(file, options) { (coder, options) throws(ImageError) -> ImageData in
            guard let coder = coder as? any MetadataReplacingCoder else {
                let format = file.withBytes {
                    ImageFormat(sniffing: $0.extracting(first: ImageFormat.sniffingByteCount))
                }
                throw .unsupported(format ?? coder.decodableFormats.first ?? .png, feature: "replacing metadata")
            }
            return try body(coder, options.limits)
        }
    }

    /// Writes a file anew with metadata changed; see ``MetadataReplacingCoder``.
    ///
    /// ```swift
    /// let clean = try CoderRegistry.shared.editingMetadata(of: file) { (metadata) throws(ImageError) in
    ///     metadata.removeLocation()
    ///     try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: "Ada") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - file: a whole file.
    ///   - limits: bounds on reading it.
    ///   - change: gets what the file says, and changes it.
    /// - Throws: as ``replacingMetadata(of:with:limits:)``, and what `change` throws.
    public func editingMetadata(
        of file: ImageData, limits: DecodingLimits = .default,
        _ change: (inout ImageMetadata) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageData {
        let before = try storedMetadata(of: file, limits: limits)
        var metadata = before
        try change(&metadata)
        let difference = MetadataDifference(from: before, to: metadata)
        return try replacing(in: file, limits) { (coder, limits) throws(ImageError) in
            guard let coder = coder as? any MetadataRewritingCoder else {
                return try coder.replacingMetadata(of: file, with: metadata, limits: limits)
            }
            return try coder.rewriting(file, difference, limits: limits)
        }
    }
}
