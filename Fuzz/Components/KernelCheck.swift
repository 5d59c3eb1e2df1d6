// Kernels against plain arithmetic, through decoding.
//
// A PNG file with stored image data carries the input's bytes unchanged to the filter, expansion and interlacing
// kernels; the decoded bitmap then goes through conversion and orientation.

import CodecTestSupport
import ImageCodecsCore
import PNGCodec

enum KernelCheck {
    static func check(_ input: [UInt8]) throws {
        guard let recipe = PictureRecipe(input) else { return }
        let (file, pixels) = (recipe.file, recipe.pixels)
        var options = DecodingOptions()
        // Indices beyond the palette are opaque black there.
        options.strictness = .tolerant
        // One way in and one way on per input: the fuzzer brings enough of them.
        var source = DecisionSource(hashOf: recipe.scanlines)
        options.pixelFormat = source.pick(PixelFormat.all)
        let decoded = try PNGCoder().decode(ImageData(file), options: options).bitmap
        try require(decoded.packedBytes() == bytes(of: pixels, in: decoded.format), "decoding to \(decoded.format)")

        // From a format that keeps every bit.
        options.pixelFormat = recipe.depth == 16 ? .rgba16 : .rgba
        let other = source.pick(PixelFormat.all)
        let converted = try PNGCoder().decode(ImageData(file), options: options).bitmap.converted(to: other)
        try require(converted.packedBytes() == bytes(of: pixels, in: other), "converting to \(other)")
        options.pixelFormat = nil
        try turn(try PNGCoder().decode(ImageData(file), options: options).bitmap, 1 + source.below(8))
    }

    private static func bytes(of pixels: [PlainPixel], in format: PixelFormat) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pixels.count * format.bytesPerPixel)
        for pixel in pixels { pixel.append(to: &bytes, in: format) }
        return bytes
    }

    /// Turns a bitmap and compares pixel by pixel.
    private static func turn(_ bitmap: Bitmap, _ value: Int) throws {
        guard let orientation = Orientation(rawValue: value) else { return }
        let turned = try bitmap.oriented(orientation)
        let (packed, result, pixelSize) = (bitmap.packedBytes(), turned.packedBytes(), bitmap.format.bytesPerPixel)
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                let (storedX, storedY) = stored(x, y, in: turned.size, value)
                let (from, to) = ((storedY * bitmap.width + storedX) * pixelSize, (y * turned.width + x) * pixelSize)
                try require(
                    packed[from..<from + pixelSize] == result[to..<to + pixelSize], "orientation \(value) at \(x), \(y)"
                )
            }
        }
    }

    /// Where the stored pixel is that is seen at a place (Exif 2.32 §4.6.4, tag 274 "Orientation").
    private static func stored(_ x: Int, _ y: Int, in seen: PixelSize, _ orientation: Int) -> (x: Int, y: Int) {
        let (right, bottom) = (seen.width - 1 - x, seen.height - 1 - y)
        return switch orientation {
        case 2: (right, y)
        case 3: (right, bottom)
        case 4: (x, bottom)
        case 5: (y, x)
        case 6: (y, right)
        case 7: (bottom, right)
        case 8: (bottom, x)
        default: (x, y)
        }
    }
}
