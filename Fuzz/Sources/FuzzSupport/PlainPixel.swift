// Pixel conversion in plain arithmetic, one pixel at a time: the reference for the kernels.

public import ImageCore

/// A straight pixel of eight or sixteen bits.
public struct PlainPixel: Sendable {
    private var red = 0
    private var green = 0
    private var blue = 0
    private var alpha = 255
    private var largest = 255

    /// Opaque black.
    public init() {}

    init(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int, largest: Int) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
        self.largest = largest
    }

    /// The bytes of this pixel in a bitmap of `format`.
    public func bytes(in format: PixelFormat) -> [UInt8] {
        var (r, g, b, a) = (red, green, blue, alpha)
        if format.depth == .eight && largest == 65535 {
            (r, g, b, a) = (
                (r * 255 + 32895) >> 16, (g * 255 + 32895) >> 16, (b * 255 + 32895) >> 16, (a * 255 + 32895) >> 16
            )
        } else if format.depth == .sixteen && largest == 255 {
            (r, g, b, a) = (r * 257, g * 257, b * 257, a * 257)
        }
        if format.alpha == .premultiplied { (r, g, b) = (scaled(r, a), scaled(g, a), scaled(b, a)) }
        let gray = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
        let samples: [Int] =
            switch format.layout {
            case .bgra: [b, g, r, format == .bgrx ? 255 : a]
            case .rgba: [r, g, b, a]
            case .rgb: [r, g, b]
            case .gray: [gray]
            case .grayAlpha: [gray, a]
            case .cmyk: [r, g, b, 255]
            }
        guard format.depth == .sixteen else { return samples.map { UInt8($0) } }
        return samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    /// `round(c * a / 255)`.
    private func scaled(_ color: Int, _ alpha: Int) -> Int { (2 * color * alpha + 255) / 510 }
}
