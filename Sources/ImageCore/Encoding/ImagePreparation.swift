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
            image.bitmap = try image.bitmap.scaled(to: image.size.fitted(in: box))
        }
        if let background = options.background {
            image.bitmap = try image.bitmap.flattened(onto: background)
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
            attempt.bitmap = try image.bitmap.scaled(to: target)
        }
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
