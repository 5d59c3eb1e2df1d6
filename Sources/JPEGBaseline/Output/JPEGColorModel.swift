// What the components of a frame mean, and the pixel formats their rows can be written in.

package import ImageCodecsCore

/// The meaning of a frame's components, as the JFIF and Adobe markers or the component identifiers define it.
package enum JPEGColorModel: Hashable, Sendable {
    /// One component.
    case grayscale
    /// Three components that are red, green and blue already.
    case rgb
    /// Three components of luma and two colour differences, ITU-T T.871 (JFIF) §7 "Conversion to and from RGB".
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

    /// The same for samples of `precision` bits. No format has four deep inks: they are rounded.
    package func nativeFormat(precision: Int) -> PixelFormat {
        guard precision > 8 else { return nativeFormat }
        return switch self {
        case .grayscale: .gray16
        case .rgb, .yCbCr: .rgba16
        case .cmyk, .ycck: .cmyk
        }
    }

    /// Whether `RowEmitter` writes `format` itself; to any other, its rows in `nativeFormat` are converted.
    package func canWrite(_ format: PixelFormat) -> Bool {
        format == nativeFormat || (nativeFormat == .rgb && PixelOrder(format) != nil)
    }
}

/// The order in which colour kernels write the bytes of a pixel.
package enum PixelOrder: Hashable, Sendable {
    /// Blue, green, red, 255.
    case bgrx
    /// Red, green, blue, 255.
    case rgbx
    /// Red, green, blue.
    case rgb

    /// The order of an eight-bit colour format; alpha becomes 255.
    package init?(_ format: PixelFormat) {
        guard format.depth == .eight else { return nil }
        switch format.layout {
        case .bgra: self = .bgrx
        case .rgba: self = .rgbx
        case .rgb: self = .rgb
        case .gray, .grayAlpha, .cmyk: return nil
        }
    }

    /// Bytes from one pixel to the next.
    package var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
}
