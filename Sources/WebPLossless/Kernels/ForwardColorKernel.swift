// The color transform and the subtract-green transform done, a stretch of a row at a time.
//
// Written as the plain loops that the compiler makes vectors of: there is nothing unsafe in it.

/// Takes from red and blue what other channels say about them.
package enum ForwardColorKernel {
    /// Takes from red and blue what green says about them, and from blue what red says.
    ///
    /// - Parameters:
    ///   - factors: green to red, green to blue, red to blue, from the lowest byte on.
    ///   - pixels: those of `range` are changed.
    /// - Source: RFC 9649 section 3.5.2 "Color Transform".
    package static func apply(_ factors: UInt32, to pixels: inout MutableSpan<UInt32>, _ range: Range<Int>) {
        let greenToRed = Int32(Int8(truncatingIfNeeded: factors))
        let greenToBlue = Int32(Int8(truncatingIfNeeded: factors >> 8))
        let redToBlue = Int32(Int8(truncatingIfNeeded: factors >> 16))
        for index in range {
            let pixel = pixels[index]
            let red = Int32(Int8(truncatingIfNeeded: pixel &>> 16))
            let green = Int32(Int8(truncatingIfNeeded: pixel &>> 8))
            let newRed = red &- (greenToRed &* green) &>> 5
            let newBlue =
                Int32(truncatingIfNeeded: pixel) &- (greenToBlue &* green) &>> 5 &- (redToBlue &* red) &>> 5
            pixels[index] =
                pixel & 0xFF00_FF00 | UInt32(truncatingIfNeeded: newRed & 255) &<< 16
                | UInt32(truncatingIfNeeded: newBlue & 255)
        }
    }

    /// Takes green from red and blue.
    ///
    /// - Source: RFC 9649 section 3.5.3 "Subtract Green Transform".
    package static func subtractGreen(_ pixels: inout MutableSpan<UInt32>, _ range: Range<Int>) {
        for index in range { pixels[index] = greenSubtracted(pixels[index]) }
    }

    /// A pixel without its green in red and blue.
    @inline(__always)
    package static func greenSubtracted(_ pixel: UInt32) -> UInt32 {
        let green = (pixel &>> 8) & 255
        let both = (pixel & 0x00FF_00FF) &+ 0x0100_0100 &- (green &<< 16 | green)
        return pixel & 0xFF00_FF00 | both & 0x00FF_00FF
    }
}
