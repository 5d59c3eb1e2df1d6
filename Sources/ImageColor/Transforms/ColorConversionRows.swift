// Rows of any pixel format through a transform: into the order that kernels work on, and back.

import ImageCodecsCore

/// Converts rows of one bitmap.
struct ColorConversionRows {
    private let transform: ColorTransform
    private let format: PixelFormat
    /// What pixels are in while they are converted: `format` itself, or RGBA.
    private let working: PixelFormat
    private let toWorking: RowConverter
    private let fromWorking: RowConverter
    private let width: Int
    /// One row in `working`.
    private var pixels: Bitmap
    private let wide: WideColors?
    private let grays: [UInt16]
    /// Counts the tables above.
    private let tables: MemoryReservation

    /// - Parameters:
    ///   - format: of rows that come.
    ///   - target: of rows that go: the same, unless they are of inks.
    init(
        _ transform: ColorTransform, from format: PixelFormat, to target: PixelFormat, width: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        self.transform = transform
        self.format = format
        self.width = width
        working =
            switch format {
            case .rgb, .rgba, .gray, .grayAlpha, .gray16, .rgba16, .cmyk: format
            default: .rgba
            }
        toWorking = RowConverter(from: .pixels(format), to: working)
        fromWorking = RowConverter(from: .pixels(format == .cmyk ? .rgba : working), to: target)
        let isWide = format.depth == .sixteen
        tables = try MemoryReservation(byteCount: isWide ? WideColors.byteCount : transform.byteCount, meter: meter)
        pixels = try Bitmap(uninitialized: PixelSize(width: width, height: 1), format: working, meter: meter)
        wide = format == .rgba16 ? WideColors(transform.mapping) : nil
        grays =
            switch format {
            case .gray, .grayAlpha: (0..<256).map { UInt16(transform.mapping.byte(ofGray: Double($0) / 255)) }
            case .gray16: (0..<65536).map { transform.mapping.word(ofGray: Double($0) / 65535) }
            default: []
            }
    }

    /// What a row counts as work.
    var cost: Int { width.multipliedSaturated(by: wide == nil ? 4 : 64) }

    /// Converts a row and keeps it.
    mutating func convert(_ source: RawSpan) {
        let (transform, grays, wide, pixelByteCount) = (transform, grays, wide, working.bytesPerPixel)
        let (toWorking, width, format) = (toWorking, width, format)
        pixels.withMutableRowBytes(0) { row in
            toWorking.convert(source, into: &row, width: width)
            switch format {
            case .gray, .grayAlpha:
                for at in stride(from: 0, to: row.byteCount, by: pixelByteCount) {
                    row.setByte(UInt8(truncatingIfNeeded: grays[Int(row.byte(at: at))]), at: at)
                }
            case .gray16: row.withNumbers(of: UInt16.self) { for x in 0..<$0.count { $0[x] = grays[Int($0[x])] } }
            case .rgba16: row.withNumbers(of: UInt16.self) { wide?.convert(&$0) }
            default: transform.convertBytes(&row, pixelByteCount: pixelByteCount)
            }
        }
    }

    /// Writes the row that was converted last.
    func deliver(into target: inout MutableRawSpan) {
        pixels.withRowBytes(0) { fromWorking.convert($0, into: &target, width: width) }
    }
}
