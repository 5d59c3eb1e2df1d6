// Between bytes as they are stored and numbers in proportion to light.

/// The curve of sRGB, from bytes to numbers of 15 bits and back, for pixels of four bytes, alpha last.
///
/// - Source: IEC 61966-2-1 §5.2 "Transformation from RGB values to CIE 1931 XYZ values".
enum LightCurve {
    /// The number of full light, and of full alpha.
    static let one: Int32 = 32767

    /// Light by byte.
    private static let light: [Int32] = (0...255).map { byte in
        let value = Double(byte) / 255
        let linear = value <= 0.04045 ? value / 12.92 : ReproduciblePowers.power((value + 0.055) / 1.055, 2.4)
        return Int32((linear * Double(one)).rounded())
    }

    /// The nearest byte by light.
    private static let byte: [UInt8] = (0...one).map { number in
        let linear = Double(number) / Double(one)
        let value =
            linear <= 0.0031308 ? linear * 12.92 : 1.055 * ReproduciblePowers.power(linear, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }

    /// Adds the pixels of a row to the sums of their cells, four for each.
    ///
    /// - Parameter isOpaque: whether the fourth byte of a pixel says nothing.
    static func add(
        _ row: RawSpan, width: Int, columnsPerCell: Int, isOpaque: Bool, to cells: inout MutableSpan<Int64>
    ) {
        let table = light
        var x = 0
        for cell in 0..<cells.count / 4 {
            // A cell has fewer than 2^31 pixels in a row.
            var (first, second, third, alphas): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
            for _ in 0..<min(columnsPerCell, width - x) {
                let offset = x * 4
                x += 1
                let alpha = isOpaque ? 255 : Int(row.byte(at: offset + 3))
                guard alpha > 0 else { continue }
                let (a, b, c) = (
                    Int(row.byte(at: offset)), Int(row.byte(at: offset + 1)), Int(row.byte(at: offset + 2))
                )
                if alpha == 255 {
                    first &+= Int64(table[a])
                    second &+= Int64(table[b])
                    third &+= Int64(table[c])
                } else {
                    first &+= light(ofPremultiplied: a, alpha, table)
                    second &+= light(ofPremultiplied: b, alpha, table)
                    third &+= light(ofPremultiplied: c, alpha, table)
                }
                alphas &+= Int64(alpha)
            }
            let place = cell * 4
            cells[place] &+= first
            cells[place + 1] &+= second
            cells[place + 2] &+= third
            cells[place + 3] &+= alphas * Int64(one) / 255
        }
    }

    /// Light times alpha of a premultiplied sample.
    private static func light(ofPremultiplied sample: Int, _ alpha: Int, _ table: [Int32]) -> Int64 {
        let straight = min(255, (sample * 255 + alpha / 2) / alpha)
        return (Int64(table[straight]) * Int64(alpha) + 127) / 255
    }

    /// The premultiplied pixel of filtered light: what a filter went beyond is cut off.
    @inline(__always)
    static func bytes(_ light: SIMD4<Int32>, isOpaque: Bool) -> SIMD4<UInt8> {
        let table = byte
        let alpha = isOpaque ? one : min(max(light[3], 0), one)
        let alphaByte = (alpha * 255 + one / 2) / one
        guard alphaByte > 0 else { return SIMD4() }
        var pixel = SIMD4<UInt8>(repeating: UInt8(alphaByte))
        for channel in 0..<3 {
            let color = min(max(light[channel], 0), alpha)
            // No product reaches 2^31.
            let straight = alpha == one ? color : (color * one + alpha / 2) / alpha
            let stored = Int32(table[Int(straight)])
            pixel[channel] = UInt8(truncatingIfNeeded: (stored * alphaByte + 127) / 255)
        }
        return pixel
    }
}
