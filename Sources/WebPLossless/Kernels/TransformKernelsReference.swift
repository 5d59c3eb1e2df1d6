// Plain twins of the kernels that undo transforms: a pixel at a time, a channel at a time.
//
// Source: RFC 9649 section 3.5 "Transforms".

/// Undoes transforms by the book.
package enum TransformReference {
    /// The channels of a pixel, from the lowest byte on: blue, green, red, alpha.
    private static func channels(_ pixel: UInt32) -> [Int] { (0..<4).map { Int(pixel >> UInt32(8 * $0) & 255) } }

    private static func pixel(_ channels: [Int]) -> UInt32 {
        channels.reversed().reduce(0) { $0 << 8 | UInt32($1 & 255) }
    }

    /// The predictor transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - differences: of pixels to their predictions.
    ///   - modes: of the blocks; 14 and 15 are as 0.
    ///   - sizeBits: the exponent of the side of blocks.
    package static func undoPredictor(
        _ differences: [UInt32], width: Int, modes: [UInt8], sizeBits: Int
    ) -> [UInt32] {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        var pixels = differences
        for place in pixels.indices {
            let (y, x) = place.quotientAndRemainder(dividingBy: width)
            let prediction: UInt32
            switch (x, y) {
            case (0, 0): prediction = 0xFF00_0000
            case (_, 0): prediction = pixels[place - 1]
            case (0, _): prediction = pixels[place - width]
            default:
                // Right of the last column there is the first of the same row, as pixels follow each other.
                prediction = predict(
                    modes[(y >> sizeBits) * blocksPerRow + x >> sizeBits], l: pixels[place - 1],
                    t: pixels[place - width], tr: pixels[place - width + 1], tl: pixels[place - width - 1])
            }
            pixels[place] = pixel(zip(channels(differences[place]), channels(prediction)).map { $0 + $1 })
        }
        return pixels
    }

    /// What a mode predicts from the pixels around.
    package static func predict(_ mode: UInt8, l: UInt32, t: UInt32, tr: UInt32, tl: UInt32) -> UInt32 {
        func mean(_ a: UInt32, _ b: UInt32) -> UInt32 {
            pixel(zip(channels(a), channels(b)).map { ($0 + $1) / 2 })
        }
        func clamp(_ value: Int) -> Int { min(max(value, 0), 255) }
        switch mode {
        case 1: return l
        case 2: return t
        case 3: return tr
        case 4: return tl
        case 5: return mean(mean(l, tr), t)
        case 6: return mean(l, tl)
        case 7: return mean(l, t)
        case 8: return mean(tl, t)
        case 9: return mean(t, tr)
        case 10: return mean(mean(l, tl), mean(t, tr))
        case 11:
            // The distances of L + T - TL to L and to T.
            let toLeft = zip(channels(t), channels(tl)).reduce(0) { $0 + abs($1.0 - $1.1) }
            let toTop = zip(channels(l), channels(tl)).reduce(0) { $0 + abs($1.0 - $1.1) }
            return toLeft < toTop ? l : t
        case 12:
            return pixel((0..<4).map { clamp(channels(l)[$0] + channels(t)[$0] - channels(tl)[$0]) })
        case 13:
            let average = channels(mean(l, t))
            return pixel(zip(average, channels(tl)).map { clamp($0 + ($0 - $1) / 2) })
        default: return 0xFF00_0000
        }
    }

    /// The color transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - factors: of the blocks: green to red, green to blue, red to blue, from the lowest byte on.
    ///   - sizeBits: the exponent of the side of blocks.
    package static func undoColor(_ pixels: [UInt32], width: Int, factors: [UInt32], sizeBits: Int) -> [UInt32] {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        func signed(_ value: Int) -> Int { Int(Int8(truncatingIfNeeded: value)) }
        return pixels.indices.map { place in
            let (y, x) = place.quotientAndRemainder(dividingBy: width)
            let block = channels(factors[(y >> sizeBits) * blocksPerRow + x >> sizeBits]).map(signed)
            var c = channels(pixels[place])
            c[2] += (block[0] * signed(c[1])) >> 5
            c[0] += (block[1] * signed(c[1])) >> 5 + (block[2] * signed(c[2])) >> 5
            return pixel(c)
        }
    }

    /// The subtract-green transform.
    package static func addGreen(_ pixels: [UInt32]) -> [UInt32] {
        pixels.map {
            let c = channels($0)
            return pixel([c[0] + c[1], c[1], c[2] + c[1], c[3]])
        }
    }

    /// The color indexing transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - bytes: with indices, `width` rounded up to whole bytes for each row.
    ///   - width: of the picture.
    ///   - bundleBits: how many indices a byte has, as an exponent.
    package static func undoIndexing(_ bytes: [UInt8], width: Int, colors: [UInt32], bundleBits: Int) -> [UInt32] {
        let bytesPerRow = (width + (1 << bundleBits) - 1) >> bundleBits
        let bits = 8 >> bundleBits
        return (0..<bytes.count / bytesPerRow).flatMap { y in
            (0..<width).map { x in
                let byte = Int(bytes[y * bytesPerRow + x >> bundleBits])
                let index = byte >> (bits * (x & ((1 << bundleBits) - 1))) & ((1 << bits) - 1)
                return index < colors.count ? colors[index] : 0
            }
        }
    }
}
