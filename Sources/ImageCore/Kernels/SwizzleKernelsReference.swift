// Plain twin of SwizzleKernels: what becomes of one pixel.

enum SwizzleReference {
    /// The bytes of one pixel after `step`; `nil` for a step of another family.
    static func pixel(_ p: ArraySlice<UInt8>, after step: ConversionStep) -> [UInt8]? {
        let p = Array(p)
        switch step {
        case .copy: return p
        case .exchangeRedBlue: return [p[2], p[1], p[0], p[3]]
        case .fourToOpaqueFour(.kept), .rgbToFour(.kept): return [p[0], p[1], p[2], 255]
        case .fourToOpaqueFour(.exchanged), .rgbToFour(.exchanged): return [p[2], p[1], p[0], 255]
        case .fourToRGB(.kept): return [p[0], p[1], p[2]]
        case .fourToRGB(.exchanged): return [p[2], p[1], p[0]]
        case .grayToFour, .grayAlphaToOpaqueFour: return [p[0], p[0], p[0], 255]
        case .grayAlphaToFour: return [p[0], p[0], p[0], p[1]]
        case .grayToRGB, .grayAlphaToRGB: return [p[0], p[0], p[0]]
        case .grayToGrayAlpha: return [p[0], 255]
        case .grayAlphaToGray: return [p[0]]
        case .keyedRGBToFour(let redBlue, let key, let alpha):
            guard UInt32(p[0]) | UInt32(p[1]) << 8 | UInt32(p[2]) << 16 == key else {
                return pixel(p[...], after: .rgbToFour(redBlue))
            }
            if alpha == .premultiplied { return [0, 0, 0, 0] }
            return redBlue == .kept ? [p[0], p[1], p[2], 0] : [p[2], p[1], p[0], 0]
        default: return nil
        }
    }
}
