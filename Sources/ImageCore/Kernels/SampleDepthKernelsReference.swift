// Plain twin of SampleDepthKernels: what becomes of one pixel, or one sample.

enum SampleDepthReference {
    /// v/257, rounded.
    package static func reduced(_ sample: UInt16) -> UInt8 { UInt8((Int(sample) * 255 + 32895) >> 16) }

    /// The big-endian sample at a place of a pixel.
    static func sample(_ p: PixelBytes, _ index: Int) -> UInt16 { UInt16(p[2 * index]) << 8 | UInt16(p[2 * index + 1]) }

    /// A sample as native bytes.
    static func native(_ sample: UInt16) -> PixelBytes {
        var bytes = PixelBytes()
        (bytes[0], bytes[1]) = (UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8))
        return bytes
    }

    /// Native RGBA of sixteen bits.
    static func native(_ red: UInt16, _ green: UInt16, _ blue: UInt16, _ alpha: UInt16) -> PixelBytes {
        var bytes = PixelBytes()
        let samples = SIMD4(red, green, blue, alpha)
        for index in 0..<4 {
            bytes[2 * index] = UInt8(truncatingIfNeeded: samples[index])
            bytes[2 * index + 1] = UInt8(samples[index] >> 8)
        }
        return bytes
    }

    /// Big-endian gray to native RGBA; alpha is 0 if the sample equals `key`.
    static func color(gray p: PixelBytes, key: UInt16?) -> PixelBytes {
        let gray = sample(p, 0)
        return native(gray, gray, gray, gray == key ? 0 : .max)
    }

    /// Big-endian RGB to native RGBA; alpha is 0 if the pixel equals `key`.
    static func color(rgb p: PixelBytes, key: UInt64?) -> PixelBytes {
        native(sample(p, 0), sample(p, 1), sample(p, 2), packed(p) == key ? 0 : .max)
    }

    /// Big-endian gray to RGBA of eight bits; alpha is 0 if the sample equals `key`.
    static func reducedColor(gray p: PixelBytes, key: UInt16) -> PixelBytes {
        let gray = reduced(sample(p, 0))
        return SwizzleReference.four(gray, gray, gray, sample(p, 0) == key ? 0 : 255, .kept)
    }

    /// Big-endian RGB to RGBA of eight bits; alpha is 0 if the pixel equals `key`.
    static func reducedColor(rgb p: PixelBytes, key: UInt64) -> PixelBytes {
        SwizzleReference.four(
            reduced(sample(p, 0)), reduced(sample(p, 1)), reduced(sample(p, 2)), packed(p) == key ? 0 : 255, .kept)
    }

    /// Red in the low sixteen bits, then green, blue.
    private static func packed(_ rgb: PixelBytes) -> UInt64 {
        UInt64(sample(rgb, 0)) | UInt64(sample(rgb, 1)) << 16 | UInt64(sample(rgb, 2)) << 32
    }
}
