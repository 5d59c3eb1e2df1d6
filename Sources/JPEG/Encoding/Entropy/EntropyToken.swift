// The language between the two halves of entropy coding: what is coded, before codes are chosen.
//
// In: nothing. Out: how a symbol and the bits after it are packed into 32 bits. Tokens are made from coefficients by
// `CoefficientTokenKernel`, counted by `SymbolStatistics` and written by `ScanBitWriter`.

/// A symbol of one of the scan's Huffman tables, followed by up to 16 bits that are written as they are.
///
///     31          21 20     16 15                 0
///     table * 256 +  number    the bits, right-
///     symbol         of bits   aligned, zero above
///
/// Bits without a symbol (corrections of a refinement scan) have the table ``rawTable``, whose only code is empty.
package enum EntropyToken {
    /// The first of the two tables of DC differences.
    package static let dcTable = 0
    /// The first of the two tables of AC coefficients.
    package static let acTable = 2
    /// The table of bits without a symbol.
    package static let rawTable = 4
    /// Tables, that of raw bits included, rounded up so that every token is an index.
    package static let tableCount = 8
    /// Symbols of all tables: one past the highest number above bit 21.
    package static let symbolCount = tableCount << 8

    /// The token of a run and a size of AC table 0 without bits: end of block, sixteen zeros.
    package static let endOfBlock: UInt8 = 0x00
    package static let sixteenZeros: UInt8 = 0xF0
    /// The longest run of bands that end at once.
    ///
    /// - Source: ITU-T T.81 (1992) §G.1.2.2 "Progressive encoding of AC coefficients with Huffman coding": `EOB14` with
    ///   14 bits.
    package static let longestEndOfBandRun = 0x7FFF

    /// Tokens that one block may need, whatever the kind of scan: 64 symbols and, in a refinement scan, corrections
    /// after each of them and those of a run that ends.
    package static let largestBlock = 256

    /// Packs a token.
    @inline(__always)
    package static func make(table: Int, symbol: Int, bits: Int = 0, bitCount: Int = 0) -> UInt32 {
        UInt32(truncatingIfNeeded: (table &<< 8 &+ symbol) &<< 21 | bitCount &<< 16 | bits)
    }

    /// The token of an end-of-band run.
    ///
    /// - Parameter run: 1...``longestEndOfBandRun``.
    @inline(__always)
    package static func endOfBand(run: Int, table: Int) -> UInt32 {
        let size = Int.bitWidth &- 1 &- run.leadingZeroBitCount
        return make(table: table, symbol: size &<< 4, bits: run & (1 &<< size &- 1), bitCount: size)
    }
}
