// PLTE and tRNS: the palette, its alpha values, and colour keys.

import ImageCodecsCore

/// The palette's colours, three bytes each.
///
/// Source: PNG 3rd ed. §11.2.2 "PLTE Palette".
struct PaletteChunk: Hashable, Sendable {
    /// Red, green, blue; straight RGBA with alpha 255, red in the lowest byte.
    let colors: [UInt32]

    /// Reads the body of a PLTE chunk; `nil` when it is not a whole number of 1...256 colours.
    init?(_ body: Span<UInt8>) {
        guard body.count % 3 == 0, (3...768).contains(body.count) else { return nil }
        var colors: [UInt32] = []
        var at = 0
        while at < body.count {
            colors.append(
                UInt32(body[at]) | UInt32(body[at + 1]) << 8 | UInt32(body[at + 2]) << 16 | 0xFF00_0000)
            at += 3
        }
        self.colors = colors
    }
}

/// What tRNS makes transparent.
///
/// Source: PNG 3rd ed. §11.3.1.1 "tRNS Transparency".
enum Transparency: Hashable, Sendable {
    /// Alpha of the first palette entries.
    case paletteAlpha([UInt8])
    /// The gray sample that is transparent, at the file's depth.
    case gray(UInt16)
    /// The colour that is transparent, at the file's depth.
    case rgb(SampleLayout.ColorKey)

    /// Reads the body of a tRNS chunk; `nil` when it does not fit the colour type and is to be ignored, as
    /// libpng does.
    ///
    /// Of each sample only the low `bitDepth` bits count.
    init?(_ body: Span<UInt8>, header: ImageHeader, paletteCount: Int) {
        let mask = UInt16(truncatingIfNeeded: (1 << header.bitDepth) - 1)
        switch header.colorType {
        case .indexed:
            guard !body.isEmpty, body.count <= paletteCount else { return nil }
            self = .paletteAlpha(Array(body))
        case .gray:
            guard body.count == 2 else { return nil }
            self = .gray(body.bigEndianUInt16(at: 0) & mask)
        case .rgb:
            guard body.count == 6 else { return nil }
            self = .rgb(
                SampleLayout.ColorKey(
                    red: body.bigEndianUInt16(at: 0) & mask, green: body.bigEndianUInt16(at: 2) & mask,
                    blue: body.bigEndianUInt16(at: 4) & mask))
        case .grayAlpha, .rgba:
            return nil
        }
    }
}

extension SampleLayout {
    /// The layout of a PNG scanline.
    init(header: ImageHeader, palette: PaletteChunk?, transparency: Transparency?) {
        switch header.colorType {
        case .gray:
            var key: UInt16?
            if case .gray(let sample) = transparency { key = sample }
            self = .gray(bits: header.bitDepth, transparent: key)
        case .rgb:
            var key: ColorKey?
            if case .rgb(let color) = transparency { key = color }
            self = .rgb(bits: header.bitDepth, transparent: key)
        case .grayAlpha:
            self = .grayAlpha(bits: header.bitDepth)
        case .rgba:
            self = .rgba(bits: header.bitDepth)
        case .indexed:
            var colors = palette?.colors ?? []
            if case .paletteAlpha(let alphas) = transparency {
                for (index, alpha) in zip(colors.indices, alphas) {
                    colors[index] = colors[index] & 0x00FF_FFFF | UInt32(alpha) << 24
                }
            }
            self = .indexed(bits: header.bitDepth, palette: Palette(colors))
        }
    }
}
