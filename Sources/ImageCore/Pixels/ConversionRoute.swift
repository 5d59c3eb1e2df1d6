// Which steps lead from a decoder's samples to a pixel format. The choice is made once per picture.
//
// Rules every route follows:
//   - samples are first brought to the destination's depth (16 -> 8 rounds, 8 -> 16 is v*257), then alpha and
//     channels are dealt with: sixteen-bit RGBA to premultiplied BGRA is reduced, then multiplied;
//   - premultiplied sources become straight first, unless the destination is premultiplied too;
//   - dropping alpha keeps the straight colour and composites nothing;
//   - a colour key gives alpha 0 and keeps the colour; if the format has no alpha, the key has no effect.

/// One step, or two with a short stretch of pixels between them.
enum ConversionRoute: Sendable {
    case direct(ConversionStep)
    /// `bytesPerPixel` is what the first step writes and the second reads.
    case through(ConversionStep, bytesPerPixel: Int, ConversionStep)

    init(from layout: SampleLayout, to format: PixelFormat) {
        switch layout {
        case .gray(let bits, let fileKey):
            let key = format.hasAlpha ? fileKey : nil
            switch (bits, key) {
            case (16, let key?):
                self = .keyedDeep(.deepGrayToRGBA16(key: key), .keyedDeepGrayToRGBA(key: key), to: format)
            case (16, nil):
                self = .deep(.gray, to: format)
            case (8, nil):
                self = .eightBit(.gray, to: format)
            default:
                self = .table(Self.grayLevels(bits: bits, key: key), bits: bits, to: format)
            }
        case .grayAlpha(let bits):
            self = bits == 16 ? .deep(.grayAlpha, to: format) : .eightBit(.grayAlpha, to: format)
        case .rgb(let bits, let fileKey):
            let key = format.hasAlpha ? fileKey?.packed : nil
            switch (bits, key) {
            case (16, let key?):
                self = .keyedDeep(.deepRGBToRGBA16(key: key), .keyedDeepRGBToRGBA(key: key), to: format)
            case (16, nil):
                self = .deep(.rgb, to: format)
            case (_, let key?):
                self = .keyedRGB(key, to: format)
            case (_, nil):
                self = .eightBit(.rgb, to: format)
            }
        case .rgba(let bits):
            self = bits == 16 ? .deep(.rgba, to: format) : .eightBit(.rgba, to: format)
        case .bgra:
            self = .straightBGRA(to: format)
        case .bgrx:
            // Not what `bgrx` pixels are, whose fourth byte is 255.
            self = format == .bgrx ? .direct(.fourToOpaqueFour(.kept)) : .bgrx(to: format)
        case .indexed(let bits, let palette):
            self = .table(palette.rgba, bits: bits, to: format)
        case .pixels(let source):
            self = .pixels(source, to: format)
        }
    }
}

// MARK: - Samples of a file

extension ConversionRoute {
    /// The channels of straight eight-bit pixels, red first.
    private enum Channels: Int {
        case gray = 1, grayAlpha, rgb, rgba
    }

    private static func eightBit(_ channels: Channels, to format: PixelFormat) -> ConversionRoute {
        switch (channels, format) {
        case (.gray, .gray16): .direct(.widen(samplesPerPixel: 1))
        case (.rgba, .rgba16): .direct(.widen(samplesPerPixel: 4))
        case (.rgba, .gray16): .direct(.rgbaToGray16)
        case (_, .rgba16), (_, .gray16): .step(eightBitStep(channels, to: .rgba), .rgba, to: format)
        default: .direct(eightBitStep(channels, to: format))
        }
    }

    /// `first`, which writes straight pixels of `channels`, and what leads from those to `format` in one step.
    private static func step(
        _ first: ConversionStep, _ channels: Channels, to format: PixelFormat
    ) -> ConversionRoute {
        guard case .direct(let second) = eightBit(channels, to: format) else { return .direct(first) }
        if case .copy = second { return .direct(first) }
        return .through(first, bytesPerPixel: channels.rawValue, second)
    }

