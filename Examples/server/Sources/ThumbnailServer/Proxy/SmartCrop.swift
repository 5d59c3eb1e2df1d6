// Where there is most to see in a picture: edges, colours of skin, strong colours.
//
//   picture ──▶ at most 96 x 96 pixels ──▶ worth of each pixel ──▶ sums over windows ──▶ the best window

import ImageCodecs

/// Finds the part of a picture that is worth most.
package enum SmartCrop {
    /// The longest side of the picture that is looked at.
    private static let maxSide = 96

    /// Where the best part of a size begins.
    ///
    /// - Parameters:
    ///   - part: at most as large as `image`.
    ///   - image: upright; of an animation, the first frame is looked at.
    package static func origin(of part: PixelSize, in image: RasterImage) throws(ImageError) -> (x: Int, y: Int) {
        var still = image
        still.animation = nil
        let small = try still.scaled(toFit: PixelSize(width: maxSide, height: maxSide)).converted(to: .rgb)
        let worth = Worth(small.bitmap)
        let scale = (
            x: Double(small.width) / Double(image.width), y: Double(small.height) / Double(image.height)
        )
        let window = PixelSize(
            width: min(small.width, max(1, Int((Double(part.width) * scale.x).rounded()))),
            height: min(small.height, max(1, Int((Double(part.height) * scale.y).rounded()))))
        let best = worth.bestWindow(window)
        return (
            x: min(image.width - part.width, Int((Double(best.x) / scale.x).rounded())),
            y: min(image.height - part.height, Int((Double(best.y) / scale.y).rounded()))
        )
    }

    /// What the pixels of a small picture are worth, as sums over all rectangles from the upper left corner.
    private struct Worth {
        let width, height: Int
        /// `(width + 1) * (height + 1)` sums.
        private var sums: [Double]

        init(_ bitmap: Bitmap) {
            let (width, height) = (bitmap.width, bitmap.height)
            (self.width, self.height) = (width, height)
            let pixels = bitmap.packedBytes()
            let luma = (0..<width * height).map { Worth.luma(pixels, $0) }
            sums = [Double](repeating: 0, count: (width + 1) * (height + 1))
            for y in 0..<height {
                var row = 0.0
                for x in 0..<width {
                    let index = y * width + x
                    let right = luma[y * width + min(x + 1, width - 1)] - luma[y * width + max(x - 1, 0)]
                    let down = luma[min(y + 1, height - 1) * width + x] - luma[max(y - 1, 0) * width + x]
                    row += (right * right + down * down).squareRoot() / 255 + Worth.ofColor(pixels, index, luma[index])
                    sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
                }
            }
        }

        private static func luma(_ pixels: [UInt8], _ index: Int) -> Double {
            0.299 * Double(pixels[3 * index]) + 0.587 * Double(pixels[3 * index + 1])
                + 0.114 * Double(pixels[3 * index + 2])
        }

        /// Skin counts like an edge of a third of the range, a strong colour of a tenth at most.
        ///
        /// Source: Chai and Ngan, "Face segmentation using skin-color map in videophone applications" (1999): Cb 77...127, Cr 133...173.
        private static func ofColor(_ pixels: [UInt8], _ index: Int, _ luma: Double) -> Double {
            let (red, green, blue) = (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2])
            let (cb, cr) = (128 + 0.564 * (Double(blue) - luma), 128 + 0.713 * (Double(red) - luma))
            let isSkin = (77...127).contains(cb) && (133...173).contains(cr) && (50...240).contains(luma)
            return (isSkin ? 0.33 : 0) + Double(max(red, green, blue) - min(red, green, blue)) / 2550
        }

        private func sum(_ x: Int, _ y: Int, _ size: PixelSize) -> Double {
            let stride = width + 1
            let (top, bottom) = (y * stride + x, (y + size.height) * stride + x)
            return sums[bottom + size.width] - sums[bottom] - sums[top + size.width] + sums[top]
        }

        /// Of windows that are worth about the same, the one nearer to the middle: its inner half counts once more.
        func bestWindow(_ size: PixelSize) -> (x: Int, y: Int) {
            let inner = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
            var best: (x: Int, y: Int, worth: Double) = (0, 0, -1)
            for y in 0...(height - size.height) {
                for x in 0...(width - size.width) {
                    let center = sum(x + (size.width - inner.width) / 2, y + (size.height - inner.height) / 2, inner)
                    let off =
                        abs(Double(2 * x + size.width - width)) / Double(width)
                        + abs(Double(2 * y + size.height - height)) / Double(height)
                    let worth = (sum(x, y, size) + center) * (1 - 0.05 * off)
                    if worth > best.worth { best = (x, y, worth) }
                }
            }
            return (best.x, best.y)
        }
    }
}
