// Plain twin of BlendKernels.

package enum BlendKernelsReference {
    /// Lays premultiplied pixels of four bytes, alpha last, over others.
    package static func layOver(_ source: Span<UInt8>, on canvas: inout [UInt8]) {
        for pixel in 0..<source.count / 4 {
            let rest = 255 - source[4 * pixel + 3]
            for channel in 4 * pixel..<4 * pixel + 4 {
                canvas[channel] = source[channel] + PremultiplyReference.multiply(canvas[channel], rest)
            }
        }
    }

    /// Lays straight pixels of four bytes, alpha last, over others.
    package static func layOverStraight(_ source: Span<UInt8>, on canvas: inout [UInt8]) {
        for first in stride(from: 0, to: source.count, by: 4) where source[first + 3] > 0 {
            let u = Int(source[first + 3]) * 255
            let v = (255 - Int(source[first + 3])) * Int(canvas[first + 3])
            for channel in first..<first + 3 {
                canvas[channel] = UInt8((Int(source[channel]) * u + Int(canvas[channel]) * v + (u + v) / 2) / (u + v))
            }
            canvas[first + 3] = UInt8((u + v + 127) / 255)
        }
    }
}
