// The plain twins of the DC kernels: one bit at a time, as the standard describes the procedures.

import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes DC coefficients.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.1 "Progressive encoding of DC coefficients with Huffman coding", §A.4 "Point
///   transform".
package enum DCKernelsReference {
    /// The next coefficient of a first scan, its lowest `low` bits zero; `nil` for bits that are no code.
    package static func decodeFirst(
        table: HuffmanSpecification, low: Int, bits: inout ReferenceBits, predictor: inout Int
    ) -> Int16? {
        guard let size = bits.decode(table) else { return nil }
        predictor += bits.receiveSigned(size)
        return Int16(truncatingIfNeeded: predictor << low)
    }

    /// A coefficient with one more bit.
    package static func refine(_ coefficient: Int16, low: Int, bits: inout ReferenceBits) -> Int16 {
        coefficient | Int16(bits.nextBit()) << Int16(low)
    }
}

/// The plain twin of `DCDifferenceKernel`.
enum DCDifferenceKernelReference {
    static func decode(_ state: inout ProgressiveState, tables: [Int32], at start: Int, input: RawSpan) -> Int32 {
        if state.reader.count < 32 { state.reader.refill(input) }
        let entry = tables[start + state.reader.peek(HuffmanTable.lookupBits)]
        if entry & HuffmanTable.Entry.unresolved == 0 {
            state.reader.skip(Int(entry & 63))
            return entry >> 16
        }
        let symbol = HuffmanTable.decodeSymbolReference(
            &state.reader, entry: entry, tables: tables, at: start, isDamaged: &state.isDamaged)
        return symbol & 15 == 0 ? 0 : state.reader.readSigned(symbol & 15)
    }
}

#if ReferenceKernels
typealias DCDifferenceKernel = DCDifferenceKernelReference
#endif
