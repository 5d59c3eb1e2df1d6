// Rows of any pixel format through a transform: into the order that kernels work on, and back.

import ImageCodecsCore

/// Converts rows of one bitmap.
struct ColorConversionRows {
    /// Converts rows of the working format where they are.
    private let inPlace: Conversion
    /// Whether rows are in the working format already, and stay in it.
    private let areInPlace: Bool
    private let toWorking: RowConverter
    private let fromWorking: RowConverter
    private let width: Int
    /// One row in the working format; empty if rows are in it already.
    private var pixels: Bitmap
    /// Counts the tables.
    private let tables: MemoryReservation

    /// - Parameters:
    ///   - format: of rows that come.
    ///   - target: of rows that go: the same, unless they are of inks.
    init(
        _ transform: ColorTransform, from format: PixelFormat, to target: PixelFormat, width: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        self.width = width
        let working: PixelFormat =
            switch format {
            case .rgb, .rgba, .gray, .grayAlpha, .gray16, .rgba16, .cmyk: format
            default: .rgba
            }
        toWorking = RowConverter(from: .pixels(format), to: working)
        fromWorking = RowConverter(from: .pixels(format == .cmyk ? .rgba : working), to: target)
        areInPlace = working == format && working == target
        let isWide = format.depth == .sixteen
        tables = try MemoryReservation(
            byteCount: transform.byteCount + (isWide ? WideColors.byteCount : 0), meter: meter)
        pixels = try Bitmap(
            uninitialized: PixelSize(width: areInPlace ? 0 : width, height: 1), format: working, meter: meter)
        inPlace = Conversion(transform, working)
    }

    /// What a row counts as work.
    var cost: Int { width.multipliedSaturated(by: inPlace.isWide ? 64 : 4) }

    /// Converts a row where it is; not of inks.
    mutating func convert(_ row: inout MutableRawSpan) {
        if areInPlace { return inPlace.convert(&row) }
        convertInWorkingFormat(row.bytes)
        deliver(into: &row)
    }

    /// Converts a row into another.
    mutating func convert(_ source: RawSpan, into target: inout MutableRawSpan) {
        guard areInPlace else {
            convertInWorkingFormat(source)
            return deliver(into: &target)
        }
        target.copy(source)
        inPlace.convert(&target)
    }

    private mutating func convertInWorkingFormat(_ source: RawSpan) {
        let (toWorking, inPlace, width) = (toWorking, inPlace, width)
        pixels.withMutableRowBytes(0) { row in
            toWorking.convert(source, into: &row, width: width)
            inPlace.convert(&row)
        }
    }

    private func deliver(into target: inout MutableRawSpan) {
        pixels.withRowBytes(0) { fromWorking.convert($0, into: &target, width: width) }
    }

    /// Converts rows of a format that kernels work on: gray, red, green and blue with or without a fourth, inks; or of sixteen bits.
    struct Conversion {
        private let transform: ColorTransform
        private let format: PixelFormat
        private let wide: WideColors?
        private let grays: [UInt16]

        fileprivate init(_ transform: ColorTransform, _ format: PixelFormat) {
            self.transform = transform
            self.format = format
            wide = format == .rgba16 ? WideColors(transform.mapping) : nil
            grays =
                switch format {
                case .gray, .grayAlpha: (0..<256).map { UInt16(transform.mapping.byte(ofGray: Double($0) / 255)) }
                case .gray16: (0..<65536).map { transform.mapping.word(ofGray: Double($0) / 65535) }
                default: []
                }
        }

        fileprivate var isWide: Bool { wide != nil }

        func convert(_ row: inout MutableRawSpan) {
            switch format {
            case .gray, .grayAlpha:
                for at in stride(from: 0, to: row.byteCount, by: format.bytesPerPixel) {
                    row.setByte(UInt8(truncatingIfNeeded: grays[Int(row.byte(at: at))]), at: at)
                }
            case .gray16: row.withNumbers(of: UInt16.self) { for x in 0..<$0.count { $0[x] = grays[Int($0[x])] } }
            case .rgba16: row.withNumbers(of: UInt16.self) { wide?.convert(&$0) }
            default: transform.convertBytes(&row, pixelByteCount: format.bytesPerPixel)
            }
        }
    }
}
