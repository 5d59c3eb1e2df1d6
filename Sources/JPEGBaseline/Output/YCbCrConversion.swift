// Y'CbCr to R'G'B' and YCCK to CMYK, one pixel at a time: the arithmetic that the row kernels reproduce.

/// The colour conversion of ITU-T T.871 (JFIF) §7 "Conversion to and from RGB" in the reference decoder's integers.
///
///     R = Y                         + 1.402    (Cr - 128)
///     G = Y - 0.344136 (Cb - 128)   - 0.714136 (Cr - 128)
///     B = Y + 1.772    (Cb - 128)
///
/// Factors have 16 fractional bits. The red and blue terms are rounded to nearest on their own, the two green terms
/// as one sum; the result is clamped to 0...255, or to what samples of another precision have.
package enum YCbCrConversion {
    /// 1.402, 1.772, 0.71414 and 0.34414 times 65536.
    private static let redFromCr = 91881
    private static let blueFromCb = 116130
    private static let greenFromCr = -46802
    private static let greenFromCb = -22554

    /// One pixel.
    package static func rgb(y: UInt8, cb: UInt8, cr: UInt8) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let color = rgb(y: Int(y), cb: Int(cb) - 128, cr: Int(cr) - 128, largest: 255)
        return (
            UInt8(truncatingIfNeeded: color.red), UInt8(truncatingIfNeeded: color.green),
            UInt8(truncatingIfNeeded: color.blue)
        )
    }

    /// One pixel of any precision up to sixteen bits.
    ///
    /// - Parameters:
    ///   - y: 0...largest.
    ///   - cb: The colour difference, 0 for gray, and so `cr`.
    ///   - largest: What white has.
    @inline(__always)
    package static func rgb(y: Int, cb: Int, cr: Int, largest: Int) -> (red: Int, green: Int, blue: Int) {
        // No product exceeds 2^17 * 2^15.
        let half = 1 << 15
        return (
            min(max(y &+ (redFromCr &* cr &+ half) &>> 16, 0), largest),
            min(max(y &+ (greenFromCb &* cb &+ greenFromCr &* cr &+ half) &>> 16, 0), largest),
            min(max(y &+ (blueFromCb &* cb &+ half) &>> 16, 0), largest)
        )
    }
}
