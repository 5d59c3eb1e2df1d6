// Rows to bytes.

public import ImageCodecsCore
public import ImageEncoding

/// Encodes one picture.
public struct QOIEncoder: RowImageEncoder {
    // snippet: encoder
    /// Colours with alpha or without.
    public let rowFormat: PixelFormat

    /// Header and end marker.
    public var overheadByteCount: Int { QOIHeader.byteCount + qoiEndMarker.count }

    private let size: PixelSize
    private var hasHeader = false
    private var table = QOIPixelTable()
    private var last = QOIPixelTable.firstPixel
    private var runCount = 0

    init(_ picture: EncodedPicture) throws(ImageError) {
        let longest = max(picture.size.width, picture.size.height)
        guard longest <= Int(UInt32.max) else {
            throw .limitExceeded(.dimension, requested: longest, allowed: Int(UInt32.max))
        }
        size = picture.size
        rowFormat = picture.format.hasAlpha ? .rgba : .rgb
    }

    /// Appends what the pixels of a row are.
    public mutating func write(_ row: Span<UInt8>, to bytes: inout [UInt8]) {
        if !hasHeader { bytes += QOIHeader.bytes(size: size, hasAlpha: rowFormat.hasAlpha) }
        hasHeader = true
        for start in stride(from: 0, to: row.count, by: rowFormat.bytesPerPixel) {
            let alpha = rowFormat.hasAlpha ? row[start + 3] : 255
            write(QOIPixel(row[start], row[start + 1], row[start + 2], alpha), to: &bytes)
        }
    }

    /// Appends the run that the picture may end with, and the end marker.
    public mutating func finish(to bytes: inout [UInt8]) {
        endRun(&bytes)
        bytes += qoiEndMarker
    }
    // end of snippet

    private mutating func write(_ pixel: QOIPixel, to bytes: inout [UInt8]) {
        if pixel == last {
            runCount += 1
            if runCount == QOIOperation.longestRun { endRun(&bytes) }
            return
        }
        endRun(&bytes)
        defer { last = pixel }
        if table.find(pixel) {
            bytes.append(QOIOperation.index | UInt8(QOIPixelTable.place(of: pixel)))
        } else if pixel.w != last.w {
            bytes += [QOIOperation.rgba, pixel.x, pixel.y, pixel.z, pixel.w]
        } else {
            writeDifference(pixel, to: &bytes)
        }
    }

    /// Writes a pixel of the last one's alpha with as few bytes as its difference needs.
    private func writeDifference(_ pixel: QOIPixel, to bytes: inout [UInt8]) {
        let small = pixel &- last &+ QOIPixel(2, 2, 2, 0)
        if small.x < 4, small.y < 4, small.z < 4 {
            bytes.append(QOIOperation.difference | small.x << 4 | small.y << 2 | small.z)
            return
        }
        let green = pixel.y &- last.y
        let (red, blue) = (pixel.x &- last.x &- green &+ 8, pixel.z &- last.z &- green &+ 8)
        if green &+ 32 < 64, red < 16, blue < 16 {
            bytes += [QOIOperation.luma | (green &+ 32), red << 4 | blue]
        } else {
            bytes += [QOIOperation.rgb, pixel.x, pixel.y, pixel.z]
        }
    }

    private mutating func endRun(_ bytes: inout [UInt8]) {
        if runCount > 0 { bytes.append(QOIOperation.run | UInt8(runCount - 1)) }
        runCount = 0
    }
}
