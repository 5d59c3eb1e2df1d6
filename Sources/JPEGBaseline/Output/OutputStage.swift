// What is left to do between sample planes and picture rows: chosen once per picture.

import ImageCodecsCore

/// The way from sample planes to rows of one format.
enum OutputStage: Hashable, Sendable {
    /// Rows of the only component, as they are.
    case gray
    /// Y'CbCr with chroma of half the width and height: upsampling and colour in one pass.
    case fusedH2V2(PixelOrder)
    /// Y'CbCr with chroma of half the width: upsampling and colour in one pass.
    case fusedH2V1(PixelOrder)
    /// Y'CbCr at any sampling factors: upsampling to rows of samples, then colour.
    case color(PixelOrder)
    /// Red, green and blue at any sampling factors.
    case interleaved(PixelOrder)
    /// Four inks at any sampling factors.
    case inks(isYCCK: Bool)

    /// - Precondition: `colorModel.canWrite(format)`.
    init(colorModel: JPEGColorModel, upsampler: RowUpsampler, format: PixelFormat) {
        let order = PixelOrder(format) ?? .rgb
        switch colorModel {
        case .grayscale: self = .gray
        case .cmyk: self = .inks(isYCCK: false)
        case .ycck: self = .inks(isYCCK: true)
        case .rgb: self = .interleaved(order)
        case .yCbCr:
            let chroma = upsampler.way(1)
            switch chroma {
            case .fancyH2V2 where upsampler.way(0) == .none && upsampler.way(2) == chroma: self = .fusedH2V2(order)
            case .fancyH2V1 where upsampler.way(0) == .none && upsampler.way(2) == chroma: self = .fusedH2V1(order)
            default: self = .color(order)
            }
        }
    }
}
