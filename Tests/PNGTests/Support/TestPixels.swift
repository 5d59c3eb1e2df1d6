// Bitmaps of every format with known pixels, and what those pixels are as straight colour.

import CodecTestSupport
import ImageCodecsCore

/// What the samples of a test picture are like.
enum PixelContent: String, CaseIterable, Sendable {
    /// Every sample random.
    case noise
    /// A few colours.
    case fewColors
    /// As noise, but alpha is full and all channels are equal.
    case opaqueGray
    /// Only black and white (with full alpha).
    case blackAndWhite
    /// Neighbours differ little.
    case gradient
}

/// A bitmap with `content`, and its pixels as straight red, green, blue, alpha of sixteen bits.
func testBitmap(
    _ size: PixelSize, _ format: PixelFormat, _ content: PixelContent, random: inout SeededRandom
) throws -> (bitmap: Bitmap, pixels: [[UInt16]]) {
    var bitmap = try Bitmap(size: size, format: format)
    var pixels: [[UInt16]] = []
    let fewColors = (0..<11).map { _ in (0..<4).map { _ in UInt16.random(in: 0...65535, using: &random) } }
    for y in 0..<size.height {
        var samples: [UInt16] = []
        for x in 0..<size.width {
            var color: [UInt16]
            switch content {
            case .noise: color = (0..<4).map { _ in UInt16.random(in: 0...65535, using: &random) }
            case .fewColors: color = fewColors.randomElement(using: &random) ?? []
            case .opaqueGray:
                color = [UInt16](repeating: .random(in: 0...65535, using: &random), count: 3) + [65535]
            case .blackAndWhite:
                color = [UInt16](repeating: Bool.random(using: &random) ? 65535 : 0, count: 3) + [65535]
            case .gradient: color = [x * 900, y * 700, (x + y) * 333, 65535 - x * 50].map { UInt16($0 & 0xFFFF) }
            }
            let stored = storedSamples(color, format)
            samples += stored
            pixels.append(straightColor(stored, format))
        }
        bitmap.withMutableRowBytes(y) { row in
            for (index, sample) in samples.enumerated() {
                if format.depth == .sixteen {
                    row.storeBytes(of: sample, toByteOffset: 2 * index, as: UInt16.self)
                } else {
                    row.storeBytes(of: UInt8(sample), toByteOffset: index, as: UInt8.self)
                }
            }
        }
    }
    return (bitmap, pixels)
}

/// Samples of a pixel as a format stores them, from straight colour of sixteen bits; 8-bit formats take the high byte.
private func storedSamples(_ color: [UInt16], _ format: PixelFormat) -> [UInt16] {
    let bytes = color.map { $0 >> 8 }
    let premultiplied = (0..<3).map { UInt16((Int(bytes[$0]) * Int(bytes[3]) * 2 + 255) / 510) }
    switch format {
    case .bgraPremultiplied: return [premultiplied[2], premultiplied[1], premultiplied[0], bytes[3]]
    case .rgbaPremultiplied: return premultiplied + [bytes[3]]
    case .bgrx: return [bytes[2], bytes[1], bytes[0], 255]
    case .rgba, .cmyk: return bytes
    case .rgb: return Array(bytes[..<3])
    case .gray: return [bytes[0]]
    case .grayAlpha: return [bytes[0], bytes[3]]
    case .rgba16: return color
    default: return [color[0]]
    }
}

/// Straight colour of sixteen bits, by the pixel rules: un-premultiply is (c*255 + a/2) / a, CMYK is
/// (C*K + 127) / 255.
private func straightColor(_ samples: [UInt16], _ format: PixelFormat) -> [UInt16] {
    func straight(_ color: UInt16, _ alpha: UInt16) -> UInt16 {
        alpha == 0 ? 0 : UInt16((Int(color) * 255 + Int(alpha) / 2) / Int(alpha))
    }
    let color: [UInt16]
    switch format {
    case .bgraPremultiplied: color = [2, 1, 0].map { straight(samples[$0], samples[3]) } + [samples[3]]
    case .rgbaPremultiplied: color = [0, 1, 2].map { straight(samples[$0], samples[3]) } + [samples[3]]
    case .bgrx: color = [samples[2], samples[1], samples[0], 255]
    case .rgba: color = samples
    case .rgb: color = samples + [255]
    case .gray: color = [samples[0], samples[0], samples[0], 255]
    case .grayAlpha: color = [samples[0], samples[0], samples[0], samples[1]]
    case .cmyk: color = [0, 1, 2].map { (samples[$0] * samples[3] + 127) / 255 } + [255]
    case .rgba16: return samples
    default: return [samples[0], samples[0], samples[0], 65535]
    }
    return color.map { $0 * 257 }
}
