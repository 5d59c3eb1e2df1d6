// Four components to CMYK, one pixel at a time: the arithmetic that the row kernel reproduces.

/// YCCK is CMYK whose first three inks were taken as inverted R'G'B' and converted to Y'CbCr (Adobe's APP14 marker with
/// transform 2; Adobe TN 5116 "Supporting the DCT Filters in PostScript Level 2" §18). Black is stored as it is.
///
/// Adobe's files hold all four inks inverted, and so do rows of ``ImageCodecsCore/PixelFormat/cmyk``: samples of a CMYK
/// file pass through unchanged.
package enum CMYKConversion {
    /// The inks of one pixel; black passes through.
    package static func cmy(y: UInt8, cb: UInt8, cr: UInt8) -> (cyan: UInt8, magenta: UInt8, yellow: UInt8) {
        let color = YCbCrConversion.rgb(y: y, cb: cb, cr: cr)
        return (255 - color.red, 255 - color.green, 255 - color.blue)
    }
}
