// An image file into another one, row by row if both formats and the effort allow it.
//
//   file ──pieces──▶ decoder ──row──▶ RowReceiver ──▶ EncodingSession ──pieces──▶ file     some rows are held
//   file ──pieces──▶ decoder ──▶ RasterImage ──▶ EncodingSession ──pieces──▶ file          the picture is held

public import ImageCodecsCore
public import ImageEncoding
import ImagePhotoMetadata

/// Makes image files into files of another format, size or quality.
///
/// <!-- snippet: Tests/ImageCodecsTests/ImageConversionTests.swift convert -->
/// ```swift
/// var conversion = ImageConversion()
/// conversion.encoding.effort = .fast
/// try conversion.convert(contentsOfFile: huge, toFile: output)
/// ```
///
/// The file is read twice: first for what stands around its pixels, which goes to the front of the new file, then for the
/// pixels. With `EncodingOptions.Effort.fast` the rows of an upright picture that is not interlaced go from the decoder to
/// the encoder as they come: only small pictures are held, which an encoder looks at first. Of an animation the first frame is written.
public struct ImageConversion: Sendable {
    /// What a conversion has made.
    public struct Result: Sendable {
        /// Width and height of the picture in the new file, as stored.
        public var size: PixelSize
        /// Which part of the picture was decoded, if some of it could not be.
        public var partial: PartialReport?
        /// Whether rows went to the encoder as they were decoded; it may still have held a small picture.
        public var wasStreamed: Bool
        /// Kinds of metadata of which something has no place in the new file.
        public var lostMetadata: Set<ImageMetadata.Kind>
        /// What the new file scores, if `EncodingOptions.targetQuality` asked for a look and no limit of its length was in the way; less
        /// than was asked for if no file of the format looks better.
        public var reachedQuality: Double?
    }

    /// Where the bytes of an image file are.
    package enum Input: Sendable {
        case data(ImageData)
        /// A regular file, which can be read again.
        case file(String)
    }

    /// How files are read; by default in their own samples, and of animations the first frame.
    public var decoding: DecodingOptions
    /// How files are written.
    public var encoding: EncodingOptions
    /// Changes the decoded picture before it is written; the picture is held then.
    package var change: (@Sendable (inout RasterImage) throws(ImageError) -> Void)?

    /// A conversion that loses nothing the new format can hold.
    public init(encoding: EncodingOptions = .default) {
        decoding = DecodingOptions()
        decoding.pixelFormat = nil
        decoding.firstFrameOnly = true
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
        var result: Result?
        try FileReplacement.write(to: output) { (file) throws(ImageError) in
            result = try convert(contentsOfFile: path, to: format) { (bytes) throws(ImageError) in
                try file.write(bytes)
            }
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
        var reader = try FileReader(imageFile: path, limits: decoding.limits)
        let options = decoding.scaled(by: path)
        guard reader.regularFileSize != nil else {
            // A pipe is there only once.
            return try convert(reader.readToEnd(), to: format, options, sink)
        }
        let info = try? reader.inspect(options: Self.inspection(options))
        return try convert(.file(path), info, to: format, options, sink)
    }

    /// Makes the bytes of an image file into another, whose bytes are handed out as they come.
    @discardableResult
    public func convert(
        _ data: ImageData, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        try convert(data, to: format, decoding, sink)
    }

    private func convert(
        _ data: ImageData, to format: ImageFormat, _ options: DecodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        let info = try? ImageInfo(data, options: Self.inspection(options))
        return try convert(.data(data), info, to: format, options, sink)
    }

    /// Options for reading what stands around the pixels: all of it, and what a decode takes that makes no bitmap.
    package static func inspection(_ options: DecodingOptions) -> DecodingOptions {
        var options = options
        options.inspectsAllMetadata = true
        options.rowReceiver = .placeholder
        return options
    }
}

extension ImageConversion.Input {
    /// All of the bytes.
    package func whole(_ limits: DecodingLimits) throws(ImageError) -> ImageData {
        switch self {
        case .data(let data): return data
        case .file(let path):
            var reader = try FileReader(imageFile: path, limits: limits)
            return try reader.readToEnd()
        }
    }

    private static let pieceByteCount = 1 << 17

    /// Feeds a decoder.
    fileprivate func feed(
        _ decoder: inout any IncrementalImageDecoder, _ limits: DecodingLimits, _ progress: ProgressLog?
    ) throws(ImageError) {
        var fedByteCount = 0
        switch self {
        case .data(let data):
            try data.withBytes { (bytes) throws(ImageError) in
                while fedByteCount < bytes.count {
                    let end = min(fedByteCount + Self.pieceByteCount, bytes.count)
                    _ = try decoder.append(bytes.extracting(fedByteCount..<end))
                    fedByteCount = end
                    progress?.report(.reading, fedByteCount, of: bytes.count)
                }
            }
        case .file(let path):
            var reader = try FileReader(imageFile: path, limits: limits)
            let byteCount = reader.regularFileSize ?? 0
            try reader.forEachPiece(of: Self.pieceByteCount) { (piece) throws(ImageError) in
                _ = try decoder.append(piece)
                fedByteCount += piece.count
                progress?.report(.reading, fedByteCount, of: byteCount)
            }
        }
        _ = try decoder.finish()
    }
}

// MARK: - The two ways

extension ImageConversion {
    /// - Parameters:
    ///   - info: what stands around the pixels, read with ``inspection(_:)``; `nil` if the file cannot be described: decoding
    ///     it says why.
    ///   - options: what `info` was read with, in place of ``decoding``.
    package func convert(
        _ input: Input, _ info: ImageInfo?, to format: ImageFormat, _ options: DecodingOptions,
        _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        let options = info.map { convertingColors($0, to: format, options) } ?? options
        if let info, mayStream(info, options) {
            var session = try CoderRegistry.shared.makeEncodingSession(
                to: format, picture(info, options), from: .bitmap, options: encoding)
            if session.isStreaming { return try stream(input, into: &session, options, sink) }
        }
        var image = try RasterImage(input.whole(options.limits), options: options)
        try change?(&image)
        image.animation = nil
        if info.map({ changesPicture($0, options) }) ?? true { image.metadata.follow(.geometry) }
        return try write(image, to: format, sink)
    }

