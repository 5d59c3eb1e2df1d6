// Kernels against plain arithmetic, through the public API: this package cannot name the kernels themselves.
//
// A PNG file with stored image data carries the input's bytes unchanged to the filter, expansion and interlacing
// kernels; the decoded bitmap then goes through conversion and orientation.

import FuzzSupport
import Glibc
import ImageCore
import PNG

@main enum FuzzKernels {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                guard let recipe = PictureRecipe(FuzzInput.bytes(start, count)) else { return -1 }
                do throws(ImageError) {
                    try compare(recipe)
                } catch {
                    fatalError("\(error)")
                }
                return 0
            })
    }
}

private func compare(_ recipe: PictureRecipe) throws(ImageError) {
    let (file, pixels) = (recipe.file, recipe.pixels)
    var options = DecodingOptions()
    // Indices beyond the palette are opaque black there.
    options.strictness = .tolerant
    for format in PixelFormat.all {
        options.pixelFormat = format
        let bitmap = try PNGCoder().decode(ImageData(file), options: options).bitmap
        let expected = pixels.flatMap { $0.bytes(in: bitmap.format) }
        require(bitmap.packedBytes() == expected, "decoding \(recipe) to \(format)")
        guard format == .rgba || format == .rgba16 else { continue }
        for other in PixelFormat.all where format == .rgba16 || recipe.depth < 16 {
            let converted = try bitmap.converted(to: other).packedBytes()
            require(
                converted == pixels.flatMap { $0.bytes(in: other) }, "converting \(recipe) from \(format) to \(other)")
        }
    }
    options.pixelFormat = nil
    try turn(try PNGCoder().decode(ImageData(file), options: options).bitmap)
}

/// Turns a bitmap all eight ways and compares pixel by pixel.
private func turn(_ bitmap: Bitmap) throws(ImageError) {
    let (packed, pixelSize) = (bitmap.packedBytes(), bitmap.format.bytesPerPixel)
    for value in 1...8 {
        guard let orientation = Orientation(rawValue: value) else { continue }
        let turned = try bitmap.oriented(orientation)
        let result = turned.packedBytes()
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                let (storedX, storedY) = stored(x, y, in: turned.size, value)
                let (from, to) = ((storedY * bitmap.width + storedX) * pixelSize, (y * turned.width + x) * pixelSize)
                require(
                    packed[from..<from + pixelSize] == result[to..<to + pixelSize], "orientation \(value) at \(x), \(y)"
                )
            }
        }
    }
}

/// Where the stored pixel is that is seen at a place (Exif 2.32 §4.6.4, tag 274 "Orientation").
private func stored(_ x: Int, _ y: Int, in seen: PixelSize, _ orientation: Int) -> (x: Int, y: Int) {
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
