// What transforms do to one pixel. The kernels' plain twins, which go by rows, are in
// `TransformKernelsReference+Rows.swift`.
//
// Source: RFC 9649 section 3.5 "Transforms".

/// Undoes transforms, a pixel at a time.
package enum TransformReference {
    private typealias Channels = SIMD4<Int32>

    /// The channels of a pixel, from the lowest byte on: blue, green, red, alpha.
    private static func channels(_ pixel: UInt32) -> Channels {
        Channels(Int32(pixel & 255), Int32(pixel >> 8 & 255), Int32(pixel >> 16 & 255), Int32(pixel >> 24))
    }

    private static func pixel(_ channels: Channels) -> UInt32 {
        let bytes = SIMD4<UInt32>(truncatingIfNeeded: channels & Channels(repeating: 255))
        return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24
    }

    /// The sums of all channels.
    package static func sum(_ a: UInt32, _ b: UInt32) -> UInt32 { pixel(channels(a) &+ channels(b)) }

    /// What all channels differ by.
    package static func difference(_ a: UInt32, _ b: UInt32) -> UInt32 { pixel(channels(a) &- channels(b)) }

    /// What a mode predicts from the pixels around.
    package static func predict(_ mode: UInt8, l: UInt32, t: UInt32, tr: UInt32, tl: UInt32) -> UInt32 {
        func mean(_ a: UInt32, _ b: UInt32) -> UInt32 {
            pixel((channels(a) &+ channels(b)) &>> Channels(repeating: 1))
        }
        func clamped(_ values: Channels) -> UInt32 {
            pixel(values.clamped(lowerBound: Channels(), upperBound: Channels(repeating: 255)))
        }
        func distance(_ a: UInt32, _ b: UInt32) -> Int32 {
            let difference = channels(a) &- channels(b)
            return (0..<4).reduce(0) { $0 + abs(difference[$1]) }
        }
        switch mode {
        case 1: return l
        case 2: return t
        case 3: return tr
        case 4: return tl
        case 5: return mean(mean(l, tr), t)
        case 6: return mean(l, tl)
        case 7: return mean(l, t)
        case 8: return mean(tl, t)
        case 9: return mean(t, tr)
        case 10: return mean(mean(l, tl), mean(t, tr))
        case 11:
            // The distances of L + T - TL to L and to T.
            return distance(t, tl) < distance(l, tl) ? l : t
        case 12: return clamped(channels(l) &+ channels(t) &- channels(tl))
        case 13:
            let average = channels(mean(l, t))
            let step = average &- channels(tl)
            // Half, towards zero.
            return clamped(average &+ Channels(step[0] / 2, step[1] / 2, step[2] / 2, step[3] / 2))
        default: return 0xFF00_0000
        }
    }

    /// What becomes of a pixel in a block with these factors.
    package static func color(_ pixel: UInt32, _ factors: UInt32) -> UInt32 {
        func product(_ factor: Int32, _ value: Int32) -> Int32 {
            (Int32(Int8(truncatingIfNeeded: factor)) * Int32(Int8(truncatingIfNeeded: value))) >> 5
        }
        let block = channels(factors)
        var c = channels(pixel)
        c[2] += product(block[0], c[1])
        c[0] += product(block[1], c[1]) + product(block[2], c[2])
        return Self.pixel(c)
    }

    /// What becomes of a pixel.
    package static func greenAdded(_ pixel: UInt32) -> UInt32 {
        let green = channels(pixel)[1]
        return Self.pixel(channels(pixel) &+ Channels(green, 0, green, 0))
    }
}
