// The kernels that lay pixels over others: source-over of Porter and Duff, premultiplied and straight.
//
// Premultiplied, each channel becomes s + round(d * (255 - a) / 255): t = d * (255 - a) + 128; (t + (t >> 8)) >> 8. No sum exceeds 255,
// for a premultiplied channel is at most its alpha.
//
// SAFETY, for every load and store here: `withPixelRows` has checked that both rows hold the pixels, and loops stay
// below their number.

#if !ReferenceKernels
package enum BlendKernels {
    /// Lays `count` premultiplied pixels of four bytes, alpha last, over those of `canvas`.
    ///
    /// - Precondition: both rows hold `count` pixels.
    package static func layOver(_ source: RawSpan, on canvas: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, 4 * count, &canvas, 4 * count) { from, to in
            var x = 0
            while x < count &- 3 {
                let four: FourPixels = unsafe load(from, 4 &* x)
                // Frames mostly are opaque or clear over stretches.
                let all = four[0] & four[1] & four[2] & four[3]
                if all >= 0xFF00_0000 {
                    unsafe store(to, 4 &* x, four)
                } else if four[0] | four[1] | four[2] | four[3] != 0 {
                    var mixed: FourPixels = unsafe load(to, 4 &* x)
                    mixed[0] = laidOver(four[0], mixed[0])
                    mixed[1] = laidOver(four[1], mixed[1])
                    mixed[2] = laidOver(four[2], mixed[2])
                    mixed[3] = laidOver(four[3], mixed[3])
                    unsafe store(to, 4 &* x, mixed)
                }
                x &+= 4
            }
            while x < count {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                unsafe store(to, 4 &* x, laidOver(pixel, load(to, 4 &* x)))
                x &+= 1
            }
        }
    }

    /// Lays `count` straight pixels of four bytes, alpha last, over those of `canvas`.
    ///
    /// As PNG 3rd ed. §13.16 "Alpha channel processing" has it for eight bits, rounded: u = sa * 255,
    /// v = (255 - sa) * da, alpha (u + v) / 255, colours (sc * u + dc * v) / (u + v).
    ///
    /// - Precondition: both rows hold `count` pixels.
    package static func layOverStraight(_ source: RawSpan, on canvas: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, 4 * count, &canvas, 4 * count) { from, to in
            for x in 0..<count {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                let alpha = pixel &>> 24
                if alpha == 255 {
                    unsafe store(to, 4 &* x, pixel)
                } else if alpha > 0 {
                    unsafe store(to, 4 &* x, laidOverStraight(pixel, load(to, 4 &* x)))
                }
            }
        }
    }

    /// One straight pixel, not transparent, over another. No product reaches 2^24.
    private static func laidOverStraight(_ source: UInt32, _ below: UInt32) -> UInt32 {
        let u = (source &>> 24) &* 255
        let v = (255 &- (source &>> 24)) &* (below &>> 24)
        let sum = u &+ v
        var result = ((sum &+ 127) / 255) &<< 24
        for shift in [UInt32(0), 8, 16] {
            let color = (source &>> shift & 255) &* u &+ (below &>> shift & 255) &* v
            result |= ((color &+ sum / 2) / sum) &<< shift
        }
        return result
    }

    /// Sets transparent pixels of four bytes, alpha last, to zero.
    ///
    /// - Precondition: the row holds `count` pixels.
    package static func hideColors(_ row: inout MutableRawSpan, count: Int) {
        precondition(4 * count <= row.byteCount, "the row is shorter than its width")
        unsafe row.withUnsafeMutableBytes { row in
            guard let base = row.baseAddress else { return }
            for x in 0..<count {
                let pixel: UInt32 = unsafe load(base, 4 &* x)
                unsafe store(base, 4 &* x, pixel &>> 24 == 0 ? UInt32(0) : pixel)
            }
        }
    }

    /// One pixel over another: two channels at a time, each in sixteen bits.
    @inline(__always)
    private static func laidOver(_ source: UInt32, _ below: UInt32) -> UInt32 {
        let rest = 255 &- (source &>> 24)
        if rest == 0 { return source }
        if rest == 255 { return below }
        let even = shared(below & 0x00FF_00FF, rest)
        let odd = shared((below &>> 8) & 0x00FF_00FF, rest)
        return source &+ (even | odd &<< 8)
    }

    /// round(c * rest / 255) of two channels. Neither sum leaves its sixteen bits: 255 * 255 + 128 + 254 < 2^16.
    @inline(__always)
    private static func shared(_ channels: UInt32, _ rest: UInt32) -> UInt32 {
        let t = channels &* rest &+ 0x0080_0080
        return ((t &+ ((t &>> 8) & 0x00FF_00FF)) &>> 8) & 0x00FF_00FF
    }
}
#endif
