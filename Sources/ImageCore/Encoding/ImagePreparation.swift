// Before anything is written, whatever the format: scale the picture down, lay it over a background.

/// Applies the options that change pixels.
package struct ImagePreparation: Sendable {
    private let options: EncodingOptions

    package init(_ options: EncodingOptions) { self.options = options }

    /// The image with size and background as asked for.
    package func prepare(_ image: RasterImage) throws(ImageError) -> RasterImage {
        var image = image
        if let box = options.maxPixelSize {
            // The box is meant for the picture as it is viewed.
            let box = image.orientation.swapsAxes ? box.transposed : box
            image.bitmap = try image.bitmap.scaled(
                to: image.size.fitted(in: box), meter: options.memoryMeter, work: .unlimited)
        }
        if let background = options.background {
            image.bitmap = try image.bitmap.flattened(onto: background, meter: options.memoryMeter)
        }
        return image
    }

    /// Writes `image` smaller and smaller until the file has at most `byteCount` bytes.
    ///
    /// Every attempt starts from the full picture. The first guess is that bytes go with the number of pixels; since
    /// small pictures compress worse, a few attempts may be needed, each at most nine tenths as wide as the last.
    ///
    /// - Parameters:
    ///   - byteCount: the most bytes the file may have.
    ///   - format: what is written, for the error.
    ///   - write: writes the picture it is given.
    /// - Throws: `invalidArgument` when not even a picture of one pixel fits; what `write` throws.
    package func shrink(
        _ image: RasterImage, toFileOf byteCount: Int, format: ImageFormat,
        _ write: (RasterImage) throws(ImageError) -> EncodedFile
    ) throws(ImageError) -> [UInt8] {
        var attempt = image
        while true {
            let file = try write(attempt)
            if file.bytes.count <= byteCount { return file.bytes }
            let wanted = byteCount - file.overhead
            guard wanted > 0, attempt.size != PixelSize(width: 1, height: 1) else {
                throw .invalidArgument("a \(format.name) file of this picture needs more than \(byteCount) bytes")
            }
            let pixelBytes = max(1, file.bytes.count - file.overhead)
            let factor = min(0.9, 0.98 * (Double(wanted) / Double(pixelBytes)).squareRoot())
            let target = PixelSize(
                width: max(1, Int(Double(attempt.size.width) * factor)),
                height: max(1, Int(Double(attempt.size.height) * factor)))
            attempt.bitmap = try image.bitmap.scaled(to: target, meter: options.memoryMeter, work: .unlimited)
        }
    }
}

extension EncodingOptions {
    /// Makes a file of a still picture as these options ask, for coders that write without loss: the bitmap (of an
    /// animation, that of its first frame) is scaled into ``maxPixelSize`` and laid over ``background``, and scaled down
    /// further until ``maxFileByteCount`` holds.
    ///
    /// - Parameters:
    ///   - image: what is to be written.
    ///   - format: what is written, for errors.
    ///   - keepsAlpha: whether the format has alpha; if not, transparent pictures are laid over white if no background
    ///     is named.
    ///   - overheadByteCount: bytes of a file that do not depend on the number of pixels.
    ///   - write: makes the bytes of a file from the image it is given.
    /// - Throws: `invalidArgument` for an empty picture, or when no picture of any size fits ``maxFileByteCount`` (as none
    ///   does that is zero or less); what `write` throws.
    public func makeFile(
        of image: RasterImage, as format: ImageFormat, keepsAlpha: Bool = true, overheadByteCount: Int = 0,
        _ write: (RasterImage) throws(ImageError) -> [UInt8]
    ) throws(ImageError) -> [UInt8] {
        try makeFile(of: image, as: format, keepsAlpha: keepsAlpha) { (image) throws(ImageError) in
            EncodedFile(bytes: try write(image), overhead: overheadByteCount)
        }
    }

    /// The same if each file says what of it does not depend on the number of pixels.
    package func makeFile(
        of image: RasterImage, as format: ImageFormat, keepsAlpha: Bool,
        _ write: (RasterImage) throws(ImageError) -> EncodedFile
    ) throws(ImageError) -> [UInt8] {
        guard !image.size.isEmpty else { throw .invalidArgument("cannot write a picture of \(image.size) pixels") }
        if let maxFileByteCount, maxFileByteCount < 1 {
            throw .invalidArgument("a file cannot have at most \(maxFileByteCount) bytes")
        }
        var options = self
        if !keepsAlpha, options.background == nil { options.background = SIMD3(repeating: 255) }
        let preparation = ImagePreparation(options)
        var image = try preparation.prepare(image)
        image.animation = nil
        guard let maxFileByteCount else { return try write(image).bytes }
        return try preparation.shrink(image, toFileOf: maxFileByteCount, format: format, write)
    }
}

/// A written file.
package struct EncodedFile: Sendable {
    package let bytes: [UInt8]
    /// Bytes that do not depend on the number of pixels.
    package let overhead: Int

    package init(bytes: [UInt8], overhead: Int) {
        self.bytes = bytes
        self.overhead = overhead
    }
}
