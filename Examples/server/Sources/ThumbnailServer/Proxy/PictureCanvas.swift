// Pictures on other pictures: backgrounds, borders, watermarks; and sharpening.

import ImageCodecs

extension RasterImage {
    /// The same with other pixels, of an animation in every frame.
    func mappingBitmaps(_ change: (Bitmap) throws(ImageError) -> Bitmap) throws(ImageError) -> RasterImage {
        var result = self
        if var animation {
            for index in animation.frames.indices {
                animation.frames[index].bitmap = try change(animation.frames[index].bitmap)
            }
            result.bitmap = animation.frames.first?.bitmap ?? bitmap
            result.animation = animation
        } else {
            result.bitmap = try change(bitmap)
        }
        return result
    }
}

extension Bitmap {
    /// This picture laid over a colour, on a canvas.
    ///
    /// - Parameters:
    ///   - size: of the canvas.
    ///   - x: where the picture begins, from the left.
    ///   - y: from the top.
    ///   - background: straight red, green, blue of the canvas; `nil` for a transparent one.
    package func placed(
        on size: PixelSize, x: Int, y: Int, background: SIMD3<UInt8>?
    ) throws(ImageError) -> Bitmap {
        let format = background == nil ? PixelFormat.rgbaPremultiplied : .rgb
        let color: [UInt8] = background.map { color in [color.x, color.y, color.z] } ?? [0, 0, 0, 0]
        var canvas = try Bitmap(size: size, format: format)
        for row in 0..<size.height {
            try canvas.withMutableRow(row) { (row) in
                for column in 0..<size.width {
                    for (index, sample) in zip(0..., color) { row[column * color.count + index] = sample }
                }
            }
        }
        try canvas.draw(self, x: x, y: y, opacity: 255)
        return canvas
    }

    /// Lays a picture over this one, whose format is `rgb` or `rgbaPremultiplied`; what stands out is left out.
    ///
    /// - Parameter opacity: 0 (nothing is seen) ... 255.
    mutating func draw(_ picture: Bitmap, x: Int, y: Int, opacity: Int) throws(ImageError) {
        let samples = format.samplesPerPixel
        let columns = max(0, -x)..<max(max(0, -x), min(picture.width, width - x))
        var top = 0
        try picture.forEachRow(in: .rgbaPremultiplied) { (source) throws(ImageError) in
            defer { top += 1 }
            guard !columns.isEmpty, (0..<height).contains(y + top) else { return }
            try withMutableRow(y + top) { (row) in
                for column in columns {
                    let (from, to) = (4 * column, (x + column) * samples)
                    let rest = 255 * 255 - Int(source[from + 3]) * opacity
                    for sample in 0..<samples {
                        let sum = Int(source[from + sample]) * opacity * 255 + Int(row[to + sample]) * rest
                        row[to + sample] = UInt8(min(255, (sum + 32_512) / 65_025))
                    }
                }
            }
        }
    }

    /// This picture sharpened: what a blur takes away is added once more. Alpha stays.
    ///
    /// - Parameter radius: standard deviation of the blur in pixels.
    func sharpened(radius: Double) throws(ImageError) -> Bitmap {
        var result = try converted(to: format.hasAlpha ? .rgba : .rgb)
        let samples = result.format.samplesPerPixel
        var top = 0
        try result.blurred(radius: radius).forEachRow(in: result.format) { (soft) throws(ImageError) in
            try result.withMutableRow(top) { (row) in
                for index in 0..<row.count where index % samples < 3 {
                    row[index] = UInt8(clamping: 2 * Int(row[index]) - Int(soft[index]))
                }
            }
            top += 1
        }
        return result
    }
}
