// Transforms undone by the book, on whole pictures.
//
// Source: RFC 9649 section 3.5 "Transforms".

import WebPLosslessCodec

extension TransformReference {
    /// The predictor transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - differences: of pixels to their predictions.
    ///   - modes: of the blocks; 14 and 15 are as 0.
    ///   - sizeBits: the exponent of the side of blocks.
    static func undoPredictor(
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
            pixels[place] = sum(differences[place], prediction)
        }
        return pixels
    }

    /// The color transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - factors: of the blocks: green to red, green to blue, red to blue, from the lowest byte on.
    ///   - sizeBits: the exponent of the side of blocks.
    static func undoColor(_ pixels: [UInt32], width: Int, factors: [UInt32], sizeBits: Int) -> [UInt32] {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        return pixels.indices.map { place in
            let (y, x) = place.quotientAndRemainder(dividingBy: width)
            return color(pixels[place], factors[(y >> sizeBits) * blocksPerRow + x >> sizeBits])
        }
    }

    /// The subtract-green transform.
    static func addGreen(_ pixels: [UInt32]) -> [UInt32] {
        pixels.map(greenAdded)
    }

    /// The color indexing transform, on a whole picture.
    ///
    /// - Parameters:
    ///   - bytes: with indices, `width` rounded up to whole bytes for each row.
    ///   - width: of the picture.
    ///   - bundleBits: how many indices a byte has, as an exponent.
    static func undoIndexing(_ bytes: [UInt8], width: Int, colors: [UInt32], bundleBits: Int) -> [UInt32] {
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
