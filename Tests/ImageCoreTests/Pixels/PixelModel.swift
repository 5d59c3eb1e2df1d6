import ImageCodecsCore

/// What conversion means, pixel by pixel and in plain arithmetic: the yardstick for `RowConverter`.
struct PixelModel {
    var red = 0
    var green = 0
    var blue = 0
    var alpha = 255
    /// 255 or 65535.
    var largest = 255
    var isPremultiplied = false

    // MARK: Reading

    init(_ layout: SampleLayout, _ row: [UInt8], x: Int) {
        /// Sample `index` of the row, most significant bit first, big-endian.
        func sample(_ index: Int, bits: Int) -> Int {
            let byte = index * bits / 8
            if bits == 16 { return Int(row[byte]) << 8 | Int(row[byte + 1]) }
            return Int(row[byte]) >> (8 - bits - index * bits % 8) & (1 << bits - 1)
        }
        switch layout {
        case .gray(let bits, let key):
            let value = sample(x, bits: bits)
            largest = bits == 16 ? 65535 : 255
            red = value * [1: 255, 2: 85, 4: 17, 8: 1, 16: 1][bits]!
            (green, blue) = (red, red)
            alpha = key.map(Int.init) == value ? 0 : largest
        case .grayAlpha(let bits):
            largest = bits == 16 ? 65535 : 255
            red = sample(2 * x, bits: bits)
            (green, blue) = (red, red)
            alpha = sample(2 * x + 1, bits: bits)
        case .rgb(let bits, let key):
            largest = bits == 16 ? 65535 : 255
            red = sample(3 * x, bits: bits)
            green = sample(3 * x + 1, bits: bits)
            blue = sample(3 * x + 2, bits: bits)
            let isKey = key.map { Int($0.red) == red && Int($0.green) == green && Int($0.blue) == blue }
            alpha = isKey == true ? 0 : largest
        case .rgba(let bits):
            largest = bits == 16 ? 65535 : 255
            red = sample(4 * x, bits: bits)
            green = sample(4 * x + 1, bits: bits)
            blue = sample(4 * x + 2, bits: bits)
            alpha = sample(4 * x + 3, bits: bits)
        case .bgra:
            (blue, green) = (sample(4 * x, bits: 8), sample(4 * x + 1, bits: 8))
            (red, alpha) = (sample(4 * x + 2, bits: 8), sample(4 * x + 3, bits: 8))
        case .bgrx:
            (blue, green) = (sample(4 * x, bits: 8), sample(4 * x + 1, bits: 8))
            red = sample(4 * x + 2, bits: 8)
        case .indexed(let bits, let palette):
            let entry = Int(palette.rgba[sample(x, bits: bits)])
            (red, green, blue, alpha) = (entry & 255, entry >> 8 & 255, entry >> 16 & 255, entry >> 24)
        case .pixels(let format):
            read(format, row, x: x)
        }
    }

    private mutating func read(_ format: PixelFormat, _ row: [UInt8], x: Int) {
        let bytes = row[x * format.bytesPerPixel..<(x + 1) * format.bytesPerPixel].map(Int.init)
        isPremultiplied = format.alpha == .premultiplied
        switch format {
        case .bgraPremultiplied: (blue, green, red, alpha) = (bytes[0], bytes[1], bytes[2], bytes[3])
        case .bgrx: (blue, green, red) = (bytes[0], bytes[1], bytes[2])
        case .rgba, .rgbaPremultiplied: (red, green, blue, alpha) = (bytes[0], bytes[1], bytes[2], bytes[3])
        case .rgb: (red, green, blue) = (bytes[0], bytes[1], bytes[2])
        case .gray: (red, green, blue) = (bytes[0], bytes[0], bytes[0])
        case .grayAlpha: (red, green, blue, alpha) = (bytes[0], bytes[0], bytes[0], bytes[1])
        case .rgba16:
            largest = 65535
            let words = (0..<4).map { bytes[2 * $0] | bytes[2 * $0 + 1] << 8 }
            (red, green, blue, alpha) = (words[0], words[1], words[2], words[3])
        case .gray16:
            (largest, alpha) = (65535, 65535)
            red = bytes[0] | bytes[1] << 8
            (green, blue) = (red, red)
        default:
            red = (bytes[0] * bytes[3] + 127) / 255
            green = (bytes[1] * bytes[3] + 127) / 255
            blue = (bytes[2] * bytes[3] + 127) / 255
        }
    }

    // MARK: Writing

    /// The bytes of this pixel in `format`.
    func bytes(in format: PixelFormat) -> [UInt8] {
        var pixel = self
        if isPremultiplied && format.alpha != .premultiplied { pixel.unpremultiply() }
        pixel.changeDepth(to: format.depth)
        if !isPremultiplied && format.alpha == .premultiplied { pixel.premultiply() }
        let (r, g, b, a) = (pixel.red, pixel.green, pixel.blue, pixel.alpha)
        let gray = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
        let samples: [Int]
        switch format {
        case .bgraPremultiplied: samples = [b, g, r, a]
        case .bgrx: samples = [b, g, r, 255]
        case .rgba, .rgbaPremultiplied, .rgba16: samples = [r, g, b, a]
        case .rgb: samples = [r, g, b]
        case .gray, .gray16: samples = [gray]
        case .grayAlpha: samples = [gray, a]
        default: samples = [r, g, b, 255]
        }
        guard format.depth == .sixteen else { return samples.map { UInt8($0) } }
        return samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    private mutating func changeAll(_ change: (Int) -> Int) {
        (red, green, blue, alpha) = (change(red), change(green), change(blue), change(alpha))
    }

    private mutating func changeDepth(to depth: PixelFormat.Depth) {
        switch (largest, depth) {
        case (65535, .eight): changeAll { ($0 * 255 + 32895) >> 16 }
        case (255, .sixteen): changeAll { $0 * 257 }
        default: break
        }
        largest = depth == .eight ? 255 : 65535
    }

    private mutating func premultiply() {
        let alpha = alpha
        func scaled(_ color: Int) -> Int {
            let t = color * alpha + 128
            return (t + (t >> 8)) >> 8
        }
        (red, green, blue) = (scaled(red), scaled(green), scaled(blue))
    }

    private mutating func unpremultiply() {
        let alpha = alpha
        func divided(_ color: Int) -> Int { alpha == 0 ? 0 : min(255, (color * 255 + alpha / 2) / alpha) }
        (red, green, blue) = (divided(red), divided(green), divided(blue))
    }
}