    /// The step to a format of eight bits.
    private static func eightBitStep(_ channels: Channels, to format: PixelFormat) -> ConversionStep {
        switch channels {
        case .gray:
            switch format {
            case .gray: .copy(bytesPerPixel: 1)
            case .grayAlpha: .grayToGrayAlpha
            case .rgb: .grayToRGB
            default: .grayToFour
            }
        case .grayAlpha:
            switch format {
            case .gray: .grayAlphaToGray
            case .grayAlpha: .copy(bytesPerPixel: 2)
            case .rgb: .grayAlphaToRGB
            case .rgba: .grayAlphaToFour
            case .rgbaPremultiplied, .bgraPremultiplied: .premultiplyGrayAlpha
            default: .grayAlphaToOpaqueFour
            }
        case .rgb:
            switch format {
            case .gray: .rgbToGray
            case .grayAlpha: .rgbToGrayAlpha
            case .rgb: .copy(bytesPerPixel: 3)
            default: .rgbToFour(format.redBlue)
            }
        case .rgba:
            switch format {
            case .gray: .fourToGray(.kept)
            case .grayAlpha: .rgbaToGrayAlpha
            case .rgb: .fourToRGB(.kept)
            case .rgba: .copy(bytesPerPixel: 4)
            case .rgbaPremultiplied, .bgraPremultiplied: .premultiply(format.redBlue)
            default: .fourToOpaqueFour(format.redBlue)
            }
        }
    }

    /// Straight BGRA: the steps for straight RGBA exchange red and blue on the way; the rarer formats need one step more.
    private static func straightBGRA(to format: PixelFormat) -> ConversionRoute {
        switch format {
        case .bgraPremultiplied: .direct(.premultiply(.kept))
        case .rgbaPremultiplied: .direct(.premultiply(.exchanged))
        case .rgba: .direct(.exchangeRedBlue)
        case .bgrx: .direct(.fourToOpaqueFour(.kept))
        case .cmyk: .direct(.fourToOpaqueFour(.exchanged))
        case .rgb: .direct(.fourToRGB(.exchanged))
        case .gray: .direct(.fourToGray(.exchanged))
        default: .step(.exchangeRedBlue, .rgba, to: format)
        }
    }

    /// Big-endian samples of sixteen bits without a key.
    private static func deep(_ channels: Channels, to format: PixelFormat) -> ConversionRoute {
        guard format.depth == .sixteen else {
            return .step(.reduceBigEndian(samplesPerPixel: channels.rawValue), channels, to: format)
        }
        let toRGBA16: ConversionStep
        switch channels {
        case .gray where format == .gray16: return .direct(.swapBytes(samplesPerPixel: 1))
        case .gray: toRGBA16 = .deepGrayToRGBA16(key: nil)
        case .grayAlpha: toRGBA16 = .deepGrayAlphaToRGBA16
        case .rgb: toRGBA16 = .deepRGBToRGBA16(key: nil)
        case .rgba: toRGBA16 = .swapBytes(samplesPerPixel: 4)
        }
        return format == .rgba16
            ? .direct(toRGBA16)
            : .through(toRGBA16, bytesPerPixel: 8, .rgba16ToGray16)
    }

    /// Big-endian samples of sixteen bits with a key, to a format with alpha.
    private static func keyedDeep(
        _ toRGBA16: ConversionStep, _ toRGBA: ConversionStep, to format: PixelFormat
    ) -> ConversionRoute {
        format == .rgba16 ? .direct(toRGBA16) : .step(toRGBA, .rgba, to: format)
    }

    /// RGB of eight bits with a key (sixteen bits for each component), to a format with alpha.
    private static func keyedRGB(_ key: UInt64, to format: PixelFormat) -> ConversionRoute {
        guard key & 0xFF00_FF00_FF00 == 0 else { return .eightBit(.rgb, to: format) }
        let pixel = UInt32(truncatingIfNeeded: key & 0xFF | (key >> 8) & 0xFF00 | (key >> 16) & 0xFF_0000)
        switch format {
        case .bgraPremultiplied, .rgbaPremultiplied:
            return .direct(.keyedRGBToFour(format.redBlue, key: pixel, .premultiplied))
        default:
            return .step(.keyedRGBToFour(.kept, key: pixel, .straight), .rgba, to: format)
        }
    }

