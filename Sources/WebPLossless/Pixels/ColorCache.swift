// A small table of earlier colors: a color is stored at the place its hash gives, and codes name it by that place.

/// Sizes and the hash of the color cache; ``PixelKernel`` fills it.
///
/// All colors of the image go into the cache, in order, each before the next code that names a place is decoded.
///
/// Source: RFC 9649 section 3.6.2.3 "Color Cache Coding".
package enum ColorCache {
    /// The most bits that the number of a place has.
    package static let largestBitCount = 11
    /// What colors are multiplied with.
    package static let multiplier: UInt32 = 0x1E35_A7BD

    /// The place of a color.
    ///
    /// - Parameter bitCount: 1...11.
    package static func place(of color: UInt32, bitCount: Int) -> Int {
        Int((multiplier &* color) >> UInt32(32 - bitCount))
    }
}
