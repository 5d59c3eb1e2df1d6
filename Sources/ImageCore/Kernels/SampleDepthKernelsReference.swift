// Plain twin of SampleDepthKernels: what becomes of one pixel.

enum SampleDepthReference {
    /// The bytes of one pixel after `step`; `nil` for a step of another family.
    static func pixel(_ p: ArraySlice<UInt8>, after step: ConversionStep) -> [UInt8]? {
        let p = Array(p)
        switch step {
        case .reduceBigEndian: return bigEndianSamples(p).map(reduced)
        case .reduceNative: return bigEndianSamples(swapped(p)).map(reduced)
        case .swapBytes: return swapped(p)
        case .widen: return p.flatMap { [$0, $0] }
        case .gray16ToRGBA16: return p + p + p + [255, 255]
        case .deepGrayToRGBA16(let key):
            let gray = swapped(p)
            return gray + gray + gray + alpha16(bigEndianSamples(p)[0] != key)
        case .deepGrayAlphaToRGBA16:
            let gray = swapped(p)[..<2]
            return gray + gray + swapped(p)
        case .deepRGBToRGBA16(let key): return swapped(p) + alpha16(packed(p) != key)
        case .keyedDeepGrayToRGBA(let key):
            let sample = bigEndianSamples(p)[0]
            return [reduced(sample), reduced(sample), reduced(sample), sample == key ? 0 : 255]
        case .keyedDeepRGBToRGBA(let key):
            return bigEndianSamples(p).map(reduced) + [packed(p) == key ? 0 : 255]
        default: return nil
        }
    }

    /// v/257, rounded.
    package static func reduced(_ sample: UInt16) -> UInt8 { UInt8((Int(sample) * 255 + 32895) >> 16) }

    private static func bigEndianSamples(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] }
    }

    private static func alpha16(_ isOpaque: Bool) -> [UInt8] { isOpaque ? [255, 255] : [0, 0] }

    /// Red in the low sixteen bits, then green, blue.
    private static func packed(_ rgb: [UInt8]) -> UInt64 {
        bigEndianSamples(rgb).reversed().reduce(0) { $0 << 16 | UInt64($1) }
    }
}
