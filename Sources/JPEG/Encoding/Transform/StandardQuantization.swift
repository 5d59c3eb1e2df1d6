// The standard's example quantisation tables at a quality.

package import JPEGBaselineCodec

/// Quantisation tables that nearly every encoder uses, scaled by a quality as libjpeg scales them.
///
/// - Source: ITU-T T.81 (1992) §K.1 "Quantization tables for luminance and chrominance components", tables K.1 and K.2.
package enum StandardQuantization {
    /// Table K.1 in natural order.
    package static let luminance: [UInt16] = [
        16, 11, 10, 16, 24, 40, 51, 61,
        12, 12, 14, 19, 26, 58, 60, 55,
        14, 13, 16, 24, 40, 57, 69, 56,
        14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77,
        24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101,
        72, 92, 95, 98, 112, 100, 103, 99,
    ]

    /// Table K.2 in natural order.
    package static let chrominance: [UInt16] = [
        17, 18, 24, 47, 99, 99, 99, 99,
        18, 21, 26, 66, 99, 99, 99, 99,
        24, 26, 56, 99, 99, 99, 99, 99,
        47, 66, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
    ]

    /// The tables of a quality number: the first for luma and inks, the second for chroma.
    ///
    /// 50 gives the tables of the standard, 100 divides by one everywhere. Numbers outside 1...100 count as the nearest
    /// end. Divisors stay within the 8 bits of a baseline frame. libjpeg has whole numbers alone.
    ///
    /// - Parameter count: 1 or 2.
    package static func tables(quality: Double, count: Int) -> [QuantizationTable] {
        let quality = min(max(quality, 1), 100)
        let percent = quality < 50 ? Int(5000 / quality) : Int((200 - 2 * quality).rounded())
        return [luminance, chrominance].prefix(count).map { table in
            QuantizationTable(values: table.map { UInt16(min(max((Int($0) * percent + 50) / 100, 1), 255)) })
        }
    }
}
