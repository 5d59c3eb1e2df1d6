// Plain twin of HuffmanSymbol.

extension HuffmanTable {
    /// See `decodeSymbol(_:entry:table:isDamaged:)`.
    ///
    /// - Parameters:
    ///   - tables: Holds the table's ``HuffmanTable/count`` numbers,
    ///   - start: from this one on.
    package static func decodeSymbolReference(
        _ reader: inout EntropyBitReader, entry: Int32, tables: [Int32], at start: Int, isDamaged: inout Bool
    ) -> Int {
        let length = Int(entry & 63)
        if length != 0 {
            reader.skip(length)
            return Int((entry >> 8) & 255)
        }
        let window = reader.peek(16)
        for length in smallLookupBits + 1...16 where window < Int(tables[start + limits + length]) {
            let code = window >> (16 - length)
            reader.skip(length)
            return Int(tables[start + symbols + (code + Int(tables[start + symbolOffsets + length])) & 255])
        }
        reader.skip(17)
        isDamaged = true
        return 0
    }
}
