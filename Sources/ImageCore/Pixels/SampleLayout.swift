// The rows a decoder hands over: samples as the file holds them, before conversion.

/// A palette expanded to straight RGBA: always 256 entries, so that no index can be out of bounds.
package struct Palette: Hashable, Sendable {
    /// 256 pixels, red in the lowest byte, then green, blue, alpha (straight).
    package let rgba: [UInt32]
    /// Entries the file defines, 0...256. Indices from here on are opaque black.
    package let count: Int
    /// Whether any defined entry has an alpha below 255.
    package let hasAlpha: Bool

    /// - Parameter entries: straight RGBA, red in the lowest byte; only the first 256 are used.
    package init(_ entries: [UInt32]) {
        count = min(entries.count, 256)
        var rgba = [UInt32](repeating: 0xFF00_0000, count: 256)
        var allAlphas = UInt32.max
        for index in 0..<count {
            rgba[index] = entries[index]
            allAlphas &= entries[index]
        }
        self.rgba = rgba
        hasAlpha = allAlphas >> 24 != 255
    }
}

/// How the samples of one row lie in a file, for the codecs of this package.
///
/// Sub-byte samples are packed with the leftmost pixel in the most significant bits; sixteen-bit samples are
/// big-endian. `transparent` is a colour key at the file's own depth (PNG 3rd ed. §11.3.1.1 "tRNS").
package enum SampleLayout: Hashable, Sendable {
    /// `bits` 1, 2, 4, 8 or 16.
    case gray(bits: Int, transparent: UInt16?)
    /// `bits` 8 or 16.
    case grayAlpha(bits: Int)
    /// `bits` 8 or 16.
    case rgb(bits: Int, transparent: ColorKey?)
    /// `bits` 8 or 16, straight alpha.
    case rgba(bits: Int)
    /// Eight bits, straight alpha, blue first: the pixels of VP8L as they lie in memory.
    case bgra
    /// The same if the fourth byte means nothing, whatever it holds.
    case bgrx
    /// `bits` 1, 2, 4 or 8.
    case indexed(bits: Int, palette: Palette)
    /// Rows that already are in a pixel format (native byte order).
    case pixels(PixelFormat)

    package struct ColorKey: Hashable, Sendable {
        package let red: UInt16, green: UInt16, blue: UInt16
        package init(red: UInt16, green: UInt16, blue: UInt16) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// Bits from one pixel to the next.
    package var bitsPerPixel: Int {
        switch self {
        case .gray(let bits, _), .indexed(let bits, _): bits
        case .grayAlpha(let bits): 2 * bits
        case .rgb(let bits, _): 3 * bits
        case .rgba(let bits): 4 * bits
        case .bgra, .bgrx: 32
        case .pixels(let format): 8 * format.bytesPerPixel
        }
    }

    /// Bytes of a row of `width` pixels, the last one padded.
    package func bytesPerRow(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// Whether a pixel can be transparent.
    package var hasAlpha: Bool {
        switch self {
        case .gray(_, let key): key != nil
        case .rgb(_, let key): key != nil
        case .grayAlpha, .rgba, .bgra: true
        case .bgrx: false
        case .indexed(_, let palette): palette.hasAlpha
        case .pixels(let format): format.hasAlpha
        }
    }

    /// The pixel format that keeps every bit of these samples, in the smallest space.
    package var nearestFormat: PixelFormat {
        switch self {
        case .gray(16, nil): .gray16
        case .gray(16, _), .grayAlpha(16), .rgb(16, _), .rgba(16): .rgba16
        case .gray(_, nil): .gray
        case .gray, .grayAlpha: .grayAlpha
        case .rgb(_, nil), .bgrx: .rgb
        case .rgb, .rgba, .bgra: .rgba
        case .indexed(_, let palette): palette.hasAlpha ? .rgba : .rgb
        case .pixels(let format): format
        }
    }
}
