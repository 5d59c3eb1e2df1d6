// Some rows of a picture that stand for all of it, for trying out what compresses it well.

package import ImageCodecsCore

/// Bands of rows, evenly spread over a picture, as they came.
package struct SampledRows: Sendable {
    private let format: PixelFormat
    private let size: PixelSize
    /// Rows of a band.
    private let bandHeight: Int
    /// The first row of each band.
    private let starts: [Int]
    private var rows: ScratchBuffer
    private var rowCount = 0

    /// Most bytes of the rows.
    private static let mostBytes = 1 << 20
    /// Rows of a band from which on the first only stands above the next when filters are tried.
    private static let sparingHeight = 16

    /// - Parameters:
    ///   - format: of the rows.
    ///   - size: of the picture.
    ///   - bandCount: how many bands there are, at least 2; a picture of no more rows than they have is one band.
    ///   - bandHeight: their rows; fewer if those would be too many bytes.
    ///   - meter: counts the rows.
    package init(
        format: PixelFormat, size: PixelSize, bandCount: Int, bandHeight: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        let byteCount = Self.rowByteCount(format, size)
        let most = Self.rowCount(byteCount: byteCount, bandCount: bandCount, bandHeight: bandHeight)
        self.format = format
        self.size = size
        if size.height <= most {
            (self.bandHeight, starts) = (size.height, [0])
        } else {
            let height = max(1, most / bandCount)
            let count = min(bandCount, most)
            self.bandHeight = height
            starts = (0..<count).map { count == 1 ? 0 : $0 * (size.height - height) / (count - 1) }
        }
        rows = try ScratchBuffer(byteCount: starts.count * self.bandHeight * byteCount, meter: meter)
    }

    /// Bytes of the rows that are kept at most. Saturates.
    package static func byteCount(format: PixelFormat, size: PixelSize, bandCount: Int, bandHeight: Int) -> Int {
        let byteCount = rowByteCount(format, size)
        let most = rowCount(byteCount: byteCount, bandCount: bandCount, bandHeight: bandHeight)
        return byteCount.multipliedSaturated(by: min(most, size.height))
    }

    private static func rowByteCount(_ format: PixelFormat, _ size: PixelSize) -> Int {
        size.width.multipliedSaturated(by: format.bytesPerPixel)
    }

    private static func rowCount(byteCount: Int, bandCount: Int, bandHeight: Int) -> Int {
        max(1, min(bandCount * bandHeight, mostBytes / max(1, byteCount)))
    }

    /// Whether rows are missing.
    package var wantsMore: Bool { rowCount < starts.count * bandHeight }

    /// Keeps row `y` if it is in a band; rows come in their order.
    package mutating func add(_ row: RawSpan, y: Int) {
        guard wantsMore, y == starts[rowCount / bandHeight] + rowCount % bandHeight else { return }
        let start = rowCount * row.byteCount
        rows.withMutableBytes(start..<start + row.byteCount) { $0.copy(row) }
        rowCount += 1
    }

    /// The share of pixels that equal the one to their left: near 1 in drawings, near 0 in photographs.
    package var repeatedShare: Double {
        let (pixel, width) = (format.bytesPerPixel, size.width)
        guard rowCount > 0, width > 1 else { return 1 }
        let count = rows.withBytes { rows in
            (0..<rowCount).reduce(0) { count, row in
                let row = rows.extracting(row * width * pixel..<(row + 1) * width * pixel)
                return count + repeatedCount(in: row)
            }
        }
        return Double(count) / Double(rowCount * (width - 1))
    }

    /// How many pixels of a row equal the one before; the first four bytes are not looked at.
    private func repeatedCount(in row: RawSpan) -> Int {
        let pixel = format.bytesPerPixel
        // The last four bytes of each pixel, of which shorter ones are a part.
        let unused = UInt32(8 * max(0, 4 - pixel))
        var (count, offset) = (0, pixel)
        while offset < 4 { offset += pixel }
        guard offset <= row.byteCount else { return 0 }
        var last = row.nativeUInt32(at: offset - 4) >> unused
        offset += pixel
        while offset <= row.byteCount {
            let bytes = row.nativeUInt32(at: offset - 4) >> unused
            if bytes == last,
                pixel <= 4 || row.nativeUInt32(at: offset - pixel) == row.nativeUInt32(at: offset - 2 * pixel)
            {
                count += 1
            }
            (last, offset) = (bytes, offset + pixel)
        }
        return count
    }

    /// The rows as scanlines of an encoding.
    package func scanlines(_ encoding: PixelEncoding, meter: MemoryMeter?) throws(ImageError) -> ScanlineStore {
        let byteCount = encoding.bytesPerScanline(width: size.width)
        // Bands of few rows cannot spare one.
        let sparesRow = bandHeight >= Self.sparingHeight
        let bands = starts.map { start in
            ScanlineStore.Pass(
                byteCount: byteCount, rowCount: bandHeight, contextCount: start > 0 && sparesRow ? 1 : 0)
        }
        let total = (byteCount + 1).multipliedSaturated(by: size.height)
        var store = try ScanlineStore(bands, distance: encoding.filterDistance, total: total, meter: meter)
        var packer = try ScanlinePacker(from: format, to: encoding, width: size.width, meter: meter)
        let rowByteCount = Self.rowByteCount(format, size)
        for row in 0..<rowCount {
            rows.withBytes(row * rowByteCount..<(row + 1) * rowByteCount) { pixels in
                store.set(pass: row / bandHeight, row: row % bandHeight) { packer.pack(pixels, into: &$0) }
            }
        }
        return store
    }

    /// Shows rows as scanlines of an encoding: one of `step`.
    func forEachScanline(
        _ encoding: PixelEncoding, step: Int, meter: MemoryMeter?, work: inout WorkGuard, _ body: (RawSpan) -> Void
    ) throws(ImageError) {
        var packer = try ScanlinePacker(from: format, to: encoding, width: size.width, meter: meter)
        var scanline = try ScratchBuffer(byteCount: encoding.bytesPerScanline(width: size.width), meter: meter)
        let rowByteCount = Self.rowByteCount(format, size)
        for row in stride(from: 0, to: rowCount, by: step) {
            try work.spend(2 * size.width)
            rows.withBytes(row * rowByteCount..<(row + 1) * rowByteCount) { pixels in
                scanline.withMutableBytes { packer.pack(pixels, into: &$0) }
            }
            scanline.withBytes { body($0) }
        }
    }
}
