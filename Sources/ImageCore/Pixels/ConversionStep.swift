// One pass over a row: which kernel runs, with its parameters chosen. RowConverter strings at most two together.

/// A pass from one pixel representation to another.
package enum ConversionStep: Sendable {
    /// The bytes as they are.
    case copy(bytesPerPixel: Int)

    // Four-byte pixels among themselves.
    case exchangeRedBlue
    case fourToOpaqueFour(RedBlue)
    case premultiply(RedBlue)
    case unpremultiply(RedBlue)
    case unpremultiplyToOpaque(RedBlue)
    case cmykToFour(RedBlue)

    // Up to four bytes.
    case rgbToFour(RedBlue)
    case keyedRGBToFour(RedBlue, key: UInt32, PixelFormat.Alpha)
    case grayToFour
    case grayAlphaToFour
    case grayAlphaToOpaqueFour
    case premultiplyGrayAlpha
    case lookUp(PixelTable)

    // Down to fewer.
    case fourToRGB(RedBlue)
    case grayToRGB
    case grayToGrayAlpha
    case grayAlphaToGray
    case grayAlphaToRGB
    case rgbaToGrayAlpha
    case rgbToGray
    case rgbToGrayAlpha
    case fourToGray(RedBlue)

    // Between depths.
    case reduceBigEndian(samplesPerPixel: Int)
    case reduceNative(samplesPerPixel: Int)
    case widen(samplesPerPixel: Int)
    case swapBytes(samplesPerPixel: Int)
    case gray16ToRGBA16
    case deepGrayToRGBA16(key: UInt16?)
    case deepGrayAlphaToRGBA16
    case deepRGBToRGBA16(key: UInt64?)
    case keyedDeepGrayToRGBA(key: UInt16)
    case keyedDeepRGBToRGBA(key: UInt64)
    case rgbaToGray16
    case rgba16ToGray16
}

#if !ReferenceKernels
extension ConversionStep {
    /// Converts `width` pixels.
    ///
    /// - Precondition: both rows hold `width` pixels of this step's representations.
    package func run(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        switch self {
        case .copy(let bytesPerPixel):
            SwizzleKernels.copy(source, into: &destination, byteCount: bytesPerPixel * width)

        case .exchangeRedBlue:
            SwizzleKernels.exchangeRedBlue(source, into: &destination, width: width)
        case .fourToOpaqueFour(let redBlue):
            SwizzleKernels.fourToOpaqueFour(source, into: &destination, width: width, redBlue)
        case .premultiply(let redBlue):
            PremultiplyKernels.premultiply(source, into: &destination, width: width, redBlue)
        case .unpremultiply(let redBlue):
            PremultiplyKernels.unpremultiply(source, into: &destination, width: width, redBlue)
        case .unpremultiplyToOpaque(let redBlue):
            PremultiplyKernels.unpremultiplyToOpaque(source, into: &destination, width: width, redBlue)
        case .cmykToFour(let redBlue):
            LuminanceKernels.cmykToFour(source, into: &destination, width: width, redBlue)

        case .rgbToFour(let redBlue):
            SwizzleKernels.rgbToFour(source, into: &destination, width: width, redBlue)
        case .keyedRGBToFour(let redBlue, let key, let alpha):
            SwizzleKernels.keyedRGBToFour(
                source, into: &destination, width: width, redBlue, key: key, alpha)
        case .grayToFour:
            SwizzleKernels.grayToFour(source, into: &destination, width: width)
        case .grayAlphaToFour:
            SwizzleKernels.grayAlphaToFour(source, into: &destination, width: width)
        case .grayAlphaToOpaqueFour:
            SwizzleKernels.grayAlphaToOpaqueFour(source, into: &destination, width: width)
        case .premultiplyGrayAlpha:
            PremultiplyKernels.premultiplyGrayAlpha(source, into: &destination, width: width)
        case .lookUp(let table):
            PaletteKernels.lookUp(source, into: &destination, width: width, table)

        case .fourToRGB(let redBlue):
            SwizzleKernels.fourToRGB(source, into: &destination, width: width, redBlue)
        case .grayToRGB:
            SwizzleKernels.grayToRGB(source, into: &destination, width: width)
        case .grayToGrayAlpha:
            SwizzleKernels.grayToGrayAlpha(source, into: &destination, width: width)
        case .grayAlphaToGray:
            SwizzleKernels.grayAlphaToGray(source, into: &destination, width: width)
        case .grayAlphaToRGB:
            SwizzleKernels.grayAlphaToRGB(source, into: &destination, width: width)
        case .rgbaToGrayAlpha:
            LuminanceKernels.rgbaToGrayAlpha(source, into: &destination, width: width)
        case .rgbToGray:
            LuminanceKernels.rgbToGray(source, into: &destination, width: width)
        case .rgbToGrayAlpha:
            LuminanceKernels.rgbToGrayAlpha(source, into: &destination, width: width)
        case .fourToGray(let redBlue):
            LuminanceKernels.fourToGray(source, into: &destination, width: width, redBlue)

        case .reduceBigEndian(let samples):
            SampleDepthKernels.reduceBigEndian(source, into: &destination, count: samples * width)
        case .reduceNative(let samples):
            SampleDepthKernels.reduceNative(source, into: &destination, count: samples * width)
        case .widen(let samples):
            SampleDepthKernels.widen(source, into: &destination, count: samples * width)
        case .swapBytes(let samples):
            SampleDepthKernels.swapBytes(source, into: &destination, count: samples * width)
        case .gray16ToRGBA16:
            SampleDepthKernels.gray16ToRGBA16(source, into: &destination, width: width)
        case .deepGrayToRGBA16(let key):
            SampleDepthKernels.deepGrayToRGBA16(source, into: &destination, width: width, key: key)
        case .deepGrayAlphaToRGBA16:
            SampleDepthKernels.deepGrayAlphaToRGBA16(source, into: &destination, width: width)
        case .deepRGBToRGBA16(let key):
            SampleDepthKernels.deepRGBToRGBA16(source, into: &destination, width: width, key: key)
        case .keyedDeepGrayToRGBA(let key):
            SampleDepthKernels.keyedDeepGrayToRGBA(source, into: &destination, width: width, key: key)
        case .keyedDeepRGBToRGBA(let key):
            SampleDepthKernels.keyedDeepRGBToRGBA(source, into: &destination, width: width, key: key)
        case .rgbaToGray16:
            LuminanceKernels.rgbaToGray16(source, into: &destination, width: width)
        case .rgba16ToGray16:
            LuminanceKernels.rgba16ToGray16(source, into: &destination, width: width)
        }
    }
}
#endif
