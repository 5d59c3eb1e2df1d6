// Bytes to rows.

public import ImageCodecsCore

// snippet: decoder
/// One file from its header to its end marker; `RowImageCoder` drives it.
public struct QOIDecoder: RowImageDecoder {
    /// QOI.
    public static var format: ImageFormat { QOICoder.format }

    /// The longest operation has five bytes, the end marker eight.
    public static var maxUnitByteCount: Int { 8 }

    private var table = QOIPixelTable()
    private var pixel = QOIPixelTable.firstPixel
    /// How often the last pixel still comes again.
    private var runCount = 0
    private var bytesPerPixel = 4

    /// Reads the header.
    public mutating func readHeader(_ bytes: Span<UInt8>) throws(ImageError) -> RowImageHeader? {
        guard let header = try QOIHeader(bytes) else { return nil }
        bytesPerPixel = header.hasAlpha ? 4 : 3
        var metadata = ImageMetadata()
        if header.isLinear { metadata.gamma = 100_000 }
        return RowImageHeader(
            byteCount: QOIHeader.byteCount, size: header.size, pixelFormat: header.hasAlpha ? .rgba : .rgb,
            colorDescription: header.hasAlpha ? "RGBA" : "RGB", metadata: metadata)
    }

    /// Reads pixels until the room is full or the next operation is not all there.
    public mutating func readPixels(
        _ bytes: Span<UInt8>, offset: Int, into pixels: inout MutableSpan<UInt8>, filledByteCount: inout Int
    ) throws(ImageError) -> Int {
        var position = 0
        while filledByteCount < pixels.count {
            if runCount > 0 {
                runCount -= 1
            } else {
                let used = readOperation(bytes.extracting(droppingFirst: position))
                guard used > 0 else { break }
                position += used
            }
            for channel in 0..<bytesPerPixel { pixels[filledByteCount + channel] = pixel[channel] }
            filledByteCount += bytesPerPixel
        }
        return position
    }
    // end of snippet

    /// Reads one operation, which gives the next pixel and perhaps says that it comes again.
    ///
    /// - Returns: bytes used; 0 when there are too few.
    private mutating func readOperation(_ bytes: Span<UInt8>) -> Int {
        let used = readPixel(bytes)
        if used > 0 { table.note(pixel) }
        return used
    }

    private mutating func readPixel(_ bytes: Span<UInt8>) -> Int {
        guard bytes.count > 0 else { return 0 }
        let first = bytes[0]
        let value = first & QOIOperation.valueMask
        switch (first, first & QOIOperation.kindMask) {
        case (QOIOperation.rgb, _):
            guard bytes.count >= 4 else { return 0 }
            pixel = QOIPixel(bytes[1], bytes[2], bytes[3], pixel.w)
            return 4
        case (QOIOperation.rgba, _):
            guard bytes.count >= 5 else { return 0 }
            pixel = QOIPixel(bytes[1], bytes[2], bytes[3], bytes[4])
            return 5
        case (_, QOIOperation.index):
            pixel = table[Int(value)]
            return 1
        case (_, QOIOperation.difference):
            pixel = pixel &+ QOIPixel(value >> 4 & 3, value >> 2 & 3, value & 3, 0) &- QOIPixel(2, 2, 2, 0)
            return 1
        case (_, QOIOperation.luma):
            guard bytes.count >= 2 else { return 0 }
            let green = value &- 32
            let (red, blue) = (green &+ (bytes[1] >> 4) &- 8, green &+ (bytes[1] & 15) &- 8)
            pixel = pixel &+ QOIPixel(red, green, blue, 0)
            return 2
        default:
            runCount = Int(value)
            return 1
        }
    }

    // snippet: trailer
    /// Reads the end marker.
    public mutating func readTrailer(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) -> Int? {
        guard bytes.count >= qoiEndMarker.count else { return nil }
        for index in qoiEndMarker.indices where bytes[index] != qoiEndMarker[index] {
            throw .corrupt(QOICoder.format, .qoiEnd, offset: offset + index, reason: "no end marker after the pixels")
        }
        return qoiEndMarker.count
    }  // end of snippet
}
