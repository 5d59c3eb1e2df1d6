// Pictures for encoders: every kind of content in every pixel format, the same on every machine.

package import ImageCodecsCore

/// A picture made of a seed, for the laws of encoders.
package struct EncoderPicture: Sendable, CustomStringConvertible {
    /// What is in it.
    package enum Content: String, CaseIterable, Sendable {
        /// Every sample at random: as many bits as there can be.
        case noise
        /// Smooth in both directions, like sky.
        case ramp
        /// Thin dark strokes on white.
        case text
        /// One colour.
        case flat
        /// Black and white by turns, pixel by pixel: the largest coefficients.
        case extremes
        /// Smooth areas with edges and a little noise, like a photograph.
        case scene
        /// Transparent, half transparent and opaque areas; colour under transparent pixels.
        case cutout
    }

    package let content: Content
    package let size: PixelSize
    package let format: PixelFormat
    package let bitmap: Bitmap

    package var description: String { "\(content) \(size) \(format)" }

    /// Sides that meet blocks and MCUs of 8 and 16 samples at every edge, and the thinnest pictures there are.
    package static let sizes: [PixelSize] = [
        (1, 1), (1, 17), (17, 1), (8, 8), (7, 9), (16, 16), (17, 33), (33, 15), (63, 20), (40, 70),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    package init(
        _ content: Content, size: PixelSize, format: PixelFormat = .rgb, seed: UInt64 = 1
    ) throws(ImageError) {
        self.content = content
        self.size = size
        self.format = format
        var random = SeededRandom(seed: seed &* 0x9E37 &+ UInt64(size.width) &* 131 &+ UInt64(size.height))
        let pixels = Self.pixels(content, size, &random)
        // Colours under transparent pixels stay in a premultiplied bitmap too, where they mean nothing.
        if content == .cutout, format == .bgraPremultiplied || format == .rgbaPremultiplied {
            bitmap = try Bitmap(copying: pixels, size: size, format: format)
        } else {
            bitmap = try Bitmap(copying: pixels, size: size, format: .rgba).converted(to: format)
        }
    }

    /// Straight RGBA.
    private static func pixels(_ content: Content, _ size: PixelSize, _ random: inout SeededRandom) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        let color = random.bytes(3)
        let strokes = (0..<64).map { _ in Int(random.next() % 11) }
        let (phaseX, phaseY) = (Int(random.next() % 97), Int(random.next() % 89))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                switch content {
                case .noise: pixels += random.bytes(3) + [255]
                case .ramp:
                    pixels += [(x + phaseX) * 3 / 2, (y + phaseY) * 2, x + y + phaseX].map {
                        let folded = $0 & 511
                        return UInt8(folded < 256 ? folded : 511 - folded)
                    }
                    pixels.append(255)
                case .text:
                    let isStroke = strokes[(x / 2 + 7 * (y / 11)) & 63] == y % 11 || (x % 9 == 3 && y % 11 < 8)
                    pixels += isStroke ? [20, 20, 40, 255] : [255, 255, 255, 255]
                case .flat: pixels += color + [255]
                case .extremes: pixels += [UInt8](repeating: (x ^ y) & 1 == 0 ? 0 : 255, count: 3) + [255]
                case .scene:
                    let isNear = (x - width / 2) * (x - width / 2) + (y - height / 3) * (y - height / 3) < 180
                    let grain = Int(random.next() & 7)
                    pixels += (isNear ? [200, 90, 40] : [60 + y, 100 + y / 2, 190 - y]).map {
                        UInt8(clamping: $0 + grain)
                    }
                    pixels.append(255)
                case .cutout:
                    pixels += random.bytes(3) + [x % 5 < 2 ? 0 : x % 5 == 2 ? 128 : 255]
                }
            }
        }
        return pixels
    }
}
