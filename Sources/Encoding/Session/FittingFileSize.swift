// A file whose length is limited: the same picture written smaller and smaller until it fits.

public import ImageCodecsCore

/// A file that was written, or what is known of one that was too long.
package struct EncodedFile: Sendable {
    package let bytes: [UInt8]
    /// Bytes that do not depend on the number of pixels.
    package let overhead: Int
    /// Bytes of the whole file; ``bytes`` are only its beginning if it is longer than is allowed.
    package let byteCount: Int

    package init(bytes: [UInt8], overhead: Int, byteCount: Int? = nil) {
        self.bytes = bytes
        self.overhead = overhead
        self.byteCount = byteCount ?? bytes.count
    }

    /// A smaller size whose file may have at most `most` bytes, if bytes go with pixels; at most nine tenths as wide.
    func size(smallerThan size: PixelSize, forAtMost most: Int) -> PixelSize {
        let wanted = most - overhead
        let pixelBytes = max(1, byteCount - overhead)
        // If what does not depend on the pixels is too long by itself, a smaller picture may still need less of it: a
        // shorter palette, no preview.
        let factor = wanted > 0 ? min(0.9, 0.98 * (Double(wanted) / Double(pixelBytes)).squareRoot()) : 0.5
        return PixelSize(
            width: max(1, Int(Double(size.width) * factor)), height: max(1, Int(Double(size.height) * factor)))
    }
}

extension ImageError {
    /// The error for a file that does not get as short as it has to be.
    ///
    /// - Parameters:
    ///   - what: what was to be written: `picture`, `animation`.
    ///   - byteCount: bytes of the shortest file that was made.
    ///   - isLeast: whether it has at least this many, if it was not made.
    static func tooLong(
        _ format: ImageFormat, _ what: String, _ byteCount: Int, isLeast: Bool = false, allowed most: Int
    ) -> ImageError {
        .invalidArgument(
            "the smallest \(format.name) file of this \(what) has \(isLeast ? "at least " : "")\(byteCount) bytes, "
                + "\(most) are allowed")
    }
}

extension EncodingOptions {
    /// The same with more effort, the least first.
    var withMoreEffort: [EncodingOptions] {
        Effort.allCases.drop { $0 != effort }.dropFirst().map { effort in
            var options = self
            options.effort = effort
            return options
        }
    }

    /// The same with qualities below that which is asked for, in steps of a two-hundredth, the best first.
    package var withLowerQualities: [EncodingOptions] {
        let best = min(max(quality ?? 1, 0), 1)
        return (1...200).map { 1 - Double($0) / 200 }.filter { $0 < best }.map { quality in
            var options = self
            options.quality = quality
            return options
        }
    }

    /// Writes `bitmap` smaller and smaller until the file has at most `maxFileByteCount` bytes.
    ///
    /// Every attempt starts from the full picture. The first guess is that bytes go with the number of pixels; since
    /// small pictures compress worse, a few attempts may be needed, each at most nine tenths as wide as the last.
    ///
    /// - Parameters:
    ///   - byteCount: the most bytes the file may have.
    ///   - format: what is written, for the error.
    ///   - write: writes the picture it is given.
    /// - Throws: `invalidArgument` when not even a picture of one pixel fits, or when the picture may not be scaled; what
    ///   `write` throws.
    func shrink(
        _ bitmap: Bitmap, toFileOf byteCount: Int, format: ImageFormat, meter: MemoryMeter?, work: WorkGuard,
        _ write: (Bitmap) throws(ImageError) -> EncodedFile
    ) throws(ImageError) -> [UInt8] {
        var attempt = bitmap
        var smallest = Int.max
        while true {
            let file = try write(attempt)
            if file.byteCount <= byteCount { return file.bytes }
            smallest = min(smallest, file.byteCount)
            guard mayScaleDown, !keepsPixels, attempt.size != PixelSize(width: 1, height: 1) else {
                let metadata = file.overhead > byteCount / 2 ? " (\(file.overhead) of them headers and metadata)" : ""
                throw .invalidArgument(
                    "the smallest \(format.name) file of this picture has \(smallest) bytes\(metadata), "
                        + "\(byteCount) are allowed")
            }
            let target = file.size(smallerThan: attempt.size, forAtMost: byteCount)
            attempt = .empty
            attempt = try bitmap.scaled(to: target, meter: meter, work: work)
        }
    }

    /// Refuses a number of bytes that no file can have.
    func checkFileByteCount() throws(ImageError) {
        if let maxFileByteCount, maxFileByteCount < 1 {
            throw .invalidArgument("a file cannot have at most \(maxFileByteCount) bytes")
        }
    }
}

extension EncodingOptions {
    /// Makes a file of a still picture as these options ask, for coders that write without loss: the bitmap (of an
    /// animation, that of its first frame) is scaled into `maxPixelSize` and laid over `background`, and scaled down
    /// further until `maxFileByteCount` holds.
    ///
    /// - Parameters:
    ///   - image: what is to be written.
    ///   - format: what is written, for errors.
    ///   - keepsAlpha: whether the format has alpha; if not, transparent pictures are laid over white if no background
    ///     is named.
    ///   - overheadByteCount: bytes of a file that do not depend on the number of pixels.
    ///   - write: makes the bytes of a file from the image it is given.
    /// - Throws: `invalidArgument` for an empty picture, or when no picture of any size fits `maxFileByteCount` (as none
    ///   does that is zero or less); what `write` throws.
    public func makeFile(
        of image: RasterImage, as format: ImageFormat, keepsAlpha: Bool = true, overheadByteCount: Int = 0,
        _ write: (RasterImage) throws(ImageError) -> [UInt8]
    ) throws(ImageError) -> [UInt8] {
        guard !image.size.isEmpty else { throw .invalidArgument("cannot write a picture of \(image.size) pixels") }
        try checkFileByteCount()
        var image = image
        image.animation = nil
        image.bitmap = try prepared(image, keepsAlpha: keepsAlpha)
        guard let maxFileByteCount else { return try write(image) }
        return try shrink(
            image.bitmap, toFileOf: maxFileByteCount, format: format, meter: memoryMeter, work: WorkGuard(self)
        ) { (bitmap) throws(ImageError) in
            image.bitmap = bitmap
            return EncodedFile(bytes: try write(image), overhead: overheadByteCount)
        }
    }

    /// The bitmap of an image, scaled into `maxPixelSize` and laid over `background`.
    package func prepared(_ image: RasterImage, keepsAlpha: Bool = true) throws(ImageError) -> Bitmap {
        let plan = RowPreparationPlan(
            size: image.size, format: image.bitmap.format, orientation: image.orientation, keepsAlpha: keepsAlpha,
            options: self)
        return try plan.prepare(
            image.bitmap, meter: memoryMeter, work: WorkGuard(self), watch: PreparationWatch(self))
    }
}
