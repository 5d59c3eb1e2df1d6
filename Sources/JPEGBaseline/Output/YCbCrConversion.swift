// Y'CbCr to R'G'B' and YCCK to CMYK, one pixel at a time: the arithmetic that the row kernels reproduce.

/// The colour conversion of ITU-T T.871 (JFIF) §7 "Conversion to and from RGB" in the reference decoder's integers.
///
///     R = Y                         + 1.402    (Cr - 128)
///     G = Y - 0.344136 (Cb - 128)   - 0.714136 (Cr - 128)
///     B = Y + 1.772    (Cb - 128)
///
/// Factors have 16 fractional bits. The red and blue terms are rounded to nearest on their own, the two green terms
/// as one sum; the result is clamped to 0...255.
package enum YCbCrConversion {
    /// 1.402, 1.772, 0.71414 and 0.34414 times 65536.
    private static let redFromCr: Int32 = 91881
    private static let blueFromCb: Int32 = 116130
    private static let greenFromCr: Int32 = -46802
    private static let greenFromCb: Int32 = -22554

    /// One pixel.
    package static func rgb(y: UInt8, cb: UInt8, cr: UInt8) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let y = Int32(y)
        let cb = Int32(cb) - 128
        let cr = Int32(cr) - 128
        let half: Int32 = 1 << 15
        return (
            UInt8(clamping: y + (redFromCr * cr + half) >> 16),
            UInt8(clamping: y + (greenFromCb * cb + greenFromCr * cr + half) >> 16),
            UInt8(clamping: y + (blueFromCb * cb + half) >> 16)
        )
    }
}