    /// Samples that are looked up in a table of 256 straight RGBA pixels.
    private static func table(_ rgba: [UInt32], bits: Int, to format: PixelFormat) -> ConversionRoute {
        guard format.depth == .eight else {
            let toRGBA = PixelTable(bits: bits, rgba: rgba, .copy(bytesPerPixel: 4), bytesPerPixel: 4)
            return .step(.lookUp(toRGBA), .rgba, to: format)
        }
        let bytesPerPixel = format.bytesPerPixel
        return .direct(
            .lookUp(PixelTable(bits: bits, rgba: rgba, eightBitStep(.rgba, to: format), bytesPerPixel: bytesPerPixel)))
    }

    /// Gray of up to eight bits as 256 straight RGBA pixels; bits are replicated, the key has alpha 0.
    static func grayLevels(bits: Int, key: UInt16?) -> [UInt32] {
        let largest: UInt32 = 1 << UInt32(bits) - 1
        return (0..<256).map { (entry: UInt32) in
            let sample = entry & largest
            let color = sample * (255 / largest) * 0x01_0101
            return key.map(UInt32.init) == sample ? color : color | 0xFF00_0000
        }
    }
}

// MARK: - Pixels in a format

extension ConversionRoute {
    private static func pixels(_ source: PixelFormat, to format: PixelFormat) -> ConversionRoute {
        if source == format { return .direct(.copy(bytesPerPixel: format.bytesPerPixel)) }
        switch source {
        case .gray: return .eightBit(.gray, to: format)
        case .grayAlpha: return .eightBit(.grayAlpha, to: format)
        case .rgb: return .eightBit(.rgb, to: format)
        case .rgba: return .eightBit(.rgba, to: format)
        case .bgrx: return .bgrx(to: format)
        case .cmyk: return .cmyk(to: format)
        case .gray16:
            return format == .rgba16
                ? .direct(.gray16ToRGBA16) : .step(.reduceNative(samplesPerPixel: 1), .gray, to: format)
        case .rgba16:
            return format == .gray16
                ? .direct(.rgba16ToGray16) : .step(.reduceNative(samplesPerPixel: 4), .rgba, to: format)
        default: return .premultiplied(source, to: format)
        }
    }

    private static func bgrx(to format: PixelFormat) -> ConversionRoute {
        switch format {
        case .bgraPremultiplied: .direct(.fourToOpaqueFour(.kept))
        case .rgb: .direct(.fourToRGB(.exchanged))
        case .gray: .direct(.fourToGray(.exchanged))
        case .rgba, .rgbaPremultiplied, .cmyk: .direct(.fourToOpaqueFour(.exchanged))
        default: .step(.fourToOpaqueFour(.exchanged), .rgba, to: format)
        }
    }

    private static func cmyk(to format: PixelFormat) -> ConversionRoute {
        switch format {
        case .bgraPremultiplied, .bgrx, .rgba, .rgbaPremultiplied: .direct(.cmykToFour(format.redBlue))
        default: .step(.cmykToFour(.kept), .rgba, to: format)
        }
    }

    private static func premultiplied(_ source: PixelFormat, to format: PixelFormat) -> ConversionRoute {
        let redBlue: RedBlue = source.redBlue == format.redBlue ? .kept : .exchanged
        switch format {
        case .bgraPremultiplied, .rgbaPremultiplied: return .direct(.exchangeRedBlue)
        case .rgba: return .direct(.unpremultiply(redBlue))
        case .bgrx, .cmyk: return .direct(.unpremultiplyToOpaque(redBlue))
        default: return .step(.unpremultiply(source.redBlue), .rgba, to: format)
        }
    }
}

extension PixelFormat {
    /// What leads between this format and red first.
    fileprivate var redBlue: RedBlue { layout == .bgra ? .exchanged : .kept }
}

extension SampleLayout.ColorKey {
    /// Red in the low sixteen bits, then green, blue.
    fileprivate var packed: UInt64 { UInt64(red) | UInt64(green) << 16 | UInt64(blue) << 32 }
}
