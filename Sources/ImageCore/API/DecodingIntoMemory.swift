// Decoding into memory of the caller: textures, shared buffers, parts of a larger picture.

/// What a decode wrote into memory of its caller.
public struct DecodedPixels: Hashable, Sendable {
    /// Size, format and rows as they were written.
    public let layout: PixelLayout
    /// What of the picture is real where it is partial, as ``RasterImage/partial`` says it; `nil` for a whole picture.
    public let partial: PartialReport?

    /// Creates a description.
    public init(layout: PixelLayout, partial: PartialReport? = nil) {
        self.layout = layout
        self.partial = partial
    }
}

extension CoderRegistry {
    /// Decodes with the first coder that can, into memory of the caller.
    ///
    /// How large the picture will be ``ImageInfo`` tells, read with the same options: ``ImageInfo/decodedSize`` and
    /// ``ImageInfo/decodedFormat`` make a ``PixelLayout``, whose ``PixelLayout/byteCount`` is what the memory has to have.
    ///
    /// Written are the pixels of rows, and nothing between, in front of or behind them. After an error what is in them is
    /// unspecified.
    ///
    /// The coders of this package decode straight into the memory, so that no second copy of the picture is held, where rows
    /// come as they are to be seen. Pictures that are turned, interlaced pictures that are scaled or converted, and those of
    /// other coders are copied from a bitmap, which ``ImageInfo/estimatedPeakByteCount`` counts.
    ///
    /// - Parameters:
    ///   - data: The whole file. It is inspected first, up to its end, for an orientation may stand behind the pixels.
    ///   - pixels: Memory of any alignment, initialised or not.
    ///   - bytesPerRow: From the start of one row to the start of the next; `nil` where rows follow each other without padding.
    ///   - options: Size, pixel format, strictness and limits of the decode.
    /// - Returns: Size and format of what was written, which are those that ``ImageInfo`` told unless damage hid an
    ///   orientation that stands behind the pixels.
    /// - Throws: `invalidArgument`, before pixels are decoded, where the memory is too small; it tells the bytes needed.
    ///   Else what ``decode(_:options:)`` throws.
    @discardableResult
    public func decode(
        _ data: ImageData, into pixels: inout MutableRawSpan, bytesPerRow: Int? = nil,
        options: DecodingOptions = .default
    ) throws(ImageError) -> DecodedPixels {
        var work = WorkGuard(options)
        work.begin()
        let info = try inspect(data, options: options)
        let layout = try PixelLayout(size: info.decodedSize, format: info.decodedFormat, bytesPerRow: bytesPerRow)
        try layout.check(byteCount: pixels.byteCount, whose: "the memory to decode into")
        var elsewhere: Bitmap?
        let partial = try ask(data, work.remaining(of: options)) { (coder, options) throws(ImageError) in
            // Only coders of this package are known to keep nothing of what they are lent.
            guard coder is any SessionCoder else {
                var bitmap = Bitmap.empty
                let partial = try coder.decode(data, into: &bitmap, options: options)
                elsewhere = bitmap
                return partial
            }
            let answer = try Bitmap.withBorrowedMemory(&pixels, layout) { (bitmap) throws(ImageError) in
                try coder.decode(data, into: &bitmap, options: options)
            }
            elsewhere = answer.elsewhere
            return answer.result
        }
        guard let bitmap = elsewhere else { return DecodedPixels(layout: layout, partial: partial) }
        return DecodedPixels(layout: try bitmap.copy(into: &pixels, bytesPerRow: bytesPerRow), partial: partial)
    }
}

extension Bitmap {
    /// Copies the rows to memory of a caller.
    fileprivate func copy(
        into pixels: inout MutableRawSpan, bytesPerRow: Int?
    ) throws(ImageError) -> PixelLayout {
        let layout = try PixelLayout(size: size, format: format, bytesPerRow: bytesPerRow)
        try layout.check(byteCount: pixels.byteCount, whose: "the memory to decode into")
        guard layout.byteCount > 0 else { return layout }
        for y in 0..<height {
            withRowBytes(y) { row in pixels.copy(row, at: layout.byteRange(ofRow: y).lowerBound) }
        }
        return layout
    }
}
