// Which quality setting of the Independent JPEG Group's software a file was written with, from its divisors.
//
// That software, and most that came after it, multiplies the tables of the standard's example by a factor; other encoders
// have tables of their own, for which the nearest setting is given.

package import JPEGBaselineCodec
import JPEGCodec

/// The setting, 1...100, whose table is nearest to that of a file.
///
/// - Source: ITU-T T.81 (1992) Annex K, tables K.1 "Luminance quantization table" and K.2 "Chrominance quantization table",
///   which the standard gives as examples; the scaling is that of `jpeg_quality_scaling` in libjpeg's documentation.
package struct QualityEstimate: Hashable, Sendable {
    /// 1...100.
    package let quality: Int
    /// Whether the tables are the same, so that this is no guess.
    package let isExact: Bool

    /// - Parameters:
    ///   - table: that of a component.
    ///   - isChroma: whether it is compared with the standard's table for chrominance.
    package init(_ table: QuantizationTable, isChroma: Bool = false) {
        let most = table.values.contains { $0 > 255 } ? 32_767 : 255
        let example = isChroma ? StandardQuantization.chrominance : StandardQuantization.luminance
        var best = (quality: 1, distance: Int.max)
        // From the best down: where several fit as well, the higher one.
        for quality in stride(from: 100, through: 1, by: -1) {
            let distance = (0..<64).reduce(0) { sum, index in
                sum + abs(Int(table.values[index]) - Self.divisor(Int(example[index]), quality: quality, most: most))
            }
            if distance < best.distance { best = (quality, distance) }
        }
        quality = best.quality
        isExact = best.distance == 0
    }

    private static func divisor(_ example: Int, quality: Int, most: Int) -> Int {
        let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
        return min(max((example * percent + 50) / 100, 1), most)
    }
}
