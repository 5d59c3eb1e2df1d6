// Luma repaired for what chroma lost: a change of Y' that keeps the luminance of each pixel.

/// Chroma that was subsampled and quantised changes the luminance of a pixel too, because Y' is computed from R'G'B' that are
/// not linear light: a red edge that lost half its Cr is darker than it was. So chroma is coded first, decoded again, and
/// luma is changed so that the decoded pixel has the luminance of the picture's.
///
/// Luminance here is 0.265 R + 0.657 G + 0.078 B in linear light, the mean of the two responses that SSIMULACRA 2 (and
/// the colour space XYB) begin with. For a channel that decoding changes by `e`, the change of its linear light is `e` times
/// the slope `s(m)` of the transfer curve at the middle `m` of the two values; with the slope a parabola that is
/// exact but for a small constant. A change of Y' changes all three channels, so it has to be the weighted mean of the errors
///
///     sum of w s(m) e / sum of w s(m)
///
/// with the weights `w` above. A part of it is left out: luma is quantised as well, and what brings luminance nearer moves Y' away
/// from the source's. Half of that change (0.4 of it) keeps two thirds of what 0.8 gains in SSIMULACRA 2, at a quarter of its cost in MS-SSIM of Y'
/// (JPEG, 16 photographs).
package enum LumaRepair {
    /// Errors of chroma, with 4 fractional bits, up to which eight pixels in a row are left as they are.
    package static let least: Int16 = 15
    /// The largest change, with 4 fractional bits.
    package static let most: Int16 = 640
    /// 0.8 of the change, for errors with 9 fractional bits times a weight / 65536.
    package static let strength: Float = 1638.4
    /// 0.45 of the change: Y' stays nearer to the source's.
    package static let moderateStrength: Float = 921.6
}
