// Which quality setting of the Independent JPEG Group's software a file was written with, from its divisors.
//
// That software, and most that came after it, multiplies the tables of the standard's example by a factor; other encoders
// have tables of their own, for which the nearest setting is given.

package import JPEGBaselineCodec

/// The setting, 1...100, whose table is nearest to that of a file.
///
/// - Source: ITU-T T.81 (1992) Annex K, table K.1 "Luminance quantization table", which the standard gives as an example;
///   the scaling is that of `jpeg_quality_scaling` in libjpeg's documentation.
package struct QualityEstimate: Hashable, Sendable {
    /// 1...100.
    package let quality: Int
    /// Whether the tables are the same, so that this is no guess.
    package let isExact: Bool

    /// - Parameter table: that of the first component.
    package init(_ table: QuantizationTable) {
        let most = table.values.contains { $0 > 255 } ? 32_767 : 255
        var best = (quality: 1, distance: Int.max)
        // From the best down: where several fit as well, the higher one.
        for quality in stride(from: 100, through: 1, by: -1) {
            let distance = (0..<64).reduce(0) { sum, index in
                sum + abs(Int(table.values[index]) - Self.divisor(index, quality: quality, most: most))
            }
            if distance < best.distance { best = (quality, distance) }
        }
        quality = best.quality
        isExact = best.distance == 0
    }

    /// The table of the standard's example at a setting, in natural order.
    package static func standardTable(quality: Int) -> [UInt16] {
        (0..<64).map { UInt16(divisor($0, quality: quality, most: 255)) }
    }

    private static func divisor(_ index: Int, quality: Int, most: Int) -> Int {
        let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
        return min(max((Int(luminance[index]) * percent + 50) / 100, 1), most)
    }

    /// Table K.1, in natural order.
    private static let luminance: [UInt8] = [
        16, 11, 10, 16, 24, 40, 51, 61,
        12, 12, 14, 19, 26, 58, 60, 55,
        14, 13, 16, 24, 40, 57, 69, 56,
        14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77,
        24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101,
        72, 92, 95, 98, 112, 100, 103, 99,
    ]
}
