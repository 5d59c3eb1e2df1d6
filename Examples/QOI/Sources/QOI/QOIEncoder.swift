// Pixels to bytes.

import ImageCodecsCore

/// Writes bitmaps as QOI files.
struct QOIEncoder {
    /// Header and end marker.
    static let overheadByteCount = QOIHeader.byteCount + qoiEndMarker.count

    private var bytes: [UInt8]
    private var table = QOIPixelTable()
    private var last = QOIPixelTable.firstPixel
    private var runCount = 0

    /// The bytes of a file.
    ///
    /// - Throws: `limitExceeded` for a side of 2^32 pixels or more, or when memory is not to be had; `cancelled`.
    static func write(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
        let longest = max(bitmap.width, bitmap.height)
        guard longest <= Int(UInt32.max) else {
            throw .limitExceeded(.dimension, requested: longest, allowed: Int(UInt32.max))
        }
        let format: PixelFormat = bitmap.format.hasAlpha ? .rgba : .rgb
        let pixels = try bitmap.converted(to: format)
        var encoder = QOIEncoder(bytes: QOIHeader.bytes(size: bitmap.size, hasAlpha: format.hasAlpha))
        for y in 0..<pixels.height {
            if Task.isCancelled { throw .cancelled }
            pixels.withRow(y) { row in
                for start in stride(from: 0, to: row.count, by: format.bytesPerPixel) {
                    let alpha = format.hasAlpha ? row[start + 3] : 255
                    encoder.write(QOIPixel(row[start], row[start + 1], row[start + 2], alpha))
                }
            }
        }
        encoder.endRun()
        return encoder.bytes + qoiEndMarker
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func write(_ pixel: QOIPixel) {
        if pixel == last {
            runCount += 1
            if runCount == QOIOperation.longestRun { endRun() }
            return
        }
        endRun()
        defer { last = pixel }
        if table.find(pixel) {
            bytes.append(QOIOperation.index | UInt8(QOIPixelTable.place(of: pixel)))
        } else if pixel.w != last.w {
            bytes += [QOIOperation.rgba, pixel.x, pixel.y, pixel.z, pixel.w]
        } else {
            writeDifference(pixel)
        }
    }

    /// Writes a pixel of the last one's alpha with as few bytes as its difference needs.
    private mutating func writeDifference(_ pixel: QOIPixel) {
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

    private mutating func endRun() {
        if runCount > 0 { bytes.append(QOIOperation.run | UInt8(runCount - 1)) }
        runCount = 0
    }
}
