// An image file into another one: row by row if both formats and the effort allow it, and animations frame by frame.
//
//   file ──pieces──▶ decoder ──row──▶ RowReceiver ──▶ EncodingSession ──pieces──▶ file        some rows are held
//   file ──pieces──▶ decoder ──▶ RasterImage ──▶ EncodingSession ──pieces──▶ file             the picture is held
//   file ──▶ AnimatedImageProvider ──frame──▶ AnimationEncodingSession ──pieces──▶ file       a few frames are held

public import ImageCodecsCore
public import ImageEncoding

/// Makes image files into files of another format, size or quality.
///
/// <!-- snippet: Tests/ImageCodecsTests/Conversion/ImageConversionTests.swift convert -->
/// ```swift
/// var conversion = ImageConversion()
/// conversion.encoding.effort = .fast
/// try conversion.convert(contentsOfFile: huge, toFile: output)
/// ```
///
/// The headers are read first: what stands around the pixels goes to the front of the new file. ``plan(_:to:)`` ends there, and says what
/// the rest is going to take. Files from 4 MiB on are read a second time then; shorter ones, and pipes, are held.
///
/// With `EncodingOptions.Effort.fast` the rows of an upright picture that is not interlaced go from the decoder to the encoder as they come:
/// only small pictures are held, which an encoder looks at first. Animations keep all frames if the new format has animations; with
/// `firstFrameOnly` of either options, and in other formats, the first frame is written.
public struct ImageConversion: Sendable {
    /// What a conversion has made.
    public struct Result: Sendable {
        /// Width and height of the picture in the new file, as stored.
        public var size: PixelSize
        /// How many frames were asked for; 1 for a still picture.
        public var frameCount = 1
        /// Which part of the picture was decoded, if some of it could not be.
        public var partial: PartialReport?
        /// Whether rows went to the encoder as they were decoded; it may still have held a small picture.
        public var wasStreamed = false
        /// Kinds of metadata of which something has no place in the new file.
        public var lostMetadata: Set<ImageMetadata.Kind> = []
        /// What the new file scores, if `EncodingOptions.targetQuality` asked for a look and no limit of its length was in the way; less
        /// than was asked for if no file of the format looks better.
        public var reachedQuality: Double?
        /// What people may want to know of: what the new file has lost, and what was asked for in vain.
        public var remarks: [ConversionRemark] = []
    }

    /// How files are read; by default in their own samples, and all frames if the new format has animations.
    public var decoding: DecodingOptions
    /// How files are written.
    public var encoding: EncodingOptions
    /// Changes the decoded picture, or each frame, before it is written; a picture is held then. All frames of an animation have to have the same
    /// size afterwards.
    public var change: (@Sendable (inout RasterImage) throws(ImageError) -> Void)?

    /// A conversion that loses nothing the new format can hold.
    public init(encoding: EncodingOptions = .default) {
        decoding = DecodingOptions()
        decoding.pixelFormat = nil
        self.encoding = encoding
    }

    /// Makes the file at `path` into another.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - output: created or replaced, at once or not at all (see `ImageData.write(toFile:)`); `-` is standard output.
    ///   - format: the format to write; `nil` is what the extension of `output` says.
    /// - Throws: what reading, decoding, encoding and writing throw; `invalidArgument` if nothing says which format to write.
    @discardableResult
    public func convert(
        contentsOfFile path: String, toFile output: String, format: ImageFormat? = nil
    ) throws(ImageError) -> Result {
        guard let format = format ?? ImageFormat(pathExtensionOf: output) else {
            throw .invalidArgument("the name \(output) does not say which format to write")
        }
        let plan = try plan(contentsOfFile: path, to: format)
        var result: Result?
        try FileReplacement.write(to: output) { (file) throws(ImageError) in
            result = try plan.run { (bytes) throws(ImageError) in try file.write(bytes) }
        }
        guard let result else { throw .invalidArgument("nothing was written to \(output)") }
        return result
    }

    /// Makes the file at `path` into another, whose bytes are handed out as they come.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - format: the format to write.
    ///   - sink: gets the new file in pieces. What it throws ends the conversion.
    @discardableResult
    public func convert(
        contentsOfFile path: String, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        try plan(contentsOfFile: path, to: format).run(sink)
    }

    /// Makes the bytes of an image file into another, whose bytes are handed out as they come.
    @discardableResult
    public func convert(
        _ data: ImageData, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        try plan(data, to: format).run(sink)
    }
}
