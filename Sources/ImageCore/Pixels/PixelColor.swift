// The colour of one pixel, whatever the format of the bitmap it stands in.

/// A colour with alpha: sixteen bits each, straight.
///
/// Straight ("unassociated") means that red, green and blue are as they are, not multiplied by alpha. No colour
/// management is applied: the numbers are those of the file's own colour space.
public struct PixelColor: Hashable, Sendable {
    /// Red, 0 ... 65535.
    public var red: UInt16
    /// Green, 0 ... 65535.
    public var green: UInt16
    /// Blue, 0 ... 65535.
    public var blue: UInt16
    /// 0 is transparent, 65535 opaque.
    public var alpha: UInt16

    /// Creates a colour of samples of sixteen bits.
    public init(red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16 = .max) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates a colour of samples of eight bits: red, green, blue, alpha. Each becomes sixteen bits by replication,
    /// `v * 257`.
    public init(rgba8 samples: SIMD4<UInt8>) {
        self.init(
            red: Self.widened(samples[0]), green: Self.widened(samples[1]), blue: Self.widened(samples[2]),
            alpha: Self.widened(samples[3]))
    }

    /// Red, green, blue, alpha in eight bits each, rounded: `round(v / 257)`. Exact for colours of bitmaps of eight bits.
    public var rgba8: SIMD4<UInt8> {
        SIMD4(Self.rounded(red), Self.rounded(green), Self.rounded(blue), Self.rounded(alpha))
    }

    private static func widened(_ sample: UInt8) -> UInt16 { UInt16(sample) * 257 }

    private static func rounded(_ sample: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(sample) * 255 + 32895) >> 16)
    }
}

extension PixelColor: CustomStringConvertible {
    /// Hexadecimal as in style sheets: `#ff8000`, or `#ff800080` if it is not opaque. Two digits a sample if
    /// eight bits say it exactly, else four: `#ff80800000ff`.
    public var description: String {
        let samples = alpha == .max ? [red, green, blue] : [red, green, blue, alpha]
        let isShort = Self(rgba8: rgba8) == self
        return samples.reduce(into: "#") { text, sample in
            let digits = String(isShort ? sample & 255 : sample, radix: 16)
            text += String(repeating: "0", count: (isShort ? 2 : 4) - digits.count) + digits
        }
    }
}

extension Bitmap {
    /// The colour of the pixel in column `x` (0 is the left) of row `y` (0 is the top).
    ///
    /// It is the pixel that the bitmap converted to ``PixelFormat/rgba16`` (see ``converted(to:)``) has there.
    ///
    /// For looking at single pixels: loops over many are quicker with ``withRow(_:_:)``. Read only, because most formats
    /// could not give back what was written: one that is premultiplied rounds, gray has no hue. Write rows, in the
    /// bitmap's own samples, with ``withMutableRow(_:_:)``.
    ///
    /// - Precondition: `x` is in `0..<width` and `y` in `0..<height`; as with an array, the program ends where they are not.
    public subscript(x: Int, y: Int) -> PixelColor {
        precondition(x >= 0 && x < width && y >= 0 && y < height, "pixel outside the bitmap")
        return withRowBytes(y) { row in Self.color(row, offset: x * format.bytesPerPixel, format) }
    }

    /// The colour of the pixel whose samples start at `offset`.
    private static func color(_ row: RawSpan, offset: Int, _ format: PixelFormat) -> PixelColor {
        guard format.depth == .eight else {
            let samples = (0..<format.samplesPerPixel).map { row.nativeUInt16(at: offset + 2 * $0) }
            guard samples.count == 4 else { return PixelColor(red: samples[0], green: samples[0], blue: samples[0]) }
            return PixelColor(red: samples[0], green: samples[1], blue: samples[2], alpha: samples[3])
        }
        func sample(_ index: Int) -> UInt8 { row.byte(at: offset + index) }
        var color: SIMD4<UInt8>
        switch format.layout {
        case .bgra: color = SIMD4(sample(2), sample(1), sample(0), sample(3))
        case .rgba: color = SIMD4(sample(0), sample(1), sample(2), sample(3))
        case .rgb: color = SIMD4(sample(0), sample(1), sample(2), 255)
        case .gray: color = SIMD4(sample(0), sample(0), sample(0), 255)
        case .grayAlpha: color = SIMD4(sample(0), sample(0), sample(0), sample(1))
        case .cmyk: color = overlaid(SIMD4(sample(0), sample(1), sample(2), 255), black: sample(3))
        }
        switch format.alpha {
        case .none: color[3] = 255
        case .straight: break
        case .premultiplied: color = unpremultiplied(color)
        }
        return PixelColor(rgba8: color)
    }

    /// Inverted inks to red, green and blue: `(C * K + 127) / 255`.
    private static func overlaid(_ inks: SIMD4<UInt8>, black: UInt8) -> SIMD4<UInt8> {
        func mixed(_ ink: UInt8) -> UInt8 { UInt8((Int(ink) * Int(black) + 127) / 255) }
        return SIMD4(mixed(inks[0]), mixed(inks[1]), mixed(inks[2]), 255)
    }

    /// Colour divided by alpha: `(c * 255 + a / 2) / a`, at most 255; 0 if alpha is 0.
    private static func unpremultiplied(_ color: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let alpha = Int(color[3])
        guard alpha > 0 else { return SIMD4(0, 0, 0, 0) }
        func divided(_ sample: UInt8) -> UInt8 { UInt8(min(255, (Int(sample) * 255 + alpha / 2) / alpha)) }
        return SIMD4(divided(color[0]), divided(color[1]), divided(color[2]), color[3])
    }
}
