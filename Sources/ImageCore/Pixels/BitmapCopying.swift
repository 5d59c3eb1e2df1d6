// Pixels of a caller into a bitmap, and a part of a bitmap into another.

extension Bitmap {
    /// Creates a bitmap from pixels in memory, which are copied.
    ///
    /// - Parameters:
    ///   - pixels: Rows from the top, `width * format.bytesPerPixel` bytes each, `bytesPerRow` from one to the next. What
    ///     lies between rows and after the last pixel is not read.
    ///   - size: Width and height in pixels.
    ///   - format: What the bytes of a pixel mean; samples of sixteen bits are in the machine's byte order. The padding
    ///     byte of ``PixelFormat/bgrx`` is not looked at and becomes 255.
    ///   - bytesPerRow: `nil` if rows follow each other without padding.
    /// - Throws: `invalidArgument` for a negative size, rows that overlap and too few bytes;
    ///   `limitExceeded(.memory)` when the memory is not to be had.
    public init(
        copying pixels: Span<UInt8>, size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil
    ) throws(ImageError) {
        let layout = try PixelLayout(size: size, format: format, bytesPerRow: bytesPerRow)
        try layout.check(byteCount: pixels.count, whose: "the pixels")
        try self.init(uninitialized: size, format: format, meter: nil)
        guard layout.rowByteCount > 0 else { return }
        let converter = RowConverter(from: format == .bgrx ? .bgra : .pixels(format), to: format)
        pixels.withRawSpan { bytes in
            for y in 0..<size.height {
                let row = bytes.extracting(layout.byteRange(ofRow: y))
                withMutableRowBytes(y) { converter.convert(row, into: &$0, width: size.width) }
            }
        }
    }

    /// Creates a bitmap from pixels in an array, which are copied; see the initialiser that takes
    /// a span.
    public init(
        copying pixels: [UInt8], size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil
    ) throws(ImageError) {
        let pixels = pixels[...]
        try self.init(copying: pixels.span, size: size, format: format, bytesPerRow: bytesPerRow)
    }

    /// The pixels in `rect`, copied to a bitmap of their own.
    ///
    /// - Throws: `invalidArgument` for a rectangle that is not within the bitmap or has a negative side;
    ///   `limitExceeded(.memory)` when the memory is not to be had.
    public func cropped(to rect: PixelRect) throws(ImageError) -> Bitmap {
        try check(rect)
        var result = try Bitmap(uninitialized: rect.size, format: format, meter: nil)
        guard !rect.isEmpty else { return result }
        let bytes = rect.x * format.bytesPerPixel..<(rect.x + rect.width) * format.bytesPerPixel
        for y in 0..<rect.height {
            withRowBytes(rect.y + y) { row in
                result.withMutableRowBytes(y) { $0.copy(row.extracting(bytes)) }
            }
        }
        return result
    }

    /// Refuses a rectangle that is not within the bitmap.
    private func check(_ rect: PixelRect) throws(ImageError) {
        guard rect.x >= 0, rect.y >= 0, rect.width >= 0, rect.height >= 0, rect.x <= width, rect.y <= height,
            rect.width <= width - rect.x, rect.height <= height - rect.y
        else { throw .invalidArgument("\(rect) is not within a picture of \(size) pixels") }
    }
}