    /// Bytes that a conversion takes at most; of a picture that is held, with its bitmap.
    ///
    /// - Parameter fileByteCount: bytes of an input that is not held yet, but will be unless rows are streamed.
    package func estimatedByteCount(
        _ info: ImageInfo, to format: ImageFormat, _ options: DecodingOptions, fileByteCount: Int = 0
    ) -> Int {
        var info = info
        let given = options.color
        let options = convertingColors(info, to: format, options)
        if options.color != given {
            // As it is once colours are converted: a second bitmap, and tables.
            info.estimatedPeakByteCount = info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount)
                .addingSaturated(1 << 20)
        }
        let session = try? CoderRegistry.shared.makeEncodingSession(
            to: format, picture(info, options), from: .bitmap, options: encoding)
        guard let session else { return info.estimatedPeakByteCount }
        let both = info.estimatedPeakByteCount.addingSaturated(session.estimatedPeakByteCount)
        let isStreamed = session.isStreaming && mayStream(info, options)
        return isStreamed ? both : both.addingSaturated(info.decodedByteCount).addingSaturated(fileByteCount)
    }

    /// Options with which colours come out right in a file that has no place for what the picture says about them: they are converted to
    /// sRGB. Not if metadata are left out on purpose, or pixels have to stay.
    package func convertingColors(
        _ info: ImageInfo, to format: ImageFormat, _ options: DecodingOptions
    ) -> DecodingOptions {
        guard options.color == .asStored, !encoding.keepsPixels, info.metadata.colors != ImageMetadata() else {
            return options
        }
        let session = try? CoderRegistry.shared.makeEncodingSession(
            to: format, picture(info, options), from: .bitmap, options: encoding)
        let colors: Set<ImageMetadata.Kind> = [.iccProfile, .codePoints, .gamma, .chromaticities]
        guard let session, !session.lostMetadata.isDisjoint(with: colors) else { return options }
        var options = options
        options.color = .converted(to: .sRGB)
        return options
    }

    /// What is going to be encoded, as the headers say.
    private func picture(_ info: ImageInfo, _ options: DecodingOptions) -> EncodedPicture {
        var picture = EncodedPicture(
            size: info.decodedSize, format: info.decodedFormat,
            orientation: options.appliesOrientation ? .up : info.orientation, metadata: info.metadata)
        picture.isLossy = info.isLossy
        if changesPicture(info, options) { picture.metadata.follow(.geometry) }
        return picture
    }

    /// Whether the picture is turned, scaled or cut, so that a preview in its EXIF data shows another one.
    private func changesPicture(_ info: ImageInfo, _ options: DecodingOptions) -> Bool {
        change != nil || info.decodedSize != info.size || (options.appliesOrientation && info.orientation != .up)
    }

    /// Whether rows can be encoded as they are decoded, for all that the decoder's headers say. Which picture of an animation
    /// is the first is known only once it was decoded, if the file is damaged.
    private func mayStream(_ info: ImageInfo, _ options: DecodingOptions) -> Bool {
        change == nil && options.color == .asStored && info.animation == nil
            && (!options.appliesOrientation || info.orientation == .up)
    }

    private func stream(
        _ input: Input, into session: inout EncodingSession, _ options: DecodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        var options = options
        var image: RasterImage?
        var rowCount = 0
        try withRowReceiver({ (rows) throws(ImageError) in try session.write(rows: rows, to: sink) }) {
            (receiver) throws(ImageError) in
            options.rowReceiver = receiver
            var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
            try input.feed(&decoder, options.limits, encoding.progress)
            try receiver.check()
            image = try decoder.image()
            rowCount = receiver.rowCount
        }
        guard let image else { throw .invalidArgument("the decoder made no picture") }
        encoding.progress?.report(.compressing)
        if rowCount > 0 {
            try session.finish(to: sink)
        } else {
            // The decoder could not do without a bitmap after all.
            try session.encode(image.bitmap, to: sink)
        }
        return Result(
            size: session.writtenSize, partial: image.partial, wasStreamed: rowCount > 0,
            lostMetadata: session.lostMetadata)
    }

    private func write(
        _ image: RasterImage, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        var session = try CoderRegistry.shared.makeEncodingSession(
            to: format, EncodedPicture(image), from: .bitmap, options: encoding)
        try session.encode(image.bitmap, to: sink)
        return Result(
            size: session.writtenSize, partial: image.partial, wasStreamed: false, lostMetadata: session.lostMetadata,
            reachedQuality: session.reachedQuality)
    }
}
