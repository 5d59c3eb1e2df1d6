// The plain twin of every step, for tests and fuzzing: one pixel at a time, arrays, checked arithmetic.

extension ConversionStep {
    /// What `run` writes for the first `width` pixels of `source`.
    package func reference(_ source: [UInt8], width: Int) -> [UInt8] {
        if case .lookUp(let table) = self { return PaletteReference.lookUp(source, width: width, table) }
        let size = sourceBitsPerPixel / 8
        return (0..<width).flatMap { x in
            let pixel = source[x * size..<(x + 1) * size]
            return SwizzleReference.pixel(pixel, after: self)
                ?? PremultiplyReference.pixel(pixel, after: self)
                ?? LuminanceReference.pixel(pixel, after: self)
                ?? SampleDepthReference.pixel(pixel, after: self)
                ?? []
        }
    }

    /// Bits of a pixel that comes in.
    package var sourceBitsPerPixel: Int {
        switch self {
        case .lookUp(let table): table.bits
        case .copy(let bytesPerPixel): 8 * bytesPerPixel
        case .widen(let samples): 8 * samples
        case .reduceBigEndian(let samples), .reduceNative(let samples), .swapBytes(let samples): 16 * samples
        case .grayToFour, .grayToRGB, .grayToGrayAlpha: 8
        case .grayAlphaToFour, .grayAlphaToOpaqueFour, .premultiplyGrayAlpha, .grayAlphaToGray, .grayAlphaToRGB,
            .gray16ToRGBA16, .deepGrayToRGBA16, .keyedDeepGrayToRGBA:
            16
        case .rgbToFour, .keyedRGBToFour, .rgbToGray, .rgbToGrayAlpha: 24
        case .exchangeRedBlue, .fourToOpaqueFour, .premultiply, .unpremultiply, .unpremultiplyToOpaque, .cmykToFour,
            .fourToRGB, .fourToGray, .rgbaToGrayAlpha, .rgbaToGray16, .deepGrayAlphaToRGBA16:
            32
        case .deepRGBToRGBA16, .keyedDeepRGBToRGBA: 48
        case .rgba16ToGray16: 64
        }
    }
}
