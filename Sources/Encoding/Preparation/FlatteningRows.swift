// Rows of straight samples laid over one colour: plain loops, each byte looked at once.

import ImageCodecsCore

/// Lays straight rows over an opaque colour: round((c*a + b*(m-a)) / m).
enum FlatteningRows {
    /// RGBA of eight bits to RGB.
    static func flatten(
        _ pixels: RawSpan, onto background: SIMD3<UInt8>, into row: inout MutableRawSpan, width: Int
    ) {
        let (red, green, blue) = (UInt32(background.x), UInt32(background.y), UInt32(background.z))
        for x in 0..<width {
            let pixel = UInt32(littleEndian: pixels.nativeUInt32(at: 4 * x))
            let alpha = pixel >> 24
            let rest = 255 - alpha
            row.setByte(mix(pixel & 255, alpha, red, rest), at: 3 * x)
            row.setByte(mix(pixel >> 8 & 255, alpha, green, rest), at: 3 * x + 1)
            row.setByte(mix(pixel >> 16 & 255, alpha, blue, rest), at: 3 * x + 2)
        }
    }

    /// RGBA of eight bits, red, green and blue being equal, to gray.
    static func flattenGray(_ pixels: RawSpan, onto background: UInt8, into row: inout MutableRawSpan, width: Int) {
        for x in 0..<width {
            let pixel = UInt32(littleEndian: pixels.nativeUInt32(at: 4 * x))
            let alpha = pixel >> 24
            row.setByte(mix(pixel & 255, alpha, UInt32(background), 255 - alpha), at: x)
        }
    }

    /// RGBA of sixteen bits to opaque RGBA of sixteen bits.
    static func flattenDeep(
        _ pixels: RawSpan, onto background: SIMD3<UInt8>, into row: inout MutableRawSpan, width: Int
    ) {
        for x in 0..<width {
            let alpha = UInt64(pixels.nativeUInt16(at: 8 * x + 6))
            for channel in 0..<3 {
                let color = UInt64(pixels.nativeUInt16(at: 8 * x + 2 * channel))
                let laidOver = color * alpha + UInt64(background[channel]) * 257 * (65535 - alpha)
                row.storeBytes(
                    of: UInt16(truncatingIfNeeded: (laidOver + 32767) / 65535),
                    toByteOffset: 8 * x + 2 * channel, as: UInt16.self)
            }
            row.storeBytes(of: 65535, toByteOffset: 8 * x + 6, as: UInt16.self)
        }
    }

    /// (c*a + b*(255-a)) / 255, rounded to nearest; exact for sums below 65,536.
    @inline(__always)
    private static func mix(_ color: UInt32, _ alpha: UInt32, _ background: UInt32, _ rest: UInt32) -> UInt8 {
        let t = color &* alpha &+ background &* rest &+ 128
        return UInt8(truncatingIfNeeded: (t &+ t &>> 8) &>> 8)
    }
}
