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

    init(_ transform: ColorTransform, format: PixelFormat, width: Int) throws(ImageError) {
        self.transform = transform
        self.format = format
        self.width = width
        working =
            switch format {
            case .rgb, .rgba, .gray, .grayAlpha, .gray16, .rgba16, .cmyk: format
            default: .rgba
            }
        toWorking = RowConverter(from: .pixels(format), to: working)
        fromWorking = RowConverter(
            from: .pixels(format == .cmyk ? .rgba : working), to: format == .cmyk ? .bgrx : format)
        pixels = try Bitmap(size: PixelSize(width: width, height: 1), format: working)
        wide = format == .rgba16 ? WideColors(transform.mapping) : nil
        grays =
            switch format {
            case .gray, .grayAlpha: (0..<256).map { UInt16(transform.mapping.byte(ofGray: Double($0) / 255)) }
            case .gray16: (0..<65536).map { transform.mapping.word(ofGray: Double($0) / 65535) }
            default: []
            }
    }

    /// Converts a row; `target` is of `format`, but BGRX for CMYK.
    mutating func convert(_ source: RawSpan, into target: inout MutableRawSpan) {
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
        pixels.withRowBytes(0) { fromWorking.convert($0, into: &target, width: width) }
    }
}

/// Pixels of sixteen bits: curves from tables, the matrix and the last curve in floating point; profiles with tables by the mapping itself.
struct WideColors {
    private let mapping: ColorMapping
    /// Light of each number of red, green and blue; empty for profiles with tables.
    private let light: [[Float]]
    private let matrix: Matrix3
    /// Numbers of light at 0, 1/65536 and so on to 1, and one more.
    private let numbers: [Float]

    init(_ mapping: ColorMapping) {
        self.mapping = mapping
        guard case .matrix(let curves, let matrix) = mapping.source.model else {
            (light, self.matrix, numbers) = ([], .identity, [])
            return
        }
        light = curves.map { curve in (0..<65536).map { Float(curve(Double($0) / 65535)) } }
        self.matrix = mapping.destination.inverseMatrix * matrix
        numbers = (0..<65538).map { Float(mapping.number(Double($0) / 65536) * 65535) }
    }

    /// Converts red, green, blue and alpha in place.
    func convert(_ row: inout MutableSpan<UInt16>) {
        for at in stride(from: 0, to: row.count - 3, by: 4) {
            let (red, green, blue) = (row[at], row[at + 1], row[at + 2])
            let result: SIMD4<Double>
            if light.isEmpty {
                result = mapping(SIMD4(Double(red), Double(green), Double(blue), 0) / 65535) * 65535
            } else {
                let sum =
                    matrix
                    * SIMD4(
                        Double(light[0][Int(red)]), Double(light[1][Int(green)]), Double(light[2][Int(blue)]), 0)
                result = SIMD4(number(sum.x), number(sum.y), number(sum.z), 0)
            }
            row[at] = UInt16(result.x.rounded())
            row[at + 1] = UInt16(result.y.rounded())
            row[at + 2] = UInt16(result.z.rounded())
        }
    }

    private func number(_ light: Double) -> Double {
        guard light > 0 else { return 0 }
        let place = min(1, light) * 65536
        let index = Int(place)
        let low = Double(numbers[index])
        return low + (Double(numbers[index + 1]) - low) * (place - Double(index))
    }
}
