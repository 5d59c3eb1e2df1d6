// One picture into another file: row by row, or held.

import ImageCodecsCore
import ImageEncoding
import ImagePhotoMetadata

extension ImageConversion {
    /// Makes one picture of a file into another, of an animation its first frame.
    ///
    /// - Parameters:
    ///   - info: what stands around the pixels; `nil` if the file cannot be described: decoding it says why.
    ///   - options: how the file is decoded, in place of ``decoding``.
    func convertPicture(
        _ input: Input, _ info: ImageInfo?, to format: ImageFormat, _ options: DecodingOptions,
        _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
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

    /// Bytes that making one picture takes at most, with its bitmap if that is held.
    ///
    /// - Parameters:
    ///   - inspected: what `info` was read with.
    ///   - options: how the picture is decoded: the same, or with other colours.
    func estimatedByteCount(
        _ info: ImageInfo, to format: ImageFormat, _ inspected: DecodingOptions, _ options: DecodingOptions,
        _ input: Input
    ) -> Int {
        var decoding = info.estimatedPeakByteCount
        if options.color != inspected.color {
            // As it is once colours are converted: a second bitmap, and tables.
            decoding = decoding.addingSaturated(info.decodedByteCount).addingSaturated(1 << 20)
        }
        var encoding = encoding
        encoding.losses = nil
        let session = try? CoderRegistry.shared.makeEncodingSession(
            to: format, picture(info, options), from: .bitmap, options: encoding)
        guard let session else { return decoding }
        let both = decoding.addingSaturated(session.estimatedPeakByteCount)
        if session.isStreaming, mayStream(info, options) { return both }
        return both.addingSaturated(info.decodedByteCount).addingSaturated(input.byteCount - input.heldByteCount)
    }

    /// What is going to be encoded, as the headers say.
    func picture(_ info: ImageInfo, _ options: DecodingOptions) -> EncodedPicture {
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
        return Result(size: session.writtenSize, partial: image.partial, wasStreamed: rowCount > 0)
    }

    private func write(
        _ image: RasterImage, to format: ImageFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        var session = try CoderRegistry.shared.makeEncodingSession(
            to: format, EncodedPicture(image), from: .bitmap, options: encoding)
        try session.encode(image.bitmap, to: sink)
        return Result(size: session.writtenSize, partial: image.partial, reachedQuality: session.reachedQuality)
    }
}
