// Plain twin of PremultiplyKernels: what becomes of one pixel.

enum PremultiplyReference {
    /// The bytes of one pixel after `step`; `nil` for a step of another family.
    static func pixel(_ p: ArraySlice<UInt8>, after step: ConversionStep) -> [UInt8]? {
        let p = Array(p)
        switch step {
        case .premultiply(let redBlue): return placed(p, redBlue, alpha: p[3]) { multiply($0, p[3]) }
        case .premultiplyGrayAlpha:
            let gray = multiply(p[0], p[1])
            return [gray, gray, gray, p[1]]
        case .unpremultiply(let redBlue): return placed(p, redBlue, alpha: p[3]) { divide($0, p[3]) }
        case .unpremultiplyToOpaque(let redBlue): return placed(p, redBlue, alpha: 255) { divide($0, p[3]) }
        default: return nil
        }
    }

    /// c*a/255, rounded.
    package static func multiply(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
        let t = Int(color) * Int(alpha) + 128
        return UInt8((t + t >> 8) >> 8)
    }

    /// c*255/a, rounded, at most 255; 0 where a is 0.
    package static func divide(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
        alpha == 0 ? 0 : UInt8(min(255, (Int(color) * 255 + Int(alpha) / 2) / Int(alpha)))
    }

    static func placed(_ p: [UInt8], _ redBlue: RedBlue, alpha: UInt8, _ change: (UInt8) -> UInt8) -> [UInt8] {
        let color = p[0..<3].map(change)
        return (redBlue == .kept ? color : color.reversed()) + [alpha]
    }
}
