// Whole pixels by one look-up, if the codes of the four channels are short.
//
//   entry   bit count << 32 | pixel        0 where the bits begin a longer literal, a copy, or a color of the cache

import ImageCodecsCore

/// Builds the tables of whole pixels.
enum PackedTableKernel {
    /// The most bits that a table is looked up with. The four channels together may need fewer.
    static let largestBitCount = 8
    static let largestEntryCount = 1 << largestBitCount

    /// Fills a table.
    ///
    /// - Parameters:
    ///   - table: ``largestEntryCount`` numbers.
    ///   - bitCount: bits that it is looked up with: 1 << bitCount numbers are written.
    ///   - record: the group's numbers, with places and masks of its tables.
    ///   - arena: the tables, as ``PrefixTableKernel`` built them.
    /// - Returns: how many of the entries are pixels. Each stands for as many of the possible bit patterns, so this tells how
    ///   often a look-up will find one.
    static func fill(
        _ table: inout MutableSpan<UInt64>, bitCount: Int, record: Span<UInt32>, arena: RawSpan
    ) -> Int {
        var found = 0
        for pattern in 0..<1 << bitCount {
            let entry = entry(pattern, bitCount, record, arena)
            table[pattern] = entry
            if entry != 0 { found += 1 }
        }
        return found
    }

    private static func entry(_ pattern: Int, _ bitCount: Int, _ record: Span<UInt32>, _ arena: RawSpan) -> UInt64 {
        var used = 0
        var pixel: UInt64 = 0
        // Green, red, blue, alpha: where each goes in a pixel.
        for channel in 0..<4 {
            let shift: UInt64 = channel == 2 ? 0 : channel == 3 ? 24 : UInt64(channel + 1) * 8
            let place =
                Int(record[PrefixGroupRecord.tableStart + channel])
                + (pattern >> used) & Int(record[PrefixGroupRecord.maskStart + channel])
            let entry = Int(arena.nativeUInt16(at: place * 2))
            let (symbol, bits) = (entry >> 4, entry & 15)
            guard bits <= PrefixTableKernel.rootBitLimit, symbol < PrefixAlphabet.literalCount else { return 0 }
            used += bits
            guard used <= bitCount else { return 0 }
            pixel |= UInt64(symbol) << shift
        }
        return UInt64(used) << 32 | pixel
    }
}
