// Plain twin of BlendKernels.

/// See the functions of the same names in `BlendKernels`.
package enum BlendKernelsReference {
    /// Lays premultiplied pixels of four bytes, alpha last, over others.
    package static func layOver(_ source: RawSpan, on canvas: inout MutableRawSpan, count: Int) {
        for first in stride(from: 0, to: 4 * count, by: 4) where source.byte(at: first + 3) > 0 {
            let rest = 255 - source.byte(at: first + 3)
            for channel in first..<first + 4 {
                let below = PremultiplyReference.multiply(canvas.byte(at: channel), rest)
                // No sum exceeds 255 if the pixels are premultiplied.
                canvas.setByte(source.byte(at: channel) &+ below, at: channel)
            }
        }
    }

    /// Lays straight pixels of four bytes, alpha last, over others.
    package static func layOverStraight(_ source: RawSpan, on canvas: inout MutableRawSpan, count: Int) {
        for first in stride(from: 0, to: 4 * count, by: 4) where source.byte(at: first + 3) > 0 {
            let u = Int(source.byte(at: first + 3)) * 255
            let v = (255 - Int(source.byte(at: first + 3))) * Int(canvas.byte(at: first + 3))
            for channel in first..<first + 3 {
                let color = Int(source.byte(at: channel)) * u + Int(canvas.byte(at: channel)) * v
                canvas.setByte(UInt8((color + (u + v) / 2) / (u + v)), at: channel)
            }
            canvas.setByte(UInt8((u + v + 127) / 255), at: first + 3)
        }
    }

    /// Sets transparent pixels of four bytes, alpha last, to zero.
    package static func hideColors(_ row: inout MutableRawSpan, count: Int) {
        for first in stride(from: 0, to: 4 * count, by: 4) where row.byte(at: first + 3) == 0 {
            for channel in first..<first + 3 { row.setByte(0, at: channel) }
        }
    }
}

#if ReferenceKernels
package typealias BlendKernels = BlendKernelsReference
#endif
