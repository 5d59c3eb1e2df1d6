// The plain twin of every step: one pixel at a time, checked arithmetic.

/// A pixel of up to eight bytes, the first one first; those after it are 0.
typealias PixelBytes = SIMD8<UInt8>

extension PixelBytes {
    /// A pixel of up to four bytes.
    @inline(__always)
    init(_ a: UInt8, _ b: UInt8 = 0, _ c: UInt8 = 0, _ d: UInt8 = 0) { self.init(a, b, c, d, 0, 0, 0, 0) }
}

extension ConversionStep {
    /// What `run` does.
    ///
    /// - Precondition: both rows hold `width` pixels of this step's representations.
    package func runReference(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        /// Makes pixels of `to` bytes out of pixels of `from`.
        @inline(__always) func each(_ from: Int, _ to: Int, _ change: (PixelBytes) -> PixelBytes) {
            for x in 0..<width {
                var pixel = PixelBytes()
                for byte in 0..<from { pixel[byte] = source.byte(at: x * from + byte) }
                pixel = change(pixel)
                for byte in 0..<to { destination.setByte(pixel[byte], at: x * to + byte) }
            }
        }
        /// The same for all samples of pixels.
        @inline(__always) func eachSample(
            _ samples: Int, _ from: Int, _ to: Int, _ change: (PixelBytes) -> PixelBytes
        ) {
            for x in 0..<width * samples {
                var sample = PixelBytes(source.byte(at: x * from))
                if from == 2 { sample[1] = source.byte(at: x * from + 1) }
                sample = change(sample)
                for byte in 0..<to { destination.setByte(sample[byte], at: x * to + byte) }
            }
        }
        switch self {
        case .copy(let bytesPerPixel): destination.copy(source.extracting(first: width * bytesPerPixel))

        case .exchangeRedBlue: each(4, 4) { SwizzleReference.four($0[0], $0[1], $0[2], $0[3], .exchanged) }
        case .fourToOpaqueFour(let redBlue):
            each(4, 4) { SwizzleReference.four($0[0], $0[1], $0[2], 255, redBlue) }
        case .premultiply(let redBlue): each(4, 4) { PremultiplyReference.premultiplied($0, redBlue) }
        case .unpremultiply(let redBlue): each(4, 4) { PremultiplyReference.straight($0, alpha: $0[3], redBlue) }
        case .unpremultiplyToOpaque(let redBlue): each(4, 4) { PremultiplyReference.straight($0, alpha: 255, redBlue) }
        case .cmykToFour(let redBlue): each(4, 4) { LuminanceReference.color(cmyk: $0, redBlue) }

        case .rgbToFour(let redBlue): each(3, 4) { SwizzleReference.four($0[0], $0[1], $0[2], 255, redBlue) }
        case .keyedRGBToFour(let redBlue, let key, let alpha):
            each(3, 4) { SwizzleReference.keyed($0, redBlue, key: key, alpha) }
        case .grayToFour: each(1, 4) { PixelBytes($0[0], $0[0], $0[0], 255) }
        case .grayAlphaToFour: each(2, 4) { PixelBytes($0[0], $0[0], $0[0], $0[1]) }
        case .grayAlphaToOpaqueFour: each(2, 4) { PixelBytes($0[0], $0[0], $0[0], 255) }
        case .premultiplyGrayAlpha: each(2, 4) { PremultiplyReference.premultipliedGray($0) }
        case .lookUp(let table): PaletteKernelsReference.lookUp(source, into: &destination, width: width, table)

        case .fourToRGB(let redBlue): each(4, 3) { SwizzleReference.four($0[0], $0[1], $0[2], 0, redBlue) }
        case .grayToRGB: each(1, 3) { PixelBytes($0[0], $0[0], $0[0]) }
        case .grayToGrayAlpha: each(1, 2) { PixelBytes($0[0], 255) }
        case .grayAlphaToGray: each(2, 1) { $0 }
        case .grayAlphaToRGB: each(2, 3) { PixelBytes($0[0], $0[0], $0[0]) }
        case .rgbaToGrayAlpha: each(4, 2) { PixelBytes(LuminanceReference.gray($0[0], $0[1], $0[2]), $0[3]) }
        case .rgbToGray: each(3, 1) { PixelBytes(LuminanceReference.gray($0[0], $0[1], $0[2])) }
        case .rgbToGrayAlpha: each(3, 2) { PixelBytes(LuminanceReference.gray($0[0], $0[1], $0[2]), 255) }
        case .fourToGray(.kept): each(4, 1) { PixelBytes(LuminanceReference.gray($0[0], $0[1], $0[2])) }
        case .fourToGray(.exchanged): each(4, 1) { PixelBytes(LuminanceReference.gray($0[2], $0[1], $0[0])) }

        case .reduceBigEndian(let samples):
            eachSample(samples, 2, 1) { PixelBytes(SampleDepthReference.reduced(SampleDepthReference.sample($0, 0))) }
        case .reduceNative(let samples):
            eachSample(samples, 2, 1) {
                PixelBytes(SampleDepthReference.reduced(SampleDepthReference.sample(PixelBytes($0[1], $0[0]), 0)))
            }
        case .widen(let samples): eachSample(samples, 1, 2) { PixelBytes($0[0], $0[0]) }
        case .swapBytes(let samples): eachSample(samples, 2, 2) { PixelBytes($0[1], $0[0]) }
        case .gray16ToRGBA16: each(2, 8) { SampleDepthReference.color(gray: PixelBytes($0[1], $0[0]), key: nil) }
        case .deepGrayToRGBA16(let key): each(2, 8) { SampleDepthReference.color(gray: $0, key: key) }
        case .deepGrayAlphaToRGBA16:
            each(4, 8) {
                let (gray, alpha) = (SampleDepthReference.sample($0, 0), SampleDepthReference.sample($0, 1))
                return SampleDepthReference.native(gray, gray, gray, alpha)
            }
        case .deepRGBToRGBA16(let key): each(6, 8) { SampleDepthReference.color(rgb: $0, key: key) }
        case .keyedDeepGrayToRGBA(let key): each(2, 4) { SampleDepthReference.reducedColor(gray: $0, key: key) }
        case .keyedDeepRGBToRGBA(let key): each(6, 4) { SampleDepthReference.reducedColor(rgb: $0, key: key) }
        case .rgbaToGray16: each(4, 2) { LuminanceReference.widenedGray($0) }
        case .rgba16ToGray16: each(8, 2) { LuminanceReference.deepGray($0) }
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

    /// Bytes of a pixel that goes out.
    package var destinationByteCount: Int {
        switch self {
        case .lookUp(let table): table.bytesPerPixel
        case .copy(let bytesPerPixel): bytesPerPixel
        case .widen(let samples), .swapBytes(let samples): 2 * samples
        case .reduceBigEndian(let samples), .reduceNative(let samples): samples
        case .grayAlphaToGray, .rgbToGray, .fourToGray: 1
        case .grayToGrayAlpha, .rgbaToGrayAlpha, .rgbToGrayAlpha, .rgbaToGray16, .rgba16ToGray16: 2
        case .fourToRGB, .grayToRGB, .grayAlphaToRGB: 3
        case .exchangeRedBlue, .fourToOpaqueFour, .premultiply, .unpremultiply, .unpremultiplyToOpaque, .cmykToFour,
            .rgbToFour, .keyedRGBToFour, .grayToFour, .grayAlphaToFour, .grayAlphaToOpaqueFour, .premultiplyGrayAlpha,
            .keyedDeepGrayToRGBA, .keyedDeepRGBToRGBA:
            4
        case .gray16ToRGBA16, .deepGrayToRGBA16, .deepGrayAlphaToRGBA16, .deepRGBToRGBA16: 8
        }
    }
}

#if ReferenceKernels
extension ConversionStep {
    /// Converts `width` pixels.
    ///
    /// - Precondition: both rows hold `width` pixels of this step's representations.
    package func run(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        runReference(source, into: &destination, width: width)
    }
}
#endif
