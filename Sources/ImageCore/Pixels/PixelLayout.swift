// How the rows of a picture lie in memory that is not a bitmap's.

/// Size and format of a picture, and the distance between its rows.
///
///     row 0   pixels (rowByteCount) │ between rows
///     row 1   pixels                │ between rows
///     row 2   pixels                                  the last row ends with its last pixel
public struct PixelLayout: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// What the bytes of a pixel mean.
    public let format: PixelFormat
    /// Bytes from the start of one row to the start of the next.
    public let bytesPerRow: Int

    /// Describes a picture in memory.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels.
    ///   - format: What the bytes of a pixel mean.
    ///   - bytesPerRow: From the start of one row to the start of the next; `nil` if rows follow each other without
    ///     padding.
    /// - Throws: `invalidArgument` for a negative size, for rows that overlap, and if the number of bytes overflows.
    public init(size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil) throws(ImageError) {
        guard size.width >= 0, size.height >= 0 else { throw .invalidArgument("a picture cannot be \(size) pixels") }
        let packed = size.width.multipliedSaturated(by: format.bytesPerPixel)
        guard packed < .max else {
            throw .invalidArgument("a row of \(size.width) pixels is more than there is memory")
        }
        let bytesPerRow = bytesPerRow ?? packed
        guard bytesPerRow >= packed else {
            throw .invalidArgument(
                "a row of \(size.width) pixels takes \(packed) bytes, more than the \(bytesPerRow) from row to row")
        }
        guard bytesPerRow.multipliedSaturated(by: size.height) < .max else {
            throw .invalidArgument("\(size.height) rows of \(bytesPerRow) bytes are more than there is memory")
        }
        self.size = size
        self.format = format
        self.bytesPerRow = bytesPerRow
    }

    /// Describes the picture that a decode will give.
    ///
    /// - Parameters:
    ///   - info: An inspection with the options of the decode.
    ///   - bytesPerRow: From the start of one row to the start of the next; `nil` if rows follow each other without padding.
    /// - Throws: `invalidArgument` if the rows overlap or their bytes cannot be counted.
    public init(of info: ImageInfo, bytesPerRow: Int? = nil) throws(ImageError) {
        try self.init(size: info.decodedSize, format: info.decodedFormat, bytesPerRow: bytesPerRow)
    }

    /// Bytes of the pixels of a row.
    public var rowByteCount: Int { size.width * format.bytesPerPixel }

    /// Bytes from the first pixel to the last: what memory for the picture has at least.
    public var byteCount: Int { size.isEmpty ? 0 : (size.height - 1) * bytesPerRow + rowByteCount }

    /// Where the pixels of row `y` are.
    ///
    /// - Precondition: `y` is in `0..<size.height`.
    public func byteRange(ofRow y: Int) -> Range<Int> {
        precondition(y >= 0 && y < size.height, "row outside the picture")
        return y * bytesPerRow..<y * bytesPerRow + rowByteCount
    }

    /// Refuses memory of fewer bytes than the picture takes.
    ///
    /// - Parameter owner: The subject of the message.
    func check(byteCount available: Int, whose owner: String) throws(ImageError) {
        guard available >= byteCount else {
            throw .invalidArgument(
                "\(owner) are \(available) bytes: \(size) pixels of \(format), \(bytesPerRow) bytes from row to row, "
                    + "take \(byteCount)")
        }
    }
}
