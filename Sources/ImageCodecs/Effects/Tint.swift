// A colour laid over a picture, as far as the picture is not transparent.

extension Bitmap {
    /// The pixels with a colour laid over them; alpha stays as it is.
    ///
    /// An opaque colour leaves of the picture only its shape, as for icons; one that is half transparent takes the place of half
    /// of each colour. It is Porter and Duff's *source atop*, `color * colorAlpha + pixel * (1 - colorAlpha)`, rounded once in
    /// whole numbers; premultiplied colour never exceeds its alpha.
    ///
    /// The result has colour: `gray` and `cmyk` become `rgb`, `grayAlpha` becomes `rgba`, `gray16` becomes `rgba16`.
    ///
    /// - Throws: `limitExceeded(.memory)` if the memory is not to be had, `cancelled`.
    public func tinted(_ color: PixelColor) throws(ImageError) -> Bitmap {
        var result = try converted(to: format.withColor)
        let pixel = result.format.samplesPerPixel
        var work = WorkGuard.unlimited
        for y in 0..<height {
            try work.spend(width)
            guard result.format.depth == .eight else {
                try result.withMutableRow16(y) { row in Self.tint16(&row, color) }
                continue
            }
            let samples = color.samples(for: result.format.layout)
            switch result.format.alpha {
            case .premultiplied: try result.withMutableRow(y) { Self.tintPremultiplied(&$0, samples) }
            case .none, .straight: try result.withMutableRow(y) { Self.tint(&$0, samples, bytesPerPixel: pixel) }
            }
        }
        return result
    }

    /// Straight or opaque colour: `(s * a + c * (255 - a)) / 255`, rounded.
    private static func tint(_ row: inout MutableSpan<UInt8>, _ color: SIMD4<UInt8>, bytesPerPixel: Int) {
        let (alpha, rest) = (UInt32(color[3]), UInt32(255 - color[3]))
        for start in stride(from: 0, to: row.count, by: bytesPerPixel) {
            for sample in 0..<3 {
                let sum = UInt32(color[sample]) * alpha + UInt32(row[start + sample]) * rest
                row[start + sample] = UInt8((sum + 127) / 255)
            }
        }
    }

    /// Premultiplied colour: `(s * a * pixelAlpha / 255 + c * (255 - a)) / 255`, rounded once.
    private static func tintPremultiplied(_ row: inout MutableSpan<UInt8>, _ color: SIMD4<UInt8>) {
        let (alpha, rest) = (UInt32(color[3]), UInt32(255 - color[3]))
        for start in stride(from: 0, to: row.count, by: 4) {
            let pixelAlpha = UInt32(row[start + 3])
            for sample in 0..<3 {
                // At most 255 * 255 * pixelAlpha, because no colour exceeds its alpha; min() is for pixels where one does.
                let sum = UInt32(color[sample]) * alpha * pixelAlpha + UInt32(row[start + sample]) * rest * 255
                row[start + sample] = UInt8(min((sum + 32512) / 65025, pixelAlpha))
            }
        }
    }

    /// Straight RGBA of sixteen bits: `(s * a + c * (65535 - a)) / 65535`, rounded.
    private static func tint16(_ row: inout MutableSpan<UInt16>, _ color: PixelColor) {
        let samples = [color.red, color.green, color.blue]
        let (alpha, rest) = (UInt64(color.alpha), UInt64(65535 - color.alpha))
        for start in stride(from: 0, to: row.count, by: 4) {
            for sample in 0..<3 {
                let sum = UInt64(samples[sample]) * alpha + UInt64(row[start + sample]) * rest
                row[start + sample] = UInt16((sum + 32767) / 65535)
            }
        }
    }
}

extension PixelColor {
    /// Eight bits each, in the order of the layout; alpha last.
    fileprivate func samples(for layout: PixelFormat.Layout) -> SIMD4<UInt8> {
        let color = rgba8
        return layout == .bgra ? SIMD4(color[2], color[1], color[0], color[3]) : color
    }
}

extension PixelFormat {
    /// The nearest format with red, green and blue; this one if it has them.
    fileprivate var withColor: PixelFormat {
        switch self {
        case .gray, .cmyk: .rgb
        case .grayAlpha: .rgba
        case .gray16: .rgba16
        default: self
        }
    }
}
