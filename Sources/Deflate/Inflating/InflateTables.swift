// The tables of the codes in use: code lengths in, entries out.

import ImageCodecsCore

/// The prefix codes of a block: one table for literals and lengths, one for distances, and what both are made from.
///
/// Each has a root that is looked up with a fixed number of bits, and after it sub-tables for codes that are longer.
///
/// Source: RFC 1951 section 3.2.2 "Use of Huffman coding in the "deflate" format".
package struct InflateTables: Sendable {
    /// Bits that the table of literals and lengths is looked up with. With 12 two literals are in one entry more often, and the
    /// table is pushed out of the first-level cache by the output more often: photos took the same time, flat graphics
    /// 5 % more. With 10 photos took 5 % more.
    package static let literalLengthRootBits = 11
    /// Bits that the table of distances is looked up with.
    package static let distanceRootBits = 8
    /// Bits of the longest code of a code length: their table has no sub-tables.
    static let codeLengthRootBits = 7
    /// Bits of the longest code.
    static let longestCode = 15

    // After the root: a sub-table for `k` bits has 2^k entries and is reached through codes of which it holds k + 1 at least,
    // for they fill it without a gap. So n symbols make no more than n * 2^k / (k + 1) entries, most of all if k is largest.
    private static let literalLengthCount = entryCount(symbols: 286, rootBits: literalLengthRootBits)
    private static let distanceCount = entryCount(symbols: 30, rootBits: distanceRootBits)

    private static func entryCount(symbols: Int, rootBits: Int) -> Int {
        let longest = longestCode - rootBits
        return 1 << rootBits + symbols * (1 << longest) / (longest + 1)
    }

    /// Where the table of literals and lengths lies.
    static let literalLength = 0..<literalLengthCount
    /// Where the table of distances lies.
    static let distance = literalLength.upperBound..<literalLength.upperBound + distanceCount
    /// Where the table of code lengths lies.
    static let codeLength = distance.upperBound..<distance.upperBound + 1 << codeLengthRootBits
    /// Where the lengths of codes lie, one in an element: of literals and lengths, then of distances.
    static let lengths = codeLength.upperBound..<codeLength.upperBound + 320
    /// Elements of all of them.
    static let count = lengths.upperBound

    /// Bytes of the tables.
    static let byteCount = count * MemoryLayout<UInt32>.stride

    /// Elements of all of the ranges above.
    var elements: NumberBuffer<UInt32>

    init(meter: MemoryMeter?) throws(ImageError) {
        // Not cleared: as in every block after the first, whatever is looked up was written for the codes in use.
        elements = try NumberBuffer(uninitializedCount: Self.count, meter: meter)
    }

    /// The symbol that every block ends with.
    static let endOfBlockSymbol = 256

    /// Puts the tables of the fixed codes in place.
    static func makeFixedTables(_ elements: inout MutableSpan<UInt32>) {
        for (place, table) in [(literalLength, fixedLiteralLength), (distance, fixedDistance)] {
            for index in table.indices { elements[place.lowerBound + index] = table[index] }
        }
    }

    // The roots of both, made once for all, for a block of fixed codes may be over after ten bits; no code is longer than
    // the root's bits.
    private static let fixedLiteralLength = (0..<1 << literalLengthRootBits).map { window in
        let (symbol, length) = InflateSymbols.fixedLiteralLength(UInt16(window).bitsReversed)
        return InflateSymbols.literalLength[symbol] + PrefixEntry.oneCodeBit * UInt32(length)
    }
    private static let fixedDistance = (0..<1 << distanceRootBits).map { window in
        InflateSymbols.distance[Int(UInt16(window).bitsReversed >> 11)] + PrefixEntry.oneCodeBit * 5
    }

    /// Makes a table of the first `count` lengths.
    static func makeLiteralLengthTable(_ elements: inout MutableSpan<UInt32>, count: Int) -> PrefixCodeShape {
        let plan = PrefixTablePlan(
            lengths: lengths.lowerBound..<lengths.lowerBound + count, table: literalLength,
            rootBits: literalLengthRootBits)
        return InflateSymbols.literalLength.withSpan { symbols in
            InflateTableKernel.build(plan, in: &elements, symbols: symbols)
        }
    }

    /// Makes a table of the `count` lengths after the first `literalLengthCount`.
    static func makeDistanceTable(
        _ elements: inout MutableSpan<UInt32>, behind literalLengthCount: Int, count: Int
    ) -> PrefixCodeShape {
        let first = lengths.lowerBound + literalLengthCount
        let plan = PrefixTablePlan(lengths: first..<first + count, table: distance, rootBits: distanceRootBits)
        return InflateSymbols.distance.withSpan { symbols in
            InflateTableKernel.build(plan, in: &elements, symbols: symbols)
        }
    }

    /// Gives literals of the dynamic codes in use a second one if that pays: if at least one look-up in sixteen finds two.
    ///
    /// A table costs some microseconds; who asks for this knows that the block is long enough.
    static func pairLiterals(_ elements: inout MutableSpan<UInt32>) {
        // What part of all bits begins with the literals of each length, in 2^15ths.
        var parts = [UInt32](repeating: 0, count: longestCode + 1)
        for literal in 0..<endOfBlockSymbol {
            let length = Int(elements[lengths.lowerBound + literal])
            if length > 0 { parts[length] += 1 << UInt32(longestCode - length) }
        }
        // The same of the literals that are no longer than what the first leaves of the root's bits.
        var (second, pairs): (UInt32, UInt64) = (0, 0)
        for length in 1..<literalLengthRootBits {
            second += parts[length]
            pairs += UInt64(parts[literalLengthRootBits - length]) * UInt64(second)
        }
        guard pairs >= 1 << (2 * UInt64(longestCode) - 4) else { return }
        InflateTableKernel.pairLiterals(literalLength, rootBits: literalLengthRootBits, in: &elements)
    }
}
