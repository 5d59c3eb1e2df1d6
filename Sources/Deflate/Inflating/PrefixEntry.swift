// What a table of prefix codes says about the bits that come next, packed into 32 bits.
//
//   31                     16  15  14  13   12  11      8  7  6  5         0
//  +-------------------------+---+---+--------+----------+------+-----------+
//  |          value          | N | S |  kind  |   code   | 0  0 |   taken   |
//  +-------------------------+---+---+--------+----------+------+-----------+
//
//  literals        N = 0          kind: how many, 1 or 2; value: the first in the low byte, the second above it
//  a length        N = 1, S = 0   value: the shortest of its code, 3...258
//  a distance      N = 0, S = 0   value: the shortest of its code, 1...24577
//  end of block    N = 1, S = 1   kind 1
//  sub-table       N = 1, S = 1   kind 2; value: where it begins; code: how many bits choose in it
//  no code at all  N = 1, S = 1   kind 3
//
// `taken` counts all bits that are used up, extra bits and a second literal included; `code` those of the first code
// alone. A subtraction of the whole entry from a bit count changes its low byte by `taken`.

/// Entries of the tables of ``InflateTables``.
package enum PrefixEntry {
    package static let notLiteral: UInt32 = 1 << 15
    package static let special: UInt32 = 1 << 14
    /// What is added to an entry for each bit of its code.
    static let oneCodeBit: UInt32 = 0x101
    /// What is added to an entry of one literal that gets a second.
    static let oneLiteral: UInt32 = 1 << 12

    private static let specialKind: UInt32 = notLiteral | special
    static let endOfBlock: UInt32 = specialKind | 1 << 12
    static let subTable: UInt32 = specialKind | 2 << 12
    static let invalid: UInt32 = specialKind | 3 << 12

    @inline(__always) package static func isLiteral(_ entry: UInt32) -> Bool { entry & notLiteral == 0 }
    @inline(__always) package static func isSpecial(_ entry: UInt32) -> Bool { entry & special != 0 }
    @inline(__always) package static func isEndOfBlock(_ entry: UInt32) -> Bool { entry & invalid == endOfBlock }
    @inline(__always) package static func isSubTable(_ entry: UInt32) -> Bool { entry & invalid == subTable }

    @inline(__always) package static func usedBits(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry & 63) }
    @inline(__always) package static func codeBits(_ entry: UInt32) -> Int {
        Int(truncatingIfNeeded: (entry &>> 8) & 15)
    }
    @inline(__always) package static func literalCount(_ entry: UInt32) -> Int {
        Int(truncatingIfNeeded: (entry &>> 12) & 3)
    }
    @inline(__always) package static func value(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 16) }
}

/// The entries of all symbols, without the bits of their codes.
///
/// Source: RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)".
package enum InflateSymbols {
    /// Literals 0...255, the end of a block 256, lengths 257...285; 286 and 287 stand for nothing.
    package static let literalLength: [UInt32] =
        literals + [PrefixEntry.endOfBlock] + lengths + [PrefixEntry.invalid, PrefixEntry.invalid]
    /// Distances 0...29; 30 and 31 stand for nothing.
    package static let distance: [UInt32] = distances + [PrefixEntry.invalid, PrefixEntry.invalid]
    /// Lengths of codes, and how they repeat, 0...18.
    static let codeLength: [UInt32] = (0...18).map { $0 << 16 }

    private static let literals: [UInt32] = (0...255).map { $0 << 16 | PrefixEntry.oneLiteral }

    /// From the tenth on, four codes each have one extra bit more; 258 has a code of its own.
    private static let lengths: [UInt32] = {
        var (entries, base): ([UInt32], UInt32) = ([], 3)
        for code in 0..<28 as Range<UInt32> {
            let extra = code < 8 ? 0 : code / 4 - 1
            entries.append(base << 16 | PrefixEntry.notLiteral | extra)
            base += 1 << extra
        }
        return entries + [258 << 16 | PrefixEntry.notLiteral]
    }()

    /// From the fifth on, two codes each have one extra bit more.
    private static let distances: [UInt32] = {
        var (entries, base): ([UInt32], UInt32) = ([], 1)
        for code in 0..<30 as Range<UInt32> {
            let extra = code < 4 ? 0 : code / 2 - 1
            entries.append(base << 16 | extra)
            base += 1 << extra
        }
        return entries
    }()

    /// The literal or length whose fixed code begins these 16 bits, the first in the highest place, and how long
    /// that code is. A distance has a code of 5 bits, which is its number.
    ///
    /// Source: RFC 1951 section 3.2.6 "Compression with fixed Huffman codes (BTYPE=01)".
    static func fixedLiteralLength(_ bits: UInt16) -> (symbol: Int, length: Int) {
        switch bits {
        case ..<0b0011_0000_0000_0000: (256 + Int(bits >> 9), 7)
        case ..<0b1100_0000_0000_0000: (Int(bits >> 8) - 0b0011_0000, 8)
        case ..<0b1100_1000_0000_0000: (280 + Int(bits >> 8) - 0b1100_0000, 8)
        default: (144 + Int(bits >> 7) - 0b1_1001_0000, 9)
        }
    }
}

extension UInt16 {
    /// The same bits, the lowest in the highest place.
    var bitsReversed: UInt16 {
        var (bits, reversed) = (self, UInt16(0))
        for _ in 0..<16 { (bits, reversed) = (bits >> 1, reversed << 1 | bits & 1) }
        return reversed
    }
}
