// Decodes any bytes in one shot. What may happen: pixels, or an ImageError. What may not: anything else.

public import ImageCore

/// Checks what one coder makes of a file, strict and tolerant.
public enum WholeDecodeCheck {
    /// Stops the process unless the outcome is what the file's headers promise.
    public static func run(_ bytes: [UInt8], _ coder: any ImageCoder) {
        let data = ImageData(bytes)
        for strictness in DecodingOptions.Strictness.allCases {
            var options = FuzzInput.options(for: bytes)
            options.strictness = strictness
            let info = Result { () throws(ImageError) in try coder.inspect(data, options: options) }
            do {
                check(try coder.decode(data, options: options), options, info)
            } catch {
                check(error, count: bytes.count)
            }
        }
    }

    /// A picture must be what its headers promise, and whole under strict decoding.
    private static func check(_ image: RasterImage, _ options: DecodingOptions, _ info: Result<ImageInfo, ImageError>) {
        // Reading every pixel lets the address sanitizer see rows that are too short.
        let (size, pixels) = (image.size, image.bitmap.packedBytes())
        require(size.width > 0 && size.height > 0, "an empty picture")
        require(pixels.count == size.width * size.height * image.bitmap.format.bytesPerPixel, "\(pixels.count) bytes")
        guard let partial = image.partial else {
            guard case .success(let info) = info else { fatalError("decoded, but not inspected: \(info)") }
            require(
                image.bitmap.byteCount == info.decodedByteCount,
                "\(image.bitmap.byteCount) != \(info.decodedByteCount)")
            return
        }
        require(options.strictness == .tolerant, "strict, yet partial")
        guard case .success(let info) = info else { return }
        for rows in partial.rows {
            require(rows.lowerBound >= 0 && rows.upperBound <= info.size.height, "rows \(rows) of \(info.size)")
        }
    }

    /// An error must point into the file.
    private static func check(_ error: ImageError, count: Int) {
        if let offset = error.offset { require((0...count).contains(offset), "\(error) in \(count) bytes") }
        if case .invalidArgument = error { fatalError("\(error)") }
    }
}
