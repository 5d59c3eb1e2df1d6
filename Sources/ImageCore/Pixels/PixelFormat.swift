// What the bytes of a bitmap mean: channel order, alpha, depth.

/// The layout of one pixel in a ``Bitmap``.
///
/// A format is its channel order (``layout``), how alpha relates to colour (``alpha``) and the depth of a
/// sample (``depth``). Only the combinations named below exist; conversion between any two of them is total
/// (see ``Bitmap/converted(to:)``).
public struct PixelFormat: Hashable, Sendable {
    /// The order of the channels in memory, lowest address first.
    public enum Layout: String, Hashable, Sendable {
        case bgra, rgba, rgb, gray, grayAlpha, cmyk
    }

    /// What the alpha channel says about the colour channels.
    public enum Alpha: String, Hashable, Sendable {
        /// There is no alpha channel, or its byte is padding that always holds 255.
        case none
        /// Colour is stored as it is, whatever alpha says ("unassociated").
        case straight
        /// Colour is stored multiplied by alpha ("associated").
        case premultiplied
    }

    /// Bits of one sample. Samples of sixteen bits are in the machine's byte order.
    public enum Depth: Int, Hashable, Sendable {
        case eight = 8
        case sixteen = 16
    }

    /// The order of the channels in memory.
    public let layout: Layout
    /// What the alpha channel says about the colour channels.
    public let alpha: Alpha
    /// Bits of one sample.
    public let depth: Depth

    private init(_ layout: Layout, _ alpha: Alpha, _ depth: Depth) {
        self.layout = layout
        self.alpha = alpha
        self.depth = depth
    }

    /// Blue, green, red, alpha; colour multiplied by alpha. What displays want, and the default.
    public static let bgraPremultiplied = PixelFormat(.bgra, .premultiplied, .eight)
    /// Blue, green, red and a byte that is always 255: the opaque twin of ``bgraPremultiplied``.
    public static let bgrx = PixelFormat(.bgra, .none, .eight)
    /// Red, green, blue, alpha; straight.
    public static let rgba = PixelFormat(.rgba, .straight, .eight)
    /// Red, green, blue, alpha; colour multiplied by alpha.
    public static let rgbaPremultiplied = PixelFormat(.rgba, .premultiplied, .eight)
    /// Red, green, blue.
    public static let rgb = PixelFormat(.rgb, .none, .eight)
    /// One luminance sample.
    public static let gray = PixelFormat(.gray, .none, .eight)
    /// Luminance and straight alpha.
    public static let grayAlpha = PixelFormat(.grayAlpha, .straight, .eight)
    /// Red, green, blue, straight alpha, sixteen bits each, native byte order.
    public static let rgba16 = PixelFormat(.rgba, .straight, .sixteen)
    /// One luminance sample of sixteen bits, native byte order.
    public static let gray16 = PixelFormat(.gray, .none, .sixteen)
    /// Cyan, magenta, yellow, black as Adobe stores them in JPEG: inverted, so 255 is no ink.
    public static let cmyk = PixelFormat(.cmyk, .none, .eight)

    /// Every format there is.
    public static let all: [PixelFormat] = [
        .bgraPremultiplied, .bgrx, .rgba, .rgbaPremultiplied, .rgb, .gray, .grayAlpha, .rgba16, .gray16, .cmyk,
    ]

    /// Samples of one pixel in memory, padding included.
    public var samplesPerPixel: Int {
        switch layout {
        case .bgra, .rgba, .cmyk: 4
        case .rgb: 3
        case .grayAlpha: 2
        case .gray: 1
        }
    }

    /// Bytes from one pixel to the next.
    public var bytesPerPixel: Int { samplesPerPixel * (depth.rawValue / 8) }

    /// Whether a pixel can be transparent.
    public var hasAlpha: Bool { alpha != .none }

    /// The name used on the command line: `bgraPremultiplied`, `rgb`, `gray16`, ...
    public var name: String {
        switch self {
        case .bgraPremultiplied: "bgraPremultiplied"
        case .bgrx: "bgrx"
        case .rgba: "rgba"
        case .rgbaPremultiplied: "rgbaPremultiplied"
        case .rgb: "rgb"
        case .gray: "gray"
        case .grayAlpha: "grayAlpha"
        case .rgba16: "rgba16"
        case .gray16: "gray16"
        default: "cmyk"
        }
    }

    /// The format of that ``name``, if there is one.
    public init?(name: String) {
        guard let match = Self.all.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}

extension PixelFormat: CustomStringConvertible {
    /// The ``name``.
    public var description: String { name }
}
