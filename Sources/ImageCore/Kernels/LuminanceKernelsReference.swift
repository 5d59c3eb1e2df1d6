// Plain twin of LuminanceKernels: what becomes of one pixel.

enum LuminanceReference {
    /// The bytes of one pixel after `step`; `nil` for a step of another family.
    static func pixel(_ p: ArraySlice<UInt8>, after step: ConversionStep) -> [UInt8]? {
        let p = Array(p)
        switch step {
        case .rgbToGray, .fourToGray(.kept): return [gray(p[0], p[1], p[2])]
        case .fourToGray(.exchanged): return [gray(p[2], p[1], p[0])]
        case .rgbToGrayAlpha: return [gray(p[0], p[1], p[2]), 255]
        case .rgbaToGrayAlpha: return [gray(p[0], p[1], p[2]), p[3]]
        case .rgbaToGray16: return nativeBytes(gray(257 * Int(p[0]), 257 * Int(p[1]), 257 * Int(p[2])))
        case .rgba16ToGray16:
            return nativeBytes(
                gray(Int(p[0]) | Int(p[1]) << 8, Int(p[2]) | Int(p[3]) << 8, Int(p[4]) | Int(p[5]) << 8))
        case .cmykToFour(let redBlue):
            return PremultiplyReference.placed(p, redBlue, alpha: 255) { UInt8((Int($0) * Int(p[3]) + 127) / 255) }
        default: return nil
        }
    }

    private static func gray(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
        UInt8(gray(Int(red), Int(green), Int(blue)))
    }

    private static func gray(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16
    }

    private static func nativeBytes(_ sample: Int) -> [UInt8] { [UInt8(sample & 255), UInt8(sample >> 8)] }
}
