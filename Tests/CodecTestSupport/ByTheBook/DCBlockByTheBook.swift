// DC coefficients of progressive scans one bit at a time, as the standard describes the procedures.

package import JPEGBaselineCodec

/// Decodes DC coefficients.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.1 "Progressive encoding of DC coefficients with Huffman coding", §A.4 "Point
///   transform".
package enum DCBlockByTheBook {
    /// The next coefficient of a first scan, its lowest `low` bits zero; `nil` for bits that are no code.
    package static func decodeFirst(
        table: HuffmanSpecification, low: Int, bits: inout BitsByTheBook, predictor: inout Int
    ) -> Int16? {
        guard let size = bits.decode(table) else { return nil }
        predictor += bits.receiveSigned(size)
        return Int16(truncatingIfNeeded: predictor << low)
    }

    /// A coefficient with one more bit.
    package static func refine(_ coefficient: Int16, low: Int, bits: inout BitsByTheBook) -> Int16 {
        coefficient | Int16(bits.nextBit()) << Int16(low)
    }
}
