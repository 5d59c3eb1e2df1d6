// A look-up that passes over AC coefficients: several codes at once, with the bits of their values, which nobody looks at.
//
// In: a Huffman table of AC coefficients. Out: for each window of the next bits, how many bits and how many places of the block
// the whole codes in it take. For components that are reduced to one sample a block, which is the DC coefficient alone.

/// A look-up by the next eleven bits, made for a ``HuffmanTable`` of AC coefficients.
///
/// Values may reach beyond the window, since only their lengths count; codes may not. Photographs have two to three
/// coefficients a look-up.
package enum PassingLookUp {
    /// Bits of a window.
    package static var bits: Int { 11 }
    /// Entries.
    package static var count: Int { 1 << bits }
    /// The most bits that an entry takes: two entries have room in what decoding the DC coefficient leaves in the reservoir.
    static let mostBits = 22

    /// An entry.
    ///
    ///     bits 13...8   places of the block, 62 at most
    ///     bit 7         set if nothing is passed over: the window begins with a code longer than it, or with no code
    ///     bit 6         set if the end of the block follows
    ///     bits 5...0    bits to skip: codes, values and the end of the block
    package enum Entry {
        package static var unresolved: Int32 { 0x80 }
        package static var end: Int32 { 0x40 }
    }

    /// Makes the look-up for a table of AC coefficients of a sequential scan.
    ///
    /// - Parameter start: Where the table's numbers begin in `entries`; the look-up is appended to them.
    package static func append(forTableAt start: Int, to entries: inout [Int32]) {
        // Codes that begin in each window: symbol << 5 | length; 0 for none.
        let codes = (0..<Int32(count)).map { window in
            let window = window << Int32(16 - bits)
            var length = 1
            while length <= bits, window >= entries[start + HuffmanTable.limits + length] { length += 1 }
            guard length <= bits else { return Int32(0) }
            let index = window >> Int32(16 - length) + entries[start + HuffmanTable.symbolOffsets + length]
            return entries[start + HuffmanTable.symbols + Int(index & 255)] << 5 | Int32(length)
        }
        for window in 0..<count { entries.append(entry(window, codes)) }
    }

    private static func entry(_ window: Int, _ codes: [Int32]) -> Int32 {
        var (places, used) = (0, 0)
        while used < bits {
            // What lies beyond the window is zeros here, so the code has to end within it.
            let code = Int(codes[window << used & (count - 1)])
            let (symbol, length) = (code >> 5, code & 31)
            guard length > 0, used + length <= bits else { break }
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0 && run != 15 { return Int32(places << 8 | used + length) | Entry.end }
            guard places + run + 1 < 63, used + length + size <= mostBits else { break }
            places += run + 1
            used += length + size
        }
        return places == 0 ? Entry.unresolved : Int32(places << 8 | used)
    }
}
