// All scanlines of a picture, packed as its rows come: one pass, or the seven of Adam7.

import ImageCodecsCore
import ImageEncoding

/// Packs rows into the scanlines of every pass that has pixels of them, and holds these.
struct PassStore: Sendable {
    private let passes: [Adam7.Pass]
    private let pixelByteCount: Int
    private var packers: [ScanlinePacker]
    /// The pixels of a row that belong to one pass.
    private var gathered: ScratchBuffer
    private(set) var scanlines: ScanlineStore
    private var y = 0

    /// - Parameters:
    ///   - picture: its size and what rows hold.
    ///   - encoding: what scanlines hold.
    ///   - isInterlaced: whether there are seven passes.
    ///   - meter: counts what is held.
    init(
        _ picture: EncodedPicture, _ encoding: PixelEncoding, isInterlaced: Bool, meter: MemoryMeter?
    ) throws(ImageError) {
        let format = picture.format
        passes = Self.passes(picture.size, isInterlaced: isInterlaced)
        pixelByteCount = format.bytesPerPixel
        var packers: [ScanlinePacker] = []
        for pass in passes {
            packers.append(try ScanlinePacker(from: format, to: encoding, width: pass.size.width, meter: meter))
        }
        self.packers = packers
        gathered = try ScratchBuffer(
            byteCount: isInterlaced ? picture.size.width * format.bytesPerPixel : 0, meter: meter)
        scanlines = try ScanlineStore(
            Self.scanlines(passes, encoding), distance: encoding.filterDistance, meter: meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func estimatedByteCount(_ picture: EncodedPicture, _ encoding: PixelEncoding, isInterlaced: Bool) -> Int {
        let passes = passes(picture.size, isInterlaced: isInterlaced)
        return passes.reduce(ScanlineStore.byteCount(scanlines(passes, encoding))) { count, pass in
            count.addingSaturated(ScanlinePacker.estimatedByteCount(picture.format, width: pass.size.width))
        }
        .addingSaturated(picture.size.width.multipliedSaturated(by: picture.format.bytesPerPixel))
    }

    private static func passes(_ size: PixelSize, isInterlaced: Bool) -> [Adam7.Pass] {
        isInterlaced
            ? Adam7.passes(of: size)
            : [Adam7.Pass(number: 0, x: 0, columnStep: 1, y: 0, rowStep: 1, size: size)]
    }

    private static func scanlines(_ passes: [Adam7.Pass], _ encoding: PixelEncoding) -> [ScanlineStore.Pass] {
        passes.map { pass in
            ScanlineStore.Pass(
                byteCount: encoding.bytesPerScanline(width: pass.size.width), rowCount: pass.size.height)
        }
    }

    /// Packs the next row.
    mutating func add(_ row: RawSpan) {
        for (number, pass) in passes.enumerated() where y >= pass.y && (y - pass.y) % pass.rowStep == 0 {
            let passRow = (y - pass.y) / pass.rowStep
            guard pass.columnStep > 1 || pass.x > 0 else {
                scanlines.set(pass: number, row: passRow) { packers[number].pack(row, into: &$0) }
                continue
            }
            gather(row, pass)
            gathered.withBytes(0..<pass.size.width * pixelByteCount) { pixels in
                scanlines.set(pass: number, row: passRow) { packers[number].pack(pixels, into: &$0) }
            }
        }
        y += 1
    }

    private mutating func gather(_ row: RawSpan, _ pass: Adam7.Pass) {
        let pixelByteCount = pixelByteCount
        gathered.withMutableBytes { gathered in
            var source = pass.x * pixelByteCount
            var target = 0
            for _ in 0..<pass.size.width {
                for byte in 0..<pixelByteCount { gathered.setByte(row.byte(at: source + byte), at: target + byte) }
                source += pass.columnStep * pixelByteCount
                target += pixelByteCount
            }
        }
    }
}
