// Animations to an image file in one call.

public import ImageCodecsCore
import ImageEncoding

extension AnimatedImageProvider {
    /// Writes all frames to a file.
    ///
    /// The frames are asked for twice, in their order, and one is held at a time; see
    /// `CoderRegistry.encode(_:to:options:orientation:_:)`.
    ///
    /// <!-- snippet: Tests/ImageCodecsTests/WritingAnimationsTests.swift movie -->
    /// ```swift
    /// func convertMovie(_ path: String, to output: String) throws {
    ///     var options = DecodingOptions()
    ///     options.pixelFormat = .rgba
    ///     try AnimatedImage(contentsOfFile: path, options: options).write(toFile: output)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: created or replaced, at once or not at all (see `ImageData.write(toFile:)`); `-` is standard output.
    ///   - format: the format to write; `nil` chooses it by the extension of `path`, animated PNG for `.png`, and if there
    ///     is no extension, the animation's own if it can be written, else animated PNG.
    ///   - options: effort, background, metadata, number of plays, size of canvas and file.
    ///   - orientation: how the frames still have to be turned for viewing, which the file then says: that of `info` if the
    ///     animation was opened without `DecodingOptions.appliesOrientation`.
    /// - Throws: `invalidArgument` when `format` is `nil` and no format has the extension; `unsupported` when no coder of
    ///   `CoderRegistry.shared` writes animations as the format; `inputOutput` when the file cannot be written; what decoding
    ///   frames throws.
    public func write(
        toFile path: String, format: ImageFormat? = nil, options: EncodingOptions = .default,
        orientation: Orientation = .up
    ) throws(ImageError) {
        var format = format
        if format == nil { format = try RasterImage.format(forFile: path) }
        let chosen = format ?? ownFormat
        // Refused before anything at `path` is touched.
        guard options.firstFrameOnly || CoderRegistry.shared.canEncodeAnimation(to: chosen) else {
            throw .cannotEncodeAnimation(chosen, writable: CoderRegistry.shared.encodableAnimationFormats)
        }
        try FileReplacement.write(to: path) { (file) throws(ImageError) in
            try CoderRegistry.shared.encode(self, to: chosen, options: options, orientation: orientation) {
                (bytes) throws(ImageError) in try file.write(bytes)
            }
        }
    }

    /// The bytes of a file of all frames; see ``write(toFile:format:options:orientation:)``.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the animation's own if it can be written, else animated PNG.
    ///   - options: effort, background, metadata, number of plays, size of canvas and file.
    ///   - orientation: how the frames still have to be turned for viewing.
    /// - Throws: `unsupported` when no coder of `CoderRegistry.shared` writes animations as the format; what decoding frames
    ///   throws.
    public func encoded(
        as format: ImageFormat? = nil, options: EncodingOptions = .default, orientation: Orientation = .up
    ) throws(ImageError) -> [UInt8] {
        var file: [UInt8] = []
        try CoderRegistry.shared.encode(
            self, to: format ?? ownFormat, options: options, orientation: orientation
        ) { file.append(contentsOf: $0) }
        return file
    }

    /// The animation's own format if animations can be written as that, else animated PNG.
    private var ownFormat: ImageFormat {
        CoderRegistry.shared.canEncodeAnimation(to: info.format) ? info.format : .apng
    }
}
