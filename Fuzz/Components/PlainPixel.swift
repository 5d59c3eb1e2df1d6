// Pixel conversion in plain arithmetic, one pixel at a time: the reference for the kernels.

import ImageCodecsCore

/// A straight pixel of eight or sixteen bits.
struct PlainPixel: Sendable {
    private var red = 0
    private var green = 0
    private var blue = 0
    private var alpha = 255
    private var largest = 255

    /// Opaque black.
    init() {}

    init(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int, largest: Int) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
        self.largest = largest
    }

    /// Appends the bytes of this pixel in a bitmap of `format`.
    func append(to bytes: inout [UInt8], in format: PixelFormat) {
        var (r, g, b, a) = (red, green, blue, alpha)
        if format.depth == .eight && largest == 65535 {
            (r, g, b, a) = (halved(r), halved(g), halved(b), halved(a))
        } else if format.depth == .sixteen && largest == 255 {
            (r, g, b, a) = (r * 257, g * 257, b * 257, a * 257)
        }
        if format.alpha == .premultiplied { (r, g, b) = (scaled(r, a), scaled(g, a), scaled(b, a)) }
        func add(_ sample: Int) {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            if format.depth == .sixteen { bytes.append(UInt8(truncatingIfNeeded: sample >> 8)) }
        }
        let gray = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
        switch format.layout {
        case .bgra:
            add(b)
            add(g)
            add(r)
            add(format == .bgrx ? 255 : a)
        case .rgba:
            add(r)
            add(g)
            add(b)
            add(a)
        case .rgb:
            add(r)
            add(g)
            add(b)
        case .gray: add(gray)
        case .grayAlpha:
            add(gray)
            add(a)
        case .cmyk:
            add(r)
            add(g)
            add(b)
            add(255)
        }
    }

    /// Sixteen bits to eight.
    private func halved(_ sample: Int) -> Int { (sample * 255 + 32895) >> 16 }

    /// `round(c * a / 255)`.
    private func scaled(_ color: Int, _ alpha: Int) -> Int { (2 * color * alpha + 255) / 510 }
}
