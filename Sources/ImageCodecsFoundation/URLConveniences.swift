// Files named by `URL`s.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageCodecs
public import ImagePipeline

extension RasterImage {
    /// Decodes the image file at a file URL; its name may set the scale, as in `cat@2x.png`.
    ///
    /// - Throws: `invalidArgument` when `url` is not a file URL, else what `RasterImage.init(contentsOfFile:options:)`
    ///   throws.
    public init(contentsOf url: URL, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(contentsOfFile: url.imageFilePath(), options: options)
    }

    /// Decodes the image file at a file URL without blocking the threads that tasks share; see
    /// `RasterImage.decoded(contentsOfFile:options:budget:)`.
    ///
    /// - Throws: `invalidArgument` when `url` is not a file URL, `cancelled` when the task is, else what
    ///   `RasterImage.init(contentsOfFile:options:)` throws.
    @concurrent
    public static func decoded(
        contentsOf url: URL, options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        try await decoded(contentsOfFile: url.imageFilePath(), options: options, budget: budget)
    }

    /// Writes the image to a file URL; see `RasterImage.write(toFile:format:options:)`.
    ///
    /// - Throws: `invalidArgument` when `url` is not a file URL, or when `format` is `nil` and nobody knows the
    ///   extension; `unsupported` when no coder writes the format; `inputOutput` when the file cannot be written.
    public func write(
        to url: URL, format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) {
        try write(toFile: url.imageFilePath(), format: format, options: options)
    }
}

extension AnimatedImage {
    /// Opens the image file at a file URL; decodes no frame.
    ///
    /// - Throws: `invalidArgument` if `url` is not a file URL, otherwise what `AnimatedImage.init(contentsOfFile:options:)`
    ///   throws.
    public init(contentsOf url: URL, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(contentsOfFile: url.imageFilePath(), options: options)
    }
}

extension ImageInfo {
    /// Reads the headers of the image file at a file URL; no pixel is allocated or decoded.
    ///
    /// - Throws: `invalidArgument` when `url` is not a file URL, else what
    ///   `ImageInfo.init(contentsOfFile:options:)` throws.
    public init(contentsOf url: URL, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(contentsOfFile: url.imageFilePath(), options: options)
    }
}

extension ImageData {
    /// Reads the image file at a file URL.
    ///
    /// - Parameters:
    ///   - url: a file URL.
    ///   - access: mapping must be asked for, see `ImageData.FileAccess`.
    ///   - maxByteCount: a longer file is refused before it is read.
    /// - Throws: `invalidArgument` when `url` is not a file URL, else what
    ///   `ImageData.init(contentsOfFile:access:maxByteCount:)` throws.
    public init(
        contentsOf url: URL, access: FileAccess = .read,
        maxByteCount: Int = DecodingLimits.default.maxInputByteCount
    ) throws(ImageError) {
        try self.init(contentsOfFile: url.imageFilePath(), access: access, maxByteCount: maxByteCount)
    }
}

extension URL {
    /// The path of a file URL, percent encoding undone.
    fileprivate func imageFilePath() throws(ImageError) -> String {
        guard isFileURL else { throw .invalidArgument("not a file URL: \(absoluteString)") }
        return path(percentEncoded: false)
    }
}
