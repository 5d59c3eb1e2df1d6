// What the components of a frame mean, and the pixel formats they can be written in.

package import ImageCore

/// The meaning of a frame's components, as the JFIF and Adobe markers or the component identifiers tell it.
package enum JPEGColorModel: Hashable, Sendable {
    /// One component.
    case grayscale
    /// Three components that are red, green and blue already.
    case rgb
    /// Three components, ITU-T T.871 (JFIF) §6 "Colour space".
    case yCbCr
    /// Four components that are cyan, magenta, yellow and black already.
    case cmyk
    /// Four components of which the first three are Y'CbCr of inverted CMY (Adobe transform 2).
    case ycck

    /// Components of a frame of this model.
    package var componentCount: Int {
        switch self {
        case .grayscale: 1
        case .rgb, .yCbCr: 3
        case .cmyk, .ycck: 4
        }
    }

    /// The pixel format that keeps every bit, in the smallest space.
    package var nativeFormat: PixelFormat {
        switch self {
        case .grayscale: .gray
        case .rgb, .yCbCr: .rgb
        case .cmyk, .ycck: .cmyk
        }
    }

    /// Whether rows can be written in `format` without another conversion.
    package func canWrite(_ format: PixelFormat) -> Bool {
        switch self {
        case .grayscale: format == .gray || Self.isOpaqueColor(format)
        case .rgb, .yCbCr: format == .rgb || Self.isOpaqueColor(format)
        case .cmyk, .ycck: format == .cmyk || Self.isOpaqueColor(format)
        }
    }

    /// Four bytes a pixel, one of which is alpha or padding and becomes 255.
    private static func isOpaqueColor(_ format: PixelFormat) -> Bool {
        format.depth == .eight && (format.layout == .bgra || format.layout == .rgba)
    }
}
