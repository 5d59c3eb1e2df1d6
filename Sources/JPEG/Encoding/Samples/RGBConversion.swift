// R'G'B' to Y'CbCr, one pixel at a time: the arithmetic that the row kernel reproduces.

/// The colour conversion of ITU-T T.871 (JFIF) §7 "Conversion to and from RGB" in the reference encoder's integers.
///
///     Y  =  0.299   R + 0.587   G + 0.114   B
///     Cb = -0.16874 R - 0.33126 G + 0.5     B + 128
///     Cr =  0.5     R - 0.41869 G - 0.08131 B + 128
///
/// Factors have 16 fractional bits. Sums are rounded to nearest; of halves, those of chroma go down, which keeps them
/// within 0...255 without a test.
package enum RGBConversion {
    /// One pixel.
    package static func yCbCr(red: UInt8, green: UInt8, blue: UInt8) -> (y: UInt8, cb: UInt8, cr: UInt8) {
        let (r, g, b) = (Int32(red), Int32(green), Int32(blue))
        let half: Int32 = 1 << 15
        let center: Int32 = 128 << 16
        return (
            UInt8((19595 * r + 38470 * g + 7471 * b + half) >> 16),
            UInt8((-11059 * r - 21709 * g + 32768 * b + center + half - 1) >> 16),
            UInt8((32768 * r - 27439 * g - 5329 * b + center + half - 1) >> 16)
        )
    }
}
